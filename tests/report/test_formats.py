"""The outputs for CI systems, read the way their readers do; and every output with hostile text."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import sample
from hypothesis import given
from hypothesis import strategies as st

from ownlint.facts.records import Span
from ownlint.finding import Finding, Step
from ownlint.report import github, gitlab, html, junit, markdown, rdjson, sarif, text
from ownlint.report import json as json_report
from ownlint.report.model import Incomplete, Report, Sources, locate


def closed(schema: Any) -> Any:
    """The same schema, which allows no key that it does not name, and no position before the first."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(each) for key, each in schema.items() if "$ref" not in schema or key == "$ref"}
    if "$ref" in schema and "definitions" in schema:
        made["definitions"] = closed(schema["definitions"])
    if "properties" in schema:
        made["additionalProperties"] = False
    if schema.get("type") == "integer":
        made["minimum"] = 1
    return made


RDJSON = closed(json.loads(Path(__file__).with_name("rdjson-schema.json").read_text(encoding="utf-8")))
"""Reviewdog's own."""


def same(path: str) -> str:
    return path


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    return sample.write(tmp_path)


# --- GitLab -----------------------------------------------------------------------------------


def test_gitlab_has_what_its_reader_asks_for(sources: Sources) -> None:
    issues: list[dict[str, Any]] = json.loads(gitlab.render(sample.all_of_them(sources)))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    for issue in issues:
        assert {"description", "check_name", "fingerprint", "severity", "location"} <= issue.keys()
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert issue["location"]["positions"]["begin"]["line"] >= 1
    flag = next(issue for issue in issues if issue["check_name"] == "flag-set-before-success")
    assert flag["location"]["path"] == "src/a.cc"
    assert flag["location"]["positions"]["begin"] == {"line": 5, "column": 3}
    assert "2. src/a.cc:7: this can still fail" in flag["content"]["body"]
    assert json.loads(gitlab.render(Report())) == []


# --- JUnit ------------------------------------------------------------------------------------


def test_junit_is_read_by_an_xml_parser_and_counts_right(sources: Sources) -> None:
    top = ET.fromstring(junit.render(sample.all_of_them(sources)))
    assert top.tag == "testsuites"
    for suite in top.iter("testsuite"):
        cases = list(suite.iter("testcase"))
        assert int(suite.attrib["tests"]) == len(cases)
        assert int(suite.attrib["failures"]) == sum(case.find("failure") is not None for case in cases)
        assert int(suite.attrib["errors"]) == sum(case.find("error") is not None for case in cases)
    assert sum(1 for _ in top.iter("failure")) == len(sample.all_of_them(sources).findings)
    assert [error.attrib["message"] for error in top.iter("error")] == ["the parser crashed (SIGSEGV)"]


def test_a_clean_run_has_one_case_that_passed() -> None:
    top = ET.fromstring(junit.render(Report(files=3)))
    assert [case.attrib["name"] for case in top.iter("testcase")] == ["3 files"]
    assert not list(top.iter("failure"))


# --- reviewdog --------------------------------------------------------------------------------


def test_rdjson_keeps_its_schema(sources: Sources) -> None:
    document = json.loads(rdjson.render(sample.all_of_them(sources), sources))
    jsonschema.Draft4Validator(RDJSON).validate(document)
    assert len(document["diagnostics"]) == len(sample.all_of_them(sources).findings)


def test_the_schema_of_rdjson_finds_what_is_wrong(sources: Sources) -> None:
    for wrong in (
        {"severty": "ERROR"},
        {"severity": "error"},
        {"location": {"path": "a", "range": {"start": {"line": 0}}}},
    ):
        document = json.loads(rdjson.render(sample.all_of_them(sources), sources))
        document["diagnostics"][0] |= wrong
        assert list(jsonschema.Draft4Validator(RDJSON).iter_errors(document)), wrong


def test_rdjson_counts_columns_in_bytes(sources: Sources, tmp_path: Path) -> None:
    (tmp_path / "src" / "wide.cc").write_text('x = "漢字"; bad();\n')
    start = len('x = "漢字"; '.encode())
    finding = Finding("src/wide.cc", Span(start, start + 3), "bad", rule="wide")
    document = json.loads(rdjson.render(sample.report(Sources(tmp_path), finding), Sources(tmp_path)))
    place = document["diagnostics"][0]["location"]["range"]
    assert place == {"start": {"line": 1, "column": start + 1}, "end": {"line": 1, "column": start + 4}}


