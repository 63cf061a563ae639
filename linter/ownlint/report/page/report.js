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

  const KINDS = { owner: "owner", borrower: "borrowed", way: "on the way" };
  const LABEL = { owns: "owns", lends: "lends", borrows: "borrows", ends: "ends", uses: "uses", guards: "guards", turn: "" };

  /** The end of a long path of names says more than its beginning. */
  function short(text, most, tail = false) {
    const chars = [...text];
    if (chars.length <= most) return text;
    return tail ? `\u2026${chars.slice(1 - most).join("")}` : `${chars.slice(0, most - 1).join("")}\u2026`;
  }

  /** At most two lines below a sign. */
  function wrapped(text, most) {
    const lines = [""];
    for (const word of text.replaceAll("`", "").split(" ")) {
      const longer = `${lines.at(-1)} ${word}`.trimStart();
      if (longer.length <= most || !lines.at(-1)) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    const [first, ...rest] = lines;
    return [short(first, most), ...(rest.length ? [short(rest.join(" "), most)] : [])];
  }

  function picture(finding) {
    const { stops, lanes, end } = finding;
    const left = 210;
    const step = Math.max(96, Math.min(160, 640 / stops.length));
    const tail = end !== null && end > stops.length - 1 ? step * 0.5 : 0;
    const width = Math.max(left + stops.length * step + tail + 20, 560);
    const top = 48;
    const tall = 64;
    const height = top + lanes.length * tall + (lanes.at(-1)[0] === "way" ? 8 : 0);
    const x = (at) => left + (at + 0.5) * step;
    const y = (lane) => top + lane * tall + 18;
    const right = width - 16;
    const svg = draw("svg", { viewBox: `0 0 ${Math.round(width)} ${height}`, role: "img", width: Math.round(width), height, "aria-label": narrated(finding) });
    const put = (tag, attributes, ...children) => svg.append(draw(tag, attributes, ...children));

    const owner = lanes.findIndex(([kind]) => kind === "owner");
    const borrower = lanes.findIndex(([kind]) => kind === "borrower");
    const over = owner >= 0 ? end : null;
    if (over !== null) put("rect", { class: "gone", x: x(over), y: 34, width: right - x(over) + 8, height: height - 38, rx: 6 });

    stops.forEach((stop, at) => {
      put("line", { class: "guide", x1: x(at), x2: x(at), y1: 34, y2: y(stop.lane) - 10 });
      put("text", { class: "num", x: x(at), y: 14 }, String(at + 1));
      const side = data.files[stop.at[0]].python ? "Python" : "C++";
      put("text", { class: "what mid", x: x(at), y: 29 }, `${side}:${stop.at[1]}`);
    });

    lanes.forEach(([kind, name], lane) => {
      put("text", { class: "who", x: 8, y: y(lane) - 5 }, KINDS[kind]);
      put("text", { class: "name", x: 8, y: y(lane) + 12 }, short(name, 25, kind === "way"));
      const own = stops.map((stop, at) => [stop, at]).filter(([stop]) => stop.lane === lane);
      const first = own.length ? own[0][1] : 0;
      const line = (style, from, to) => {
        if (to > from) put("line", { class: style, x1: from, x2: to, y1: y(lane), y2: y(lane) });
      };
      if (kind === "owner") {
        const born = own.length && own[0][0].role === "owns" ? x(first) : left;
        if (born === left) line("life before", left, Math.min(over === null ? right : x(over), x(0)));
        line("life", born === left ? x(0) : born, over === null ? right : x(over));
        if (over !== null) line("after", x(over) + 8, right);
      } else if (kind === "borrower") {
        const from = x((own.find(([stop]) => stop.role !== "lends") ?? own[0] ?? [null, 0])[1]);
        const alive = over === null ? right : Math.max(from, x(over));
        line("loan", from, alive);
        if (over !== null) line("dangling", Math.max(alive, from), right);
      } else {
        line("way", left, right);
      }
    });

    stops.forEach((stop, at) => {
      if (stop.role === "borrows" && owner >= 0 && borrower >= 0) {
        const [from, to] = [y(borrower), y(owner)];
        const up = from > to ? 1 : -1;
        put("line", { class: "tie", x1: x(at), x2: x(at), y1: from - 8 * up, y2: to + 9 * up });
        put("path", { class: "tie-head", d: `M${x(at) - 4.5} ${to + 11 * up}h9l-4.5 ${-8 * up}z` });
      }
    });
    if (over !== null && stops[over]?.role !== "ends") cross(put, x(over), y(owner), "gone");
    stops.forEach((stop, at) => {
      const late = over !== null && at > over && (stop.role === "uses" || stop.role === "borrows");
      if (stop.role === "ends") {
        cross(put, x(at), y(stop.lane), stop.main ? "" : LABEL.ends);
        if (stop.main) put("text", { class: "mid alarm", x: x(at), y: y(stop.lane) + 25 }, LABEL.ends);
        return;
      }
      const bad = late || stop.main;
      put("circle", { class: `mark ${stop.role}${bad ? " bad" : ""}`, cx: x(at), cy: y(stop.lane), r: bad ? 8 : 7 });
      const word = late && stop.role === "uses" ? "used too late" : LABEL[stop.role];
      const lines = stop.role === "turn" ? wrapped(stop.says, Math.floor(step / (bad ? 7.8 : 6.8))) : [word];
      lines.forEach((line, below) =>
        put("text", { class: bad ? "mid alarm" : "mid what", x: x(at), y: y(stop.lane) + 25 + 15 * below }, line),
      );
    });
    return make("div", { class: "story" }, svg);
  }

  function cross(put, cx, cy, word) {
    put("path", { class: "cross", d: `M${cx - 6} ${cy - 6}l12 12M${cx + 6} ${cy - 6}l-12 12` });
    if (word) put("text", { class: "mid what", x: cx, y: cy + 25 }, word);
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
    if (finding.stops.length > 1) box.append(picture(finding));
    box.append(walk(finding));
    if (finding.help.length) {
      const lines = finding.help.map((line, at) => make("p", {}, ...(at ? [] : [make("b", {}, "help"), " "]), ...told(line)));
      box.append(make("div", { class: "help" }, ...lines));
    }
    if (finding.fix) {
      box.append(part(finding.fix.safe ? "Fix" : "Fix, to be looked at"), make("p", { class: "about" }, ...told(finding.fix.says)));
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
    if (open && !box) item.append((box = detail(findings[number], id)));
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
