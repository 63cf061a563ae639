"""The page, read by a parser: what it holds, and that no text becomes markup."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import sample
from hypothesis import given
from hypothesis import strategies as st

from ownlint.facts.errors import NotInstalledError
from ownlint.facts.records import Span
from ownlint.finding import Edit, Finding, Fix, Severity, Step
from ownlint.report import html
from ownlint.report.model import Incomplete, Notice, Report, RuleInfo, Sources, locate
from ownlint.sources.origin import Checkout

VOID = {"meta", "input", "path", "circle", "rect", "br", "hr"}
ELEMENTS = frozenset(
    re.findall(
        r"\w+",
        "html head meta title style body script noscript header main footer section form fieldset legend label input "
        "select option output button details summary a b p h1 h2 h3 h4 h5 h6 ul ol li div span code kbd pre em strong "
        "blockquote hr br time table thead tbody tr th td svg path circle rect",
    )
)


class Page(HTMLParser):
    """The elements with their attributes, and the text of those that hold text alone."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.said = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self._open):
            self.texts[tag][-1] += data
        if not {"script", "style"}.intersection(self._open):
            self.said += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def data(self) -> Any:
        return json.loads(self.texts["script"][0])


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    return sample.write(tmp_path)


def page(sources: Sources, *findings: Finding) -> Page:
    report = sample.report(sources, *findings) if findings else sample.all_of_them(sources)
    return Page(html.render(report, sample.RULES, sources, "0.1.0", sample.ORIGIN))