# --- JSON lines, Markdown ---------------------------------------------------------------------


def test_json_lines_are_the_findings_of_the_document(sources: Sources) -> None:
    report = sample.all_of_them(sources)
    document = json.loads(json_report.render(report, sample.RULES))
    assert [json.loads(line) for line in json_report.lines(report, sample.RULES).splitlines()] == document["findings"]


def test_markdown_says_it_all(sources: Sources) -> None:
    said = markdown.render(sample.report(sources, sample.flag()))
    assert said == (
        "## ownlint\n"
        "\n"
        "1 problem found in 12 files.\n"
        "1 suppressed by comments.\n"
        "\n"
        "| rule | findings |\n"
        "|---|---:|\n"
        "| flag\\-set\\-before\\-success | 1 |\n"
        "\n"
        "### error: `init_done_` is set before `Record` has succeeded\n"
        "\n"
        "`src/a.cc:5:3` flag\\-set\\-before\\-success, likely: this happens only if `Record` fails\n"
        "\n"
        "1. `src/a.cc:5` set here\n"
        "2. `src/a.cc:7` this can still fail\n"
        "3. `src/a.cc:10` and leaves it set\n"
        "\n"
        "Help: set `init_done_` after `Record` returns ok\n"
        "\n"
        "### Incomplete\n"
        "\n"
        "1 not read.\n"
        "\n"
        "- `src/bad [x].cc`: not read: the parser crashed \\(SIGSEGV\\)\n"
    )


# --- hostile text -----------------------------------------------------------------------------

Render = Callable[[Report, Sources], str]

FORMATS: dict[str, Render] = {
    "full": lambda report, sources: text.full(report, sources, same, colour=False, width=100),
    "concise": lambda report, sources: text.concise(report, same),
    "json": lambda report, sources: json_report.render(report, sample.RULES),
    "json-lines": lambda report, sources: json_report.lines(report, sample.RULES),
    "sarif": lambda report, sources: sarif.render(report, sample.RULES, sources, "0.1.0", sample.page_of),
    "github": lambda report, sources: github.render(report),
    "gitlab": lambda report, sources: gitlab.render(report),
    "html": lambda report, sources: html.render(report, sample.RULES, sources, "0.1.0", sample.ORIGIN),
    "junit": lambda report, sources: junit.render(report),
    "rdjson": rdjson.render,
    "markdown": lambda report, sources: markdown.render(report),
}
HARMFUL = frozenset("\x1b\x00\x07\x08\r\u202e\u2066\u2028\x9b")
nasty = st.text(
    st.sampled_from("\x1b[31m\n\r\x00\u202e\u2066\u2028\x9b::error file=x::,%<>&\"'`|[](){}#*_ab/.")
    | st.characters(codec="utf-8"),
    min_size=1,
    max_size=30,
)


def hostile(path: str, message: str) -> Report:
    finding = Finding(
        path, Span(0, 3), message, help=message, steps=(Step(path, Span(0, 1), message),), symbol=message, rule="labels"
    )
    located = tuple(locate([finding], Sources(Path("/nowhere"))))
    return Report(findings=located, incomplete=(Incomplete(path, message), Incomplete(path, message, "rule")), files=1)


@pytest.mark.parametrize("name", sorted(FORMATS))
@given(path=nasty.filter(lambda path: "\0" not in path), message=nasty)  # no name holds a NUL
def test_hostile_text_reaches_no_output_raw(name: str, path: str, message: str) -> None:
    out = FORMATS[name](hostile(path, message), Sources(Path("/nowhere")))
    assert not HARMFUL.intersection(out)
    assert not [c for c in out if unicodedata.category(c) == "Cc" and c != "\n"]
    _read_back(name, out)


def _read_back(name: str, out: str) -> None:
    """By whoever reads the format; nothing more comes out than went in."""
    match name:
        case "json" | "rdjson" | "gitlab" | "sarif":
            json.loads(out)
        case "json-lines":
            assert len([json.loads(line) for line in out.splitlines()]) == 1
        case "junit":
            assert len(list(ET.fromstring(out).iter("failure"))) == 1
        case "github":
            assert all(re.match(r"::(error|warning|notice) file=[^,:]*,", line) for line in out.splitlines())
        case "markdown":
            assert not re.search(r"(?<!\\)<|(?<!\\)\]\(", re.sub(r"(`+) ?.*? ?\1", "", out))
