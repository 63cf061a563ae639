"""The page as a reader has it: in a headless Chromium, with its script run, real keys, and every request noted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import browser
import pytest
import sample

from ownlint.facts.records import Span
from ownlint.finding import CERTAINTIES, Finding, Step
from ownlint.report import html
from ownlint.report.model import Notice, Report, RuleInfo, Sources, locate

PROGRAM = browser.found()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason=f"there is no browser: none of {', '.join(browser.NAMES)}"),
]

COUNT = "document.getElementById('count').value"
FOCUSED = "document.activeElement.closest('li')?.querySelector('.said').textContent ?? document.activeElement.id"
OPENED = "document.querySelectorAll('.detail:not([hidden])').length"
LISTED = "[...document.querySelectorAll('#list > li .said')].map((each) => each.textContent)"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    assert PROGRAM is not None
    opened = browser.Browser(PROGRAM, tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


class Reader:
    """Of one page."""

    def __init__(self, chromium: browser.Browser, file: Path) -> None:
        self.browser = chromium
        self.address = file.as_uri()
        chromium.requests.clear()
        chromium.faults.clear()
        chromium.open(self.address)

    def sees(self, script: str) -> Any:
        return self.browser.run(script)

    def presses(self, *keys: str) -> None:
        self.browser.press(*keys)

    def clicks(self, selector: str) -> None:
        self.sees(f"document.querySelector({json.dumps(selector)}).click()")


def written(place: Path, report: Report, sources: Sources, rules: tuple[RuleInfo, ...] = sample.RULES) -> Path:
    file = place / "report.html"
    file.write_text(html.render(report, rules, sources, "0.1.0", sample.ORIGIN), encoding="utf-8")
    return file


@pytest.fixture
def reader(chromium: browser.Browser, tmp_path: Path) -> Iterator[Reader]:
    """Nothing that a reader does makes the page fail or ask for anything."""
    sources = sample.write(tmp_path)
    reader = Reader(chromium, written(tmp_path, sample.all_of_them(sources), sources))
    yield reader
    assert set(chromium.requests) == {reader.address}
    assert chromium.faults == []


def test_all_findings_are_listed_and_none_is_open(reader: Reader) -> None:
    assert reader.sees(COUNT) == "7 of 7"
    assert "a block" in reader.sees(LISTED)
    assert reader.sees(OPENED) == 0


# --- filters ----------------------------------------------------------------------------------


def test_a_search_finds_words_of_messages_steps_paths_and_symbols(reader: Reader) -> None:
    def found(*keys: str) -> list[str]:
        reader.presses("Escape", "/")
        assert reader.sees("document.activeElement.id") == "search"
        reader.presses(*keys)
        return list(reader.sees(LISTED))

    assert found(*"FILE") == ["the whole file", "a file that is gone"]
    assert found(*"py/b.py freed") == ["ops[0] is used after its owner block was freed"]
    assert found(*"borrowed ref") == ["ops[0] is used after its owner block was freed"]
    assert found(*"tracker::start") == ["init_done_ is set before Record has succeeded"]
    assert found(*"zzzz") == []
    assert reader.sees("document.getElementById('list').textContent") == "No finding fits."
    assert reader.sees(COUNT) == "0 of 7"


def test_severity_certainty_and_rule_filter_together(reader: Reader) -> None:
    reader.clicks("input[value=warning]")
    assert reader.sees(COUNT) == "3 of 7"
    reader.clicks("input[value=certain]")
    assert reader.sees(LISTED) == ["init_done_ is set before Record has succeeded", "a block"]
    reader.clicks(".by-rule[data-rule=block]")
    assert reader.sees(LISTED) == ["a block"]
    assert reader.sees("document.querySelector('.by-rule[data-rule=block]').ariaPressed") == "true"
    assert reader.sees("document.getElementById('rule').value") == "block"
    reader.clicks(".by-rule[data-rule=block]")
    assert reader.sees(COUNT) == "2 of 7"


# --- keys -------------------------------------------------------------------------------------


def test_j_and_k_walk_and_enter_opens(reader: Reader) -> None:
    listed = reader.sees(LISTED)
    reader.presses("j")
    assert reader.sees(FOCUSED) == listed[0]
    reader.presses("j", "j", "k")
    assert reader.sees(FOCUSED) == listed[1]
    reader.presses("Enter")
    assert reader.sees(OPENED) == 1
    assert reader.sees("document.activeElement.ariaExpanded") == "true"
    assert reader.sees("document.getElementById(document.activeElement.getAttribute('aria-controls')).role") == "region"
    reader.presses("Enter")
    assert reader.sees(OPENED) == 0
    reader.presses("k", "k", "k")
    assert reader.sees(FOCUSED) == listed[0]
    reader.presses(*"jjjjjjjjjj")
    assert reader.sees(FOCUSED) == listed[-1]


def test_arrows_walk_from_finding_to_finding(reader: Reader) -> None:
    listed = reader.sees(LISTED)
    reader.presses("j", "ArrowDown", "ArrowDown", "ArrowUp")
    assert reader.sees(FOCUSED) == listed[1]
    reader.presses("/", "ArrowDown")
    assert reader.sees("document.activeElement.id") == "search"


def test_paper_is_white_and_has_no_scroll_bars(reader: Reader) -> None:
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    reader.presses("j", "Enter")
    reader.browser.ask("Emulation.setEmulatedMedia", media="print", features=dark)
    try:
        assert reader.sees("getComputedStyle(document.body).color") == "rgb(36, 38, 43)"
        cut = (
            "[...document.querySelectorAll('.code pre, .rules')].filter((each) => each.scrollWidth > each.clientWidth)"
        )
        assert reader.sees(f"{cut}.length") == 0
    finally:
        reader.browser.ask("Emulation.setEmulatedMedia", media="", features=[])


def test_escape_leaves_the_search_and_closes_a_finding(reader: Reader) -> None:
    reader.presses("/", *"jkl", "Escape")
    assert reader.sees("document.getElementById('search').value") == "jkl"
    reader.presses("/")
    reader.sees("document.getElementById('search').select()")
    reader.presses(*"block", "Enter")
    assert reader.sees(FOCUSED) == reader.sees(LISTED)[0]
    reader.presses("Enter")
    assert reader.sees(OPENED) == 1
    reader.presses("Escape")
    assert reader.sees(OPENED) == 0
    assert reader.sees(FOCUSED) == reader.sees(LISTED)[0]


def test_the_focus_is_seen_wherever_the_tab_key_leads(reader: Reader) -> None:
    reader.presses("j", "Enter")
    reader.sees("document.activeElement.blur()")
    seen = []
    for _ in range(40):
        reader.presses("Tab")
        seen.append(
            reader.sees(
                "(() => { const e = document.activeElement; const s = getComputedStyle(e.matches('label input') ?"
                " e.nextElementSibling : e); return [e.tagName, s.outlineStyle, parseFloat(s.outlineWidth)]; })()"
            )
        )
    reached = {tag for tag, _, _ in seen}
    assert {"A", "BUTTON", "INPUT", "SELECT", "SUMMARY"} <= reached
    assert [
        each for each in seen if each[0] not in ("BODY", "HTML") and not (each[1] == "solid" and each[2] >= 2)
    ] == []


# --- one finding ------------------------------------------------------------------------------


def test_a_borrow_across_the_border_has_both_languages_side_by_side(reader: Reader) -> None:
    reader.presses("/", *"borrowed ref", "Enter", "Enter")
    sides = reader.sees(
        "[...document.querySelectorAll('.walk.border > .stop')].map((e) => {"
        " const box = e.getBoundingClientRect(); return [e.classList.contains('py'), box.left, box.top]; })"
    )
    assert [python for python, _, _ in sides] == [False, True, True, True]
    assert sides[0][1] < sides[1][1]
    assert sides[0][2] == sides[1][2]
    assert sides[1][2] < sides[2][2] < sides[3][2]
    stays = "getComputedStyle(document.querySelector('.walk .cpp.stop')).gridRowEnd"
    assert reader.sees(stays) == "span 3"
    marks = reader.sees("[...document.querySelectorAll('.walk mark')].map((e) => e.textContent)")
    assert marks == ["cache_[k]", "block.operations", "del block", "ops[0]"]


def test_the_picture_says_who_owns_borrows_ends_and_uses(reader: Reader) -> None:
    reader.presses("/", *"borrowed ref", "Enter", "Enter")
    words = reader.sees("[...document.querySelectorAll('.story text')].map((e) => e.textContent)")
    assert {
        "owner",
        "block",
        "borrowed",
        "ops[0]",
        "lends",
        "borrows",
        "ends",
        "used too late",
        "C++:12",
        "Python:7",
    } <= set(words)
    assert reader.sees("document.querySelector('.story svg').getAttribute('aria-label')") == (
        "The story in 4 steps: 1. ops[0] lends; 2. ops[0] borrows; 3. block ends; 4. ops[0] uses"
    )
    inside = (
        "[...document.querySelectorAll('.story svg *')].every((e) => { const a = e.getBoundingClientRect(),"
        " b = e.ownerSVGElement.getBoundingClientRect(); return a.left >= b.left - 1 && a.right <= b.right + 1"
        " && a.top >= b.top - 1 && a.bottom <= b.bottom + 1; })"
    )
    assert reader.sees(inside)


def test_help_fix_and_manual_page_are_shown(reader: Reader) -> None:
    reader.presses("/", *"init_done_", "Enter", "Enter")
    said = reader.sees("document.querySelector('.detail').innerText")
    assert "set init_done_ after Record returns ok" in said
    assert "set it later" in said
    assert "likely: this happens only if Record fails" in said
    gone = reader.sees("document.querySelector('.diff .minus').textContent")
    assert gone == "-  init_done_ = true;  // 漢字 wide"
    reader.clicks(".inline-page > summary")
    reader.sees("new Promise((done) => setTimeout(done, 50))")
    assert "More about it." in reader.sees("document.querySelector('.inline-page .page').textContent")
    reader.clicks(".links a[href^='#rule-']")
    reader.sees("new Promise((done) => setTimeout(done, 50))")
    assert reader.sees("document.getElementById('rule-flag-set-before-success').open") is True


def test_a_link_leads_to_its_finding(reader: Reader) -> None:
    reader.presses("j", "j", "Enter")
    address = reader.sees("document.querySelector('.links a').href")
    said = reader.sees(FOCUSED)
    reader.browser.open("about:blank")
    reader.browser.requests.clear()
    reader.browser.open(address)
    assert reader.sees(FOCUSED) == said
    assert reader.sees(OPENED) == 1


@pytest.mark.parametrize(("mode", "dark"), [("light", False), ("dark", True)])
def test_it_is_light_or_dark_as_the_system_is_and_as_the_reader_says(reader: Reader, mode: str, dark: bool) -> None:
    def is_dark() -> bool:
        colour = reader.sees("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(","))) < 200

    reader.browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": mode}])
    assert is_dark() == dark
    reader.clicks("#theme")
    assert not is_dark()
    reader.clicks("#theme")
    assert is_dark()
    reader.clicks("#theme")
    assert is_dark() == dark
    reader.browser.ask("Emulation.setEmulatedMedia", features=[])


@pytest.mark.parametrize("width", [360, 800, 1600])
def test_the_page_is_never_wider_than_its_window(reader: Reader, width: int) -> None:
    with sized(reader, width):
        reader.sees("document.querySelectorAll('.row').forEach((row) => row.click())")
        reader.sees("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        assert reader.sees("document.documentElement.scrollWidth") <= width


@contextmanager
def sized(reader: Reader, width: int) -> Iterator[None]:
    screen = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    reader.browser.ask("Emulation.setDeviceMetricsOverride", **screen)
    try:
        yield
    finally:
        reader.browser.ask("Emulation.clearDeviceMetricsOverride")


# --- the pictures -----------------------------------------------------------------------------

LONG = "stream_executor::gpu::GpuCommandBuffer::execution_scopes_[scope_id].barriers.back().handle"
SHOWN = """(() => {
  const box = (each) => {
    const { left, right, top, bottom } = each.getBoundingClientRect();
    return [left, right, top, bottom];
  };
  return [...document.querySelectorAll('.story')].map((story) => ({
    frame: box(story), texts: [...story.querySelectorAll('text')].map((text) => [text.textContent, ...box(text)]),
    scrolls: story.scrollWidth > story.clientWidth,
  }));
})()"""


def stories(root: Path) -> tuple[Report, Sources]:
    """Of one to twelve steps, with short names and long ones, with ends between the steps and at them."""
    (root / "a.cc").write_text("int somewhere;\n" * 40)
    (root / "b.py").write_text("somewhere = 1\n" * 40)
    findings = []
    for name in ("a", LONG):
        for turns in (0, 1, 3, 8):
            said = [f"`{name}` is made here, and no variable holds it", f"`b` is taken from `{name}`"]
            said += [f"and here {LONG} can fail, which `{name}` does not survive"] * turns
            steps = [Step(("a.cc", "b.py")[at % 2], Span(15 * at, 15 * at + 3), each) for at, each in enumerate(said)]
            for end in (f"`b` is used after its owner `{name}` was freed", f"`b` dies with its owner `{name}`"):
                at = Span(15 * 20 + turns, 15 * 20 + 5)
                findings.append(Finding("a.cc", at, end, steps=tuple(steps), symbol=LONG, rule="labels"))
    sources = Sources(root)
    return Report(findings=tuple(locate(findings, sources)), files=2), sources


@pytest.mark.parametrize("width", [360, 700, 900, 1400])
def test_labels_are_whole_and_touch_nothing(chromium: browser.Browser, tmp_path: Path, width: int) -> None:
    reader = Reader(chromium, written(tmp_path, *stories(tmp_path)))
    with sized(reader, width):
        reader.sees("document.querySelectorAll('.row').forEach((row) => row.click())")
        reader.sees(
            "document.querySelectorAll('#list > li').forEach((each) => (each.style.contentVisibility = 'visible'))"
        )
        drawn = reader.sees(SHOWN)
        assert len(drawn) == 16
        for story in drawn:
            assert not story["scrolls"]
            left, right, top, bottom = story["frame"]
            said = "".join(text for text, *_ in story["texts"])
            assert "\u2026" not in said
            assert LONG in said or "b" in said
            for at, (text, *box) in enumerate(story["texts"]):
                assert left - 1 <= box[0] < box[1] <= right + 1, text
                assert top - 1 <= box[2] < box[3] <= bottom + 1, text
                for other, *near in story["texts"][at + 1 :]:
                    apart = (
                        box[1] + 2 <= near[0] or near[1] + 2 <= box[0] or box[3] <= near[2] + 3 or near[3] <= box[2] + 3
                    )
                    assert apart, (text, other)


def test_a_picture_follows_the_width_of_the_window(reader: Reader) -> None:
    reader.presses("/", *"borrowed ref", "Enter", "Enter")
    size = "['width', 'height'].map((side) => document.querySelector('.story svg').viewBox.baseVal[side])"
    wide, low = reader.sees(size)
    with sized(reader, 360):
        reader.sees("new Promise((done) => setTimeout(done, 200))")
        narrow, high = reader.sees(size)
    assert narrow < 360 < wide
    assert low < high


def test_a_finding_without_an_owner_has_no_picture(reader: Reader) -> None:
    reader.presses("/", *"init_done_", "Enter", "Enter")
    assert reader.sees("document.querySelectorAll('.walk .stop').length") == 3
    assert reader.sees("document.querySelector('.story')") is None


# --- hostile text, and much of it -------------------------------------------------------------


def test_hostile_text_is_text(chromium: browser.Browser, tmp_path: Path) -> None:
    bad = (
        "</script><img src=http://evil.invalid/x onerror=document.title='owned'><script>document.title='owned'</script>"
    )
    told = f"`{bad}` \u202e\u2066\x1b[31m {bad} is used after its owner `{bad}` was freed"
    (tmp_path / "a.py").write_text(f"{bad}\n# \u202e {bad}\n" * 3)
    steps = (Step("a.py", Span(0, 9), told), Step(f"{bad}.cc".replace("/", "|"), Span(0, 1), told))
    found = Finding("a.py", Span(120, 140), told, "certain", told, steps, bad, rule="labels", severity="error")
    report = Report(findings=tuple(locate([found], Sources(tmp_path))), files=1, notices=(Notice(told, told),))
    rules = (RuleInfo("labels", "error", bad, f"{bad}\n\n{bad}\n\n![x](http://evil.invalid/y)\n"),)
    reader = Reader(chromium, written(tmp_path, report, Sources(tmp_path), rules))
    reader.presses("j", "Enter")
    reader.sees("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    reader.sees("new Promise((done) => setTimeout(done, 100))")
    assert reader.sees("document.querySelectorAll('img, script').length") == 2
    assert reader.sees("document.title") == "ownlint, tree: Found 1 problem (1 error) in 1 file"
    assert bad in reader.sees("document.querySelector('.walk').textContent")
    assert chromium.requests == [reader.address]
    assert chromium.faults == []


def test_the_policy_refuses_what_is_put_into_the_page(chromium: browser.Browser, tmp_path: Path) -> None:
    """The last line of defence, should the others fall."""
    sources = sample.write(tmp_path)
    file = written(tmp_path, sample.report(sources, sample.flag()), sources)
    broken = "<script>document.title='owned'</script><img src='http://evil.invalid/x'></footer>"
    file.write_text(file.read_text(encoding="utf-8").replace("</footer>", broken), encoding="utf-8")
    reader = Reader(chromium, file)
    assert reader.sees("document.title") != "owned"
    assert reader.sees(COUNT) == "1 of 1"
    with pytest.raises(AssertionError, match="TrustedHTML"):
        reader.sees("document.body.innerHTML = '<b>x</b>'")
    assert len(chromium.faults) >= 2


def many(root: Path, count: int) -> tuple[Report, Sources]:
    """Findings of five steps each, in files of fifty."""
    one = "def go():\n    owner = make()\n    part = owner.part()\n    del owner\n    return part.size  # {}\n\n"
    (root / "b.cc").write_text('  .def("part", &Owner::part, py::return_value_policy::reference)\n' * 50)
    findings = []
    for file in range(count // 50):
        path, text = f"m{file:03}.py", "".join(one.format(number) for number in range(50))
        (root / path).write_text(text)
        at = 0
        for number in range(50):
            at = text.index("def go", at) + 1
            ends = {part: text.index(part, at) for part in ("make()", "owner.part()", "del owner", "part.size")}
            spans = {part: Span(start, start + len(part)) for part, start in ends.items()}
            steps = (
                Step(path, spans["make()"], "`owner` is made here"),
                Step("b.cc", Span(2, 60), "`Owner.part` is bound here and does not keep its owner alive"),
                Step(path, spans["owner.part()"], "`part` is borrowed from it here without keeping it alive"),
                Step(path, spans["del owner"], "`owner` is deleted here"),
            )
            message, sure = f"`part` is used after its owner `owner` was freed in {number}", CERTAINTIES[number % 3]
            found = Finding(path, spans["part.size"], message, sure, "keep it", steps, f"m{file}.go", rule="labels")
            findings.append(found)
    sources = Sources(root)
    return Report(findings=tuple(locate(findings, sources)), files=count // 50), sources


def test_five_thousand_findings_are_read_like_seven(chromium: browser.Browser, tmp_path: Path) -> None:
    """Bounds are several times what was measured, for slow machines."""
    file = written(tmp_path, *many(tmp_path, 5000))
    assert file.stat().st_size < 12 << 20
    reader = Reader(chromium, file)
    assert reader.sees("performance.getEntriesByType('navigation')[0].duration") < 8000
    assert reader.sees(COUNT) == "5000 of 5000"
    assert reader.sees("document.querySelectorAll('*').length") < 10_000
    took = reader.sees(
        "['m07', 'm07 freed', '', 'zzz', 'deleted here'].map((word) => { const at = performance.now(); const search ="
        " document.getElementById('search'); search.value = word; search.dispatchEvent(new Event('input',"
        f" {{ bubbles: true }})); document.body.offsetHeight; return [{COUNT}, performance.now() - at]; }})"
    )
    assert [count for count, _ in took] == [f"{n} of 5000" for n in (500, 500, 5000, 0, 5000)]
    assert max(time for _, time in took) < 1500
    reader.sees("document.getElementById('search').blur()")
    reader.presses(*"j" * 150)
    assert reader.sees(FOCUSED) == reader.sees(LISTED)[149]
    reader.presses("Enter")
    assert reader.sees(OPENED) == 1
    assert chromium.faults == []
