"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const SEVERITIES = ["error", "warning", "note"];
  const CERTAINTIES = ["certain", "likely", "possible"];
  const BATCH = 100;

  // --- making elements: text is always a text node ---

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children.filter((child) => child !== null));
    return element;
  }
  const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
  const draw = (tag, attributes = {}, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  /** A sentence of a rule: what stands between backticks is code. */
  function told(text) {
    const parts = text.split("`");
    if (parts.length % 2 === 0) return [text];
    return parts.map((part, at) => (at % 2 ? make("code", { dir: "ltr" }, part) : part)).filter((part) => part !== "");
  }

  // --- source ---

  const WORDS = {
    cpp: new Set(
      ("alignas auto bool break case catch char class const constexpr const_cast continue default delete do double " +
        "dynamic_cast else enum explicit extern false final float for friend goto if inline int long mutable namespace new " +
        "noexcept nullptr operator override private protected public reinterpret_cast return short signed sizeof static " +
        "static_assert static_cast struct switch template this throw true try typedef typename union unsigned using " +
        "virtual void volatile while").split(" "),
    ),
    python: new Set(
      ("False None True and as assert async await break class continue def del elif else except finally for from global " +
        "if import in is lambda match nonlocal not or pass raise return self try while with yield").split(" "),
    ),
  };
  const TOKENS = {
    cpp: /\/\/.*|\/\*.*?(?:\*\/|$)|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)'|\b\d[\w.]*|[A-Za-z_]\w*|^\s*#\s*\w+/g,
    python: /#.*|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\b\d[\w.]*|[A-Za-z_]\w*/g,
  };

  /** Pieces of one line, `[first, last, class]`. A line is all it knows: what is open above it is not. */
  function pieces(text, language) {
    const found = [];
    for (const match of text.matchAll(TOKENS[language])) {
      const [word] = match;
      const first = word[0];
      let style = "";
      if (word.startsWith("//") || word.startsWith("/*") || (first === "#" && language === "python")) style = "c";
      else if (first === '"' || first === "'") style = "s";
      else if (first >= "0" && first <= "9") style = "n";
      else if (WORDS[language].has(word) || word.trimStart()[0] === "#") style = "k";
      if (style) found.push([match.index, match.index + word.length, style]);
    }
    return found;
  }

  function colour(text, language, marks) {
    const styled = pieces(text, language);
    const cuts = new Set([0, text.length]);
    for (const [first, last] of [...styled, ...marks]) cuts.add(first).add(Math.min(last, text.length));
    const places = [...cuts].sort((a, b) => a - b);
    const parts = [];
    let open = null;
    for (let at = 0; at + 1 < places.length; at++) {
      const [low, high] = [places[at], places[at + 1]];
      const style = styled.find(([first, last]) => first <= low && low < last);
      const marked = marks.some(([first, last]) => first <= low && low < last);
      const part = text.slice(low, high);
      const node = style ? make("span", { class: style[2] }, part) : part;
      if (marked) {
        if (!open) parts.push((open = make("mark")));
        open.append(node);
      } else {
        open = null;
        parts.push(node);
      }
    }
    if (marks.some(([first]) => first >= text.length)) parts.push(make("mark", {}, "\u00a0"));
    return parts;
  }

  function excerpt(stop) {
    const file = data.files[stop.at[0]];
    const language = file.python ? "python" : "cpp";
    const place = make("div", { class: "place" }, `${file.path}:${stop.at[1]}:${stop.at[2]}`);
    if (!stop.rows.length) return make("div", { class: "code" }, place);
    const marked = new Set(stop.marks.map(([line]) => line));
    const rows = stop.rows.map((row) => (typeof row === "number" ? [row, file.lines[row] ?? ""] : row));
    const indent = indented(rows);
    const lines = rows.map(([number, text]) => {
      if (number === 0) return make("div", { class: "far" }, make("span", { class: "nr0" }, "\u22ef"));
      const marks = stop.marks.filter(([line]) => line === number).map(([, ...ends]) => ends.map((end) => Math.max(end - indent, 0)));
      const nr = make("span", { class: "nr0" }, String(number));
      return make("div", marked.has(number) ? {} : { class: "far" }, nr, ...colour(text.slice(indent), language, marks));
    });
    return make("div", { class: "code" }, place, make("pre", {}, ...lines));
  }

  /** How many blanks all of these lines begin with: columns are narrow. */
  function indented(rows) {
    const told = rows.filter(([, text]) => text.trim());
    return told.length ? Math.min(...told.map(([, text]) => text.length - text.trimStart().length)) : 0;
  }

  function diff(change) {
    const file = data.files[change.file];
    const indent = indented(change.rows);
    const lines = change.rows.map(([sign, full]) => {
      const text = full.slice(indent);
      const style = sign === "+" ? "plus" : sign === "-" ? "minus" : "";
      return make("div", { class: style }, make("span", { class: "nr0" }, sign), ...colour(text, file.python ? "python" : "cpp", []));
    });
    const place = make("div", { class: "place" }, `${file.path}:${change.line}`);
    return make("div", { class: "code diff" }, place, make("pre", {}, ...lines));
  }

  // --- the picture ---

  const KINDS = { owner: "owner", borrower: "borrowed", way: "path" };
  const LABEL = { owns: "owns", lends: "lends", borrows: "borrows", ends: "ends", uses: "uses", guards: "guards", turn: "" };
  const GUTTER = 200; // for the names of the lanes, where time runs across
  const NARROWEST = 104; // a column of time
  const WIDEST = 170;
  const BESIDE = 26; // a lane, where time runs down
  const LINE = 15;
  const MOST = 300; // characters of one label: the walk below has the whole sentence

  const canvas = document.createElement("canvas").getContext("2d");
  const family = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
  const FONTS = { name: `12.5px ${family("--mono")}`, what: `12px ${family("--sans")}`, alarm: `600 12px ${family("--sans")}` };

  function measured(text, style) {
    canvas.font = FONTS[style];
    return canvas.measureText(text).width;
  }

  function short(text) {
    const chars = [...text];
    return chars.length <= MOST ? text : `${chars.slice(0, MOST - 1).join("")}\u2026`;
  }

  /** Lines that are no wider than `most`: broken between words, behind the joints of a name, or where it must be. */
  function wrapped(text, most, style) {
    const lines = [""];
    const fits = (line) => measured(line.trimEnd(), style) <= most;
    for (const piece of short(text).split(/(?<=\s|::|->|[._/(,])/)) {
      if (fits(lines.at(-1) + piece)) {
        lines[lines.length - 1] += piece;
        continue;
      }
      if (lines.at(-1)) lines.push("");
      for (const char of piece) {
        if (lines.at(-1) && !fits(lines.at(-1) + char)) lines.push("");
        lines[lines.length - 1] += char;
      }
    }
    return lines.map((line) => line.trim()).filter(Boolean);
  }

  /** What is drawn at each place of the time: the stops, and the owner's end where that is none of them. */
  function moments({ stops, end }) {
    const times = stops.map((stop, at) => ({ stop, at, word: worded(stop, end !== null && at > end) }));
    const between = end !== null && !Number.isInteger(end);
    if (between) times.splice(Math.ceil(end), 0, { stop: null, word: { text: "gone", style: "what" } });
    return { times, over: end === null ? -1 : Math.ceil(end) };
  }

  function worded(stop, late) {
    const bad = stop.main || (late && (stop.role === "uses" || stop.role === "borrows"));
    const style = bad ? "alarm" : "what";
    if (stop.role === "turn") return { text: stop.says.replaceAll("`", ""), style };
    return { text: late && stop.role === "uses" ? "used too late" : LABEL[stop.role], style };
  }

  const placed = (stop) => `${data.files[stop.at[0]].python ? "Python" : "C++"}:${stop.at[1]}`;

  /** Time runs to the right. */
  function across({ lanes }, { times }, width) {
    const step = Math.min(WIDEST, (width - GUTTER - 16) / times.length);
    const texts = [];
    const x = (time) => GUTTER + (time + 0.5) * step;
    const say = (text, style, at, y, middle) => texts.push([`${style}${middle ? " mid" : ""}`, text, at, y]);
    times.forEach(({ stop, at }, time) => {
      if (!stop) return;
      say(String(at + 1), "num", x(time), 14, false);
      say(placed(stop), "what", x(time), 29, true);
    });
    let top = 48;
    const middles = lanes.map(([kind, name], lane) => {
      const y = top + 18;
      say(KINDS[kind], "who", 8, y - 5, false);
      const named = wrapped(name, GUTTER - 20, "name");
      named.forEach((line, at) => say(line, "name", 8, y + 12 + at * LINE, false));
      let most = named.length;
      times.forEach(({ stop, word }, time) => {
        if (stop ? stop.lane !== lane : kind !== "owner") return;
        const lines = wrapped(word.text, step - 14, word.style);
        lines.forEach((line, at) => say(line, word.style, x(time), y + 25 + at * LINE, true));
        most = Math.max(most, lines.length + 1);
      });
      top = y + 20 + most * LINE;
      return y;
    });
    const wide = GUTTER + times.length * step + 16;
    return { texts, swatches: [], from: GUTTER, to: wide - 16, wide, tall: top, head: 34, time: x, lane: (lane) => middles[lane], point: (t, l) => [t, l] };
  }

  /** Time runs down: where there is no room for it beside the names. */
  function down({ lanes }, { times }, width) {
    const left = 8 + lanes.length * BESIDE + 8;
    const room = width - left - 4;
    const texts = [];
    const say = (text, style, y) => texts.push([style, text, left, y]);
    let top = 4;
    const swatches = lanes.map(([kind, name]) => {
      const y = top + 8;
      say(KINDS[kind], "who", top + 12);
      const lines = wrapped(name, room, "name");
      lines.forEach((line, at) => say(line, "name", top + 28 + at * LINE));
      top += 22 + lines.length * LINE;
      return [kind, y];
    });
    const head = top + 4;
    const middles = times.map(({ stop, at, word }) => {
      const y = top + 24;
      if (stop) say(`${at + 1}. ${placed(stop)}`, "what", y + 4);
      const lines = wrapped(word.text, room, word.style);
      lines.forEach((line, number) => say(line, word.style, y + 4 + (number + (stop ? 1 : 0)) * LINE));
      top = y + (lines.length + (stop ? 0 : -1)) * LINE;
      return y;
    });
    const tall = top + 20;
    return { texts, swatches, from: head, to: tall - 6, wide: width, tall, head, time: (time) => middles[time], lane: (lane) => 16 + lane * BESIDE, point: (t, l) => [l, t] };
  }

  /** A new one for each width of the place it stands in. */
  function picture(finding, width) {
    const { stops, lanes } = finding;
    const told = moments(finding);
    const { times, over } = told;
    const runsAcross = width >= GUTTER + 16 + times.length * NARROWEST;
    const plan = (runsAcross ? across : down)(finding, told, width);
    const [wide, tall] = [Math.round(plan.wide), Math.round(plan.tall)];
    const svg = draw("svg", { viewBox: `0 0 ${wide} ${tall}`, role: "img", width: wide, height: tall, "aria-label": narrated(finding) });
    const put = (tag, attributes) => svg.append(draw(tag, attributes));
    const stroke = (style, [x1, y1], [x2, y2]) => put("line", { class: style, x1, y1, x2, y2 });
    const { time, lane, point } = plan;
    const timeOf = stops.map((_, at) => times.findIndex((each) => each.at === at));

    if (over >= 0) {
      const [x, y] = point(time(over), runsAcross ? plan.head : 2);
      const [right, bottom] = runsAcross ? [wide - 8, tall - 4] : [wide - 2, tall - 2];
      put("rect", { class: "gone", x, y, width: Math.max(right - x, 0), height: Math.max(bottom - y, 0), rx: 6 });
    }
    stops.forEach((stop, at) => {
      const till = runsAcross ? lane(stop.lane) - 10 : 8 + lanes.length * BESIDE + 4;
      const since = runsAcross ? plan.head : lane(stop.lane) + 10;
      stroke("guide", point(time(timeOf[at]), since), point(time(timeOf[at]), till));
    });
    lanes.forEach(([kind], number) => {
      const own = stops.map((stop, at) => [stop, time(timeOf[at])]).filter(([stop]) => stop.lane === number);
      const line = (style, from, to) => {
        if (to > from) stroke(style, point(from, lane(number)), point(to, lane(number)));
      };
      const ended = over >= 0 ? time(over) : plan.to;
      if (kind === "owner") {
        const born = own.length && own[0][0].role === "owns" ? own[0][1] : null;
        if (born === null) line("life before", plan.from, Math.min(ended, time(0)));
        line("life", born ?? time(0), ended);
        if (over >= 0) line("after", ended + 8, plan.to);
      } else if (kind === "borrower") {
        const from = (own.find(([stop]) => stop.role !== "lends") ?? own[0] ?? [null, time(0)])[1];
        line("loan", from, Math.max(from, ended));
        if (over >= 0) line("dangling", Math.max(ended, from), plan.to);
      } else {
        line("way", plan.from, plan.to);
      }
    });
    signs(finding, told, plan, put, stroke);
    plan.swatches.forEach(([kind, y], number) => {
      stroke("guide", [lane(number), y], [lane(number), plan.from]);
      stroke("guide", [lane(number), y], [8 + lanes.length * BESIDE + 4, y]);
      put("circle", { class: `swatch ${kind}`, cx: lane(number), cy: y, r: 5 });
    });
    for (const [style, text, x, y] of plan.texts) svg.append(draw("text", { class: style, x, y }, text));
    return svg;
  }

  function signs({ lanes }, { times, over }, { time, lane, point }, put, stroke) {
    const borrower = lanes.findIndex(([kind]) => kind === "borrower");
    times.forEach(({ stop, word }, at) => {
      const [x, y] = point(time(at), lane(stop ? stop.lane : 0));
      if (stop?.role === "borrows" && borrower >= 0) {
        const [from, to] = [lane(borrower), lane(0)];
        const [tipX, tipY] = point(time(at), to + 9);
        stroke("tie", point(time(at), from - 8), [tipX, tipY]);
        const sides = [point(time(at) - 4.5, to + 13), point(time(at) + 4.5, to + 13), [tipX, tipY]];
        put("path", { class: "tie-head", d: `M${sides.map((each) => each.join(" ")).join("L")}z` });
      }
      if (!stop || stop.role === "ends") {
        put("path", { class: "cross", d: `M${x - 6} ${y - 6}l12 12M${x + 6} ${y - 6}l-12 12` });
      } else {
        const bad = word.style === "alarm";
        put("circle", { class: `mark ${stop.role}${bad ? " bad" : ""}`, cx: x, cy: y, r: bad ? 8 : 7 });
      }
    });
  }

  /** Draws it where it stands by now, and again when there is more or less room. */
  function framed(place, finding) {
    let width = 0;
    const again = () => {
      const now = Math.floor(place.clientWidth);
      if (now < 1 || now === width) return;
      width = now;
      place.replaceChildren(picture(finding, width));
    };
    again();
    new ResizeObserver(again).observe(place);
  }

  function narrated(finding) {
    const parts = finding.stops.map((stop, at) => {
      const [, name] = finding.lanes[stop.lane];
      return `${at + 1}. ${name} ${LABEL[stop.role] || "goes on"}`;
    });
    return `The story in ${finding.stops.length} steps: ${parts.join("; ")}`;
  }

  // --- one finding ---

  function walk(finding) {
    const sides = new Set(finding.stops.map((stop) => data.files[stop.at[0]].python));
    const border = sides.size === 2;
    const list = make("ol", { class: border ? "walk border" : "walk" });
    if (border) {
      list.append(make("li", { class: "side cpp", role: "presentation" }, "C++"));
      list.append(make("li", { class: "side py", role: "presentation" }, "Python"));
    }
    const count = (side) => finding.stops.filter((stop) => data.files[stop.at[0]].python === side).length;
    finding.stops.forEach((stop, at) => {
      const { python } = data.files[stop.at[0]];
      const main = stop.main ? ` main ${SEVERITIES[finding.severity]}` : "";
      const says = make("p", {}, make("span", { class: "nr" }, String(at + 1)), make("span", { class: "told" }, ...told(stop.says)));
      const item = make("li", { class: `stop ${python ? "py" : "cpp"}${main}` }, make("div", {}, says, excerpt(stop)));
      // What stands alone on its side stays in sight beside all of the other.
      if (border && count(python) === 1) item.style.gridRow = `2 / span ${count(!python)}`;
      list.append(item);
    });
    return list;
  }

  function detail(finding, id) {
    const part = (text) => make("h4", { class: "part" }, text);
    const rule = data.rules[finding.rule];
    const about = make("p", { class: "about" });
    about.append(make("span", { class: `word ${SEVERITIES[finding.severity]}` }, SEVERITIES[finding.severity]), ", ");
    about.append(CERTAINTIES[finding.certainty]);
    if (finding.reason) about.append(": ", ...told(finding.reason));
    if (finding.symbol) about.append(", in ", make("code", { dir: "ltr" }, finding.symbol));
    const box = make("div", { class: "detail", id, role: "region", "aria-label": finding.message }, about);
    if (finding.lanes.length) box.append(make("div", { class: "story" }));
    box.append(walk(finding));
    if (finding.help.length) {
      const lines = finding.help.map((line, at) => make("p", {}, ...(at ? [] : [make("b", {}, "help"), " "]), ...told(line)));
      box.append(make("div", { class: "help" }, ...lines));
    }
    if (finding.fix) {
      box.append(part(finding.fix.safe ? "Fix" : "Unsafe fix: review it"), make("p", { class: "about" }, ...told(finding.fix.says)));
      finding.fix.changes.forEach((change) => box.append(diff(change)));
    }
    const manual = byId(`rule-${rule}`);
    if (manual) box.append(inlined(manual));
    const links = make("p", { class: "links" }, make("a", { href: `#f-${finding.id}` }, "Link to this finding"));
    if (manual) links.append(make("a", { href: `#rule-${rule}` }, `Manual page of ${rule}`));
    box.append(links);
    return box;
  }

  /** The manual page again, where it is asked for. */
  function inlined(manual) {
    const page = make("details", { class: "inline-page" }, make("summary", {}, `About ${manual.id.slice(5)}`));
    page.addEventListener("toggle", () => {
      if (page.open && !page.querySelector(".page")) page.append(manual.querySelector(".page").cloneNode(true));
    });
    return page;
  }

  // --- the list ---

  const findings = data.findings;
  const list = byId("list");
  if (!list) return colours();
  const [search, select, more, count] = ["search", "rule", "more", "count"].map(byId);
  let shown = [];
  let haystacks = null;

  function haystack(finding) {
    const places = finding.stops.map((stop) => `${data.files[stop.at[0]].path} ${stop.says}`);
    return [finding.message, finding.symbol, data.rules[finding.rule], ...places].join("\n").toLowerCase();
  }

  const rows = new Map();

  function row(number) {
    const finding = findings[number];
    const main = finding.stops.find((stop) => stop.main);
    const severity = SEVERITIES[finding.severity];
    const place = `${data.files[main.at[0]].path}:${main.at[1]}`;
    const button = make(
      "button",
      { class: "row", type: "button", "aria-expanded": "false", "data-number": number },
      make("span", { class: `dot ${severity}`, "aria-hidden": "true" }),
      make("span", { class: "said" }, ...told(finding.message)),
      make("span", { class: "where" }, place),
      make("span", { class: "kind" }, data.rules[finding.rule]),
      make("span", { class: "level" }, `${severity}, ${CERTAINTIES[finding.certainty]}`),
    );
    return make("li", {}, button); // no id: a browser that finds the address itself takes the focus away
  }

  function extend() {
    const from = list.children.length;
    for (const number of shown.slice(from, from + BATCH)) {
      if (!rows.has(number)) rows.set(number, row(number));
      list.append(rows.get(number));
    }
    more.hidden = list.children.length >= shown.length;
  }

  function chosen(name, words) {
    const boxes = [...document.querySelectorAll(`input[name=${name}]`)];
    return new Set(boxes.filter((box) => box.checked).map((box) => words.indexOf(box.value)));
  }

  function filter() {
    const severities = chosen("severity", SEVERITIES);
    const certainties = chosen("certainty", CERTAINTIES);
    const rule = select.value === "" ? -1 : data.rules.indexOf(select.value);
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length && !haystacks) haystacks = findings.map(haystack);
    shown = [];
    findings.forEach((finding, number) => {
      if (!severities.has(finding.severity) || !certainties.has(finding.certainty)) return;
      if (rule >= 0 && finding.rule !== rule) return;
      if (words.every((word) => haystacks[number].includes(word))) shown.push(number);
    });
    list.replaceChildren();
    extend();
    count.value = `${shown.length} of ${findings.length}`;
    if (!shown.length) list.append(make("li", { class: "empty" }, "No finding fits."));
    document.querySelectorAll(".by-rule").forEach((button) => {
      button.setAttribute("aria-pressed", String(button.dataset.rule === select.value));
    });
  }

  function toggle(button, open = button.getAttribute("aria-expanded") !== "true") {
    const number = Number(button.dataset.number);
    const item = button.parentElement;
    const id = `d-${number}`;
    button.setAttribute("aria-expanded", String(open));
    item.classList.toggle("open", open);
    let box = item.querySelector(".detail");
    if (open && !box) {
      item.append((box = detail(findings[number], id)));
      const place = box.querySelector(".story");
      if (place) framed(place, findings[number]);
    }
    if (box) box.hidden = !open;
    if (open) button.setAttribute("aria-controls", id);
  }

  function go(by) {
    const here = document.activeElement?.closest?.("#list > li");
    let at = here ? [...list.children].indexOf(here) + by : by > 0 ? 0 : -1;
    at = Math.max(0, Math.min(at, shown.length - 1));
    while (at >= list.children.length && list.children.length < shown.length) extend();
    const button = list.children[at]?.querySelector(".row");
    button?.focus({ preventScroll: true });
    button?.scrollIntoView({ block: "nearest" });
    return Boolean(button);
  }

  /** Goes where the address says: to a finding, whatever the filter hides, or to a page, which is opened. */
  function follow() {
    const name = location.hash.slice(1);
    const page = byId(name);
    if (page instanceof HTMLDetailsElement) page.open = true;
    if (!name.startsWith("f-")) return;
    const number = findings.findIndex((finding) => `f-${finding.id}` === name);
    if (number < 0) return;
    if (!shown.includes(number)) reset();
    while (list.children.length <= shown.indexOf(number)) extend();
    const button = rows.get(number).querySelector(".row");
    toggle(button, true);
    button.focus({ preventScroll: true });
    rows.get(number).scrollIntoView({ block: "start" });
  }

  function reset() {
    search.value = select.value = "";
    document.querySelectorAll("#filters input[type=checkbox]").forEach((box) => (box.checked = true));
    filter();
  }

  list.addEventListener("click", (event) => {
    const button = event.target.closest(".row");
    if (button) toggle(button);
  });
  byId("filters").addEventListener("input", filter);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", extend);
  document.querySelectorAll(".by-rule").forEach((button) =>
    button.addEventListener("click", () => {
      select.value = select.value === button.dataset.rule ? "" : button.dataset.rule;
      filter();
    }),
  );
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target === search;
    if (event.key === "Escape" && (typing || event.target.closest?.("#list"))) {
      event.preventDefault(); // some clear the field, and the filter with it
      if (typing) return go(1) || search.blur();
      const button = event.target.closest("#list > li")?.querySelector(".row");
      if (button) (toggle(button, false), button.focus());
    } else if (typing || event.target === select) {
      if (!typing || event.key !== "Enter") return;
      event.preventDefault(); // it would press the button that has the focus by then
      go(1);
    } else if (event.key === "j" || event.key === "k") {
      go(event.key === "j" ? 1 : -1);
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && event.target.matches?.("#list .row")) {
      event.preventDefault(); // anywhere else they scroll
      go(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "/") {
      event.preventDefault();
      search.focus();
      search.select();
    }
  });
  window.addEventListener("hashchange", follow);
  new IntersectionObserver((seen) => seen.some((each) => each.isIntersecting) && extend(), { rootMargin: "600px" }).observe(more);

  function colours() {
    const NAMES = { "": "Auto", light: "Light", dark: "Dark" };
    const button = byId("theme");
    button.addEventListener("click", () => {
      const order = Object.keys(NAMES);
      const next = order[(order.indexOf(document.documentElement.dataset.theme ?? "") + 1) % order.length];
      if (next) document.documentElement.dataset.theme = next;
      else delete document.documentElement.dataset.theme;
      button.textContent = NAMES[next];
      button.setAttribute("aria-label", `Colours: ${next || "as the system"}`);
    });
  }

  colours();
  byId("filters").hidden = false;
  filter();
  follow();
})();