def test_the_page_is_one_file_that_asks_for_nothing(sources: Sources) -> None:
    read = page(sources)
    assert {tag for tag, _ in read.elements} <= ELEMENTS
    for _, attributes in read.elements:
        assert not {"src", "srcset", "action", "style", "background", "data", "poster"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
    assert {(link["href"] or "")[:1] for link in read.named("a")} <= {"#"}
    assert not re.search(r"url\(|@import|@font-face", "".join(read.texts["style"]))


def test_the_policy_allows_this_very_script_and_style_alone(sources: Sources) -> None:
    read = page(sources)
    policy = next(meta["content"] for meta in read.named("meta") if meta.get("http-equiv"))
    assert policy is not None
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == _digest(read.texts["script"][1])
    assert rules["style-src"] == _digest(read.texts["style"][0])
    assert rules["require-trusted-types-for"] == "'script'"


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def test_the_head_says_what_it_is_a_report_of(sources: Sources) -> None:
    read = page(sources)
    said = re.sub(r"\s+", " ", read.said)
    assert "tree commit 0123456789ab with uncommitted changes 2026-01-31 Found 7 problems" in said
    bare = Page(html.render(Report(files=3), (), sources, "0.1.0", Checkout("h5py")))
    assert "h5py No problems found in 3 files" in re.sub(r"\s+", " ", bare.said)
    assert "commit" not in bare.said


def test_errors_come_first(tmp_path: Path) -> None:
    """In the findings, where no script runs, and among the rules, whatever their places and counts."""
    (tmp_path / "a.cc").write_text("int a;\n" * 9)
    severities: tuple[Severity, ...] = ("note", "warning", "warning", "error", "note", "error")
    found = [
        Finding("a.cc", Span(7 * at, 7 * at + 3), f"m{at}", rule=f"is-{severity}", severity=severity)
        for at, severity in enumerate(severities)
    ]
    read = page(Sources(tmp_path), *found)
    assert [finding["message"] for finding in read.data["findings"]] == ["m3", "m5", "m1", "m2", "m0", "m4"]
    assert re.findall(r"m\d", read.texts["noscript"][0]) == ["m3", "m5", "m1", "m2", "m0", "m4"]
    rules = [button["data-rule"] for button in read.named("button") if button.get("class") == "by-rule"]
    assert rules == ["is-error", "is-warning", "is-note"]


def test_the_summary_counts(sources: Sources) -> None:
    read = page(sources)
    assert "Found 7 problems (2 errors, 4 warnings, 1 note) in 12 files; 1 suppressed; 1 not read" in read.said
    assert [option["value"] for option in read.named("option")][1:] == sorted(
        finding.rule for finding in sample.all_of_them(sources).findings
    )
    assert "src/bad [x].cc" in read.said
    assert "the parser crashed (SIGSEGV)" in read.said


def test_a_finding_has_its_steps_and_its_lines(sources: Sources) -> None:
    data = page(sources, sample.border()).data
    (finding,) = data["findings"]
    assert [data["files"][stop["at"][0]]["path"] for stop in finding["stops"]] == ["src/a.cc"] + ["py/b.py"] * 3
    assert [stop["main"] for stop in finding["stops"]] == [False, False, False, True]
    last = finding["stops"][-1]
    assert last["at"][1:] == [7, 12]
    assert last["rows"] == [5, 6, 7]
    assert last["marks"] == [[7, 11, 17]]
    assert data["files"][1]["lines"]["7"] == "    return ops[0]"
    assert data["files"][1]["python"] is True


def test_marks_are_counted_as_a_browser_counts(tmp_path: Path) -> None:
    text = 'x = "\U0001d538\t\x1b"; bad();\n'
    (tmp_path / "a.cc").write_text(text)
    found = Finding("a.cc", sample.span(text, "bad()"), "bad", rule="r")
    data = page(Sources(tmp_path), found).data
    shown = data["files"][0]["lines"]["1"]
    ((line, first, last),) = data["findings"][0]["stops"][0]["marks"]
    wide = shown.encode("utf-16-le")
    assert (line, wide[2 * first : 2 * last].decode("utf-16-le")) == (1, "bad()")
    assert "\\u{1b}" in shown


def test_of_a_long_line_the_marked_part_is_shown(sources: Sources) -> None:
    data = page(sources, sample.long()).data
    stop = data["findings"][0]["stops"][0]
    ((number, text),) = stop["rows"]
    ((_, first, last),) = stop["marks"]
    assert number == 1
    assert len(text) < 500
    assert text[first:last] == "bar(\\u{1b}[31m5)"
    assert text.startswith("…")
    assert text.endswith("foo(99), ;")


def test_a_large_place_is_shown_by_its_ends(sources: Sources) -> None:
    stop = page(sources, sample.whole()).data["findings"][0]["stops"][0]
    assert stop["rows"] == [1, 2, 3, 0, 19, 20]


def test_a_file_that_is_gone_has_no_lines(sources: Sources) -> None:
    finding = page(sources, sample.gone()).data["findings"][0]
    assert [stop["rows"] for stop in finding["stops"]] == [[], []]


def test_a_fix_is_a_diff(sources: Sources, tmp_path: Path) -> None:
    (tmp_path / "w.py").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    edit = Edit("w.py", Span(5, 8), "2\nand a half")
    found = Finding("w.py", Span(5, 8), "two", fix=Fix("say `2`", (edit,), safe=True), rule="r")
    fix = page(Sources(tmp_path), found).data["findings"][0]["fix"]
    assert fix["says"] == "say `2`"
    assert fix["safe"] is True
    assert fix["changes"] == [
        {"file": 0, "line": 1, "rows": [[" ", "one"], ["-", "two"], ["+", "2"], ["+", "and a half"], [" ", "three"]]}
    ]


@pytest.mark.parametrize("at", [(3, 1), (0, 10_000), (5_000, 5_001)])
def test_a_fix_that_fits_its_file_no_more_is_not_drawn(tmp_path: Path, at: tuple[int, int]) -> None:
    (tmp_path / "w.py").write_text("short\n")
    found = Finding("w.py", Span(0, 1), "m", fix=Fix("f", (Edit("w.py", Span(*at), "x"),)), rule="r")
    assert page(Sources(tmp_path), found).data["findings"][0]["fix"]["changes"] == []


def test_the_manual_pages_of_what_was_heard_are_on_the_page(sources: Sources) -> None:
    read = page(sources, sample.flag())
    ids = [attributes.get("id") for attributes in read.named("details")]
    assert "rule-flag-set-before-success" in ids
    assert "rule-unheard" not in ids
    assert "More about it." in read.said


def test_a_manual_page_brings_no_markup_and_no_picture(sources: Sources) -> None:
    text = (
        "Headline.\n\n<script>alert(1)</script> ![x](http://evil/x.png) [y](javascript:alert(1)) \x1b[31m\n\n"
        "<img src=x onerror=alert(1)>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    rules = (RuleInfo("labels", "error", "Headline.", text),)
    out = html.render(sample.report(sources, sample.labels()), rules, sources, "0.1.0", sample.ORIGIN)
    read = Page(out)
    assert len(read.named("script")) == 2
    assert not read.named("img")
    # What was to be a picture is a link, which nobody follows unasked.
    assert {(link["href"] or "").partition(":")[0].partition("-")[0] for link in read.named("a")} <= {
        "#findings",
        "http",
    }
    assert len(read.named("td")) == 2
    assert "\x1b" not in out


def test_nothing_found_is_a_page_too(tmp_path: Path) -> None:
    read = Page(html.render(Report(files=3), (), Sources(tmp_path), "0.1.0", sample.ORIGIN))
    assert "No problems found in 3 files" in read.said
    assert "Nothing to report." in read.said


def test_where_no_script_runs_the_findings_are_listed(sources: Sources) -> None:
    read = page(sources)
    listed = read.texts["noscript"][0]
    for finding in sample.all_of_them(sources).findings:
        assert f"{finding.path}:{finding.region.line}" in listed


def test_the_same_report_is_the_same_bytes(tmp_path: Path) -> None:
    sample.write(tmp_path)
    script = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]); import sample;"
        "from ownlint.report import html; from ownlint.report.model import Sources;"
        "sources = Sources(Path(sys.argv[2]));"
        "sys.stdout.write(html.render(sample.all_of_them(sources), sample.RULES, sources, '0.1.0', sample.ORIGIN))"
    )
    command = [sys.executable, "-c", script, str(Path(__file__).parent), str(tmp_path)]
    written = {
        subprocess.run(command, capture_output=True, check=True, env={"PYTHONHASHSEED": seed}).stdout
        for seed in ("0", "1", "2")
    }
    assert len(written) == 1


# --- without what draws it --------------------------------------------------------------------


def test_without_its_libraries_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(html, "_NEEDED", ("jinja2", "no_such_module"))
    with pytest.raises(NotInstalledError, match=r"pip install 'ownlint\[html\]'`"):
        html.render(Report(), (), Sources(tmp_path), "0.1.0", sample.ORIGIN)


@pytest.mark.parametrize("how", [("--output", "html={}"), ("--output-format", "html", "-o", "{}")])
def test_the_command_says_so_before_the_work(tmp_path: Path, how: tuple[str, ...]) -> None:
    script = (
        "import importlib.util as u; real = u.find_spec;"
        "u.find_spec = lambda name, *rest: None if name == 'jinja2' else real(name, *rest);"
        "from ownlint.cli.main import main; main()"
    )
    options = [part.format(tmp_path / "report.html") for part in how]
    ran = subprocess.run(
        [sys.executable, "-c", script, "check", str(tmp_path), *options], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert "the HTML report needs a template engine: `pip install 'ownlint[html]'`\n" in ran.stderr
    assert not (tmp_path / "report.html").exists()
    assert "template engine" in ran.stderr.partition("\n")[0]  # before anything else


def run(place: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ownlint", "check", ".", "--no-cache", "--output-format", "html"]
    settings = {**os.environ, **environment}
    return subprocess.run(command, cwd=place, env=settings, capture_output=True, text=True, check=False)


def test_the_date_is_given_and_never_the_clock(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    assert "<time" not in run(tmp_path, SOURCE_DATE_EPOCH="").stdout
    assert '<time datetime="2009-02-13">2009-02-13</time>' in run(tmp_path, SOURCE_DATE_EPOCH="1234567890").stdout
    refused = run(tmp_path, SOURCE_DATE_EPOCH="today")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "error: SOURCE_DATE_EPOCH: today is not a number of seconds since 1970\n"


# --- hostile text -----------------------------------------------------------------------------

NASTY = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>",
    "<img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' onfocus='alert(1)",
    "&lt;b&gt;&#60;",
    "</noscript></style></template>",
    "{{ 7 * 7 }}{% raw %}",
    "\u202e\u2066\x1b[31m\x00\r\u2028\ufeff",
    "`<b>`",
)
nasty = st.lists(
    st.sampled_from(NASTY) | st.text(st.characters(codec="utf-8"), max_size=5), min_size=1, max_size=4
).map("".join)


def hostile(root: Path, text: str, told: str) -> tuple[Report, tuple[RuleInfo, ...], Sources]:
    """`text` in a source, a change of it and the rest `told` by it."""
    (root / "a.py").write_bytes(text.encode())
    size = len(text.encode())
    fix = Fix(told, (Edit("a.py", Span(0, 0), text),))
    steps = (Step("a.py", Span(0, size), told), Step(f"{told}.cc", Span(0, 1), told))
    found = Finding("a.py", Span(0, size), told, "likely", told, steps, told, fix, "labels", "error")
    sources = Sources(root)
    report = Report(
        findings=tuple(locate([found], sources)),
        incomplete=(Incomplete(told, told), Incomplete(told, told, "rule")),
        files=1,
        notices=(Notice(told, told),),
    )
    return report, (RuleInfo("labels", "error", told, f"{told}\n\n{told}\n"),), sources


@given(text=nasty, told=nasty.filter(lambda told: "\0" not in told))
def test_no_text_becomes_markup(tmp_path_factory: pytest.TempPathFactory, text: str, told: str) -> None:
    out = html.render(*hostile(tmp_path_factory.getbasetemp(), text, told), "0.1.0", Checkout(told))
    read = Page(out)
    assert {tag for tag, _ in read.elements} <= ELEMENTS
    assert not [name for _, attributes in read.elements for name in attributes if name.startswith("on")]
    assert len(read.named("script")) == 2
    assert len(read.named("style")) == 1
    assert read.texts["script"][1] == html._asset("report.js")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]", out)
    assert not set("<>&") & set(read.texts["script"][0])
    assert read.data["findings"][0]["severity"] == 0


# --- colours ----------------------------------------------------------------------------------


def _colours() -> dict[str, tuple[str, str]]:
    style = html._asset("report.css")
    return {name: (light, dark) for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", style)}


def _light(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "card", "sunk"])
def test_text_can_be_read_on_every_ground(ground: str, mode: int) -> None:
    """WCAG's 4.5 to 1."""
    colours = _colours()
    below = _light(colours[ground][mode])
    for ink in ("ink", "soft", "link", "lent", "error", "warning", "note", "keyword", "string", "number", "comment"):
        above = _light(colours[ink][mode])
        ratio = (max(above, below) + 0.05) / (min(above, below) + 0.05)
        assert ratio >= 4.5, (ink, ratio)
