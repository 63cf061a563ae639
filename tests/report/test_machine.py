"""The outputs that programs read."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import sample

from ownlint import catalogue
from ownlint.report import github, sarif
from ownlint.report import json as json_report
from ownlint.report.model import Lines

HERE = Path(__file__).parent
SCHEMA = Path(json_report.__file__).with_name("schema.json")


def as_json(root: Path) -> Any:
    return json.loads(json_report.render(sample.all_of_them(sample.write(root)), sample.RULES, sample.page_of))


def as_sarif(root: Path, *, suppressed: bool = False) -> Any:
    sources = sample.write(root)
    found = sample.all_of_them(sources)
    return json.loads(sarif.render(found, sample.RULES, sources, "0.1.0", sample.page_of, suppressed=suppressed))


def test_the_schema_in_the_repository_is_the_one_of_the_code() -> None:
    assert SCHEMA.read_text() == json_report.schema(), "write ownlint.report.json.schema() to report/schema.json"


def test_json_keeps_its_schema(tmp_path: Path) -> None:
    jsonschema.validate(as_json(tmp_path), json.loads(SCHEMA.read_text()))


def test_json_has_exactly_the_keys_of_the_contract(tmp_path: Path) -> None:
    document = as_json(tmp_path)
    assert list(document) == [
        *("version", "findings", "incomplete", "notices", "suppressed", "suppressions", "elsewhere", "base")
    ]
    assert (document["version"], document["suppressed"], document["elsewhere"]) == (1, 1, 0)
    finding = next(each for each in document["findings"] if each["rule"] == "flag-set-before-success")
    fingerprint = finding.pop("fingerprint")
    assert len(fingerprint) == 16
    assert finding.pop("group") == fingerprint
    assert finding == {
        "rule": "flag-set-before-success",
        "severity": "error",
        "suite": "default",
        "certainty": "likely",
        "cause": "",
        "reason": "this happens only if `Record` fails",
        "assumed": ["path"],
        "help": "set `init_done_` after `Record` returns ok",
        "help_uri": "https://docs.example.invalid/flag-set-before-success",
        "message": "`init_done_` is set before `Record` has succeeded",
        "path": "src/a.cc",
        "line": 5,
        "column": 3,
        "end_line": 5,
        "end_column": 20,
        "symbol": "run::Tracker::Start",
        "steps": [
            {"path": "src/a.cc", "line": 5, "column": 3, "message": "set here", "role": None},
            {"path": "src/a.cc", "line": 7, "column": 19, "message": "this can still fail", "role": "turn"},
            {"path": "src/a.cc", "line": 10, "column": 5, "message": "and leaves it set", "role": None},
        ],
        "fix": {
            "message": "set it later",
            "safe": False,
            "edits": [{"path": "src/a.cc", "start": 79, "end": 96, "text": ""}],
        },
    }
    assert document["incomplete"] == [
        {"path": "src/bad [x].cc", "kind": "unread", "reason": "the parser crashed (SIGSEGV)"}
    ]
    assert [each["fix"] for each in document["findings"] if each["rule"] == "labels"] == [None]
    (suppression,) = document["suppressions"]
    assert (suppression["finding"]["rule"], suppression["reasons"]) == ("silenced", ["the reason [why](x)"])
    assert suppression["finding"]["group"] == suppression["finding"]["fingerprint"]


def test_the_same_report_is_the_same_bytes(tmp_path: Path) -> None:
    sources = sample.write(tmp_path)
    findings = [sample.flag(), sample.border(), sample.labels(), sample.whole()]
    one = json_report.render(sample.report(sources, *findings), sample.RULES)
    assert json_report.render(sample.report(sources, *reversed(findings)), sample.RULES) == one


@pytest.mark.parametrize("suppressed", [False, True])
def test_sarif_keeps_the_schema_of_oasis(tmp_path: Path, suppressed: bool) -> None:
    document = as_sarif(tmp_path, suppressed=suppressed)
    schema = json.loads((HERE / "sarif-schema-2.1.0.json").read_text())
    validator = jsonschema.Draft4Validator(schema)
    assert [error.message for error in validator.iter_errors(document)] == []


def test_sarif_has_suppressed_findings_with_their_reasons_where_they_are_asked_for(tmp_path: Path) -> None:
    without, full = (as_sarif(tmp_path, suppressed=asked)["runs"][0]["results"] for asked in (False, True))
    assert not any("suppressions" in result for result in without)
    assert full[:-1] == without
    assert full[-1]["ruleId"] == "silenced"
    (suppression,) = full[-1]["suppressions"]
    assert suppression.pop("location")["physicalLocation"]["region"]["startLine"] == 18
    assert suppression == {"kind": "inSource", "status": "accepted", "justification": "the reason [why](x)"}


def test_sarif_notices_a_broken_document(tmp_path: Path) -> None:
    document = as_sarif(tmp_path)
    document["runs"][0]["results"][0]["level"] = "fatal"
    schema = json.loads((HERE / "sarif-schema-2.1.0.json").read_text())
    assert not jsonschema.Draft4Validator(schema).is_valid(document)


def regions(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        own = [each for name, each in value.items() if name in ("region", "deletedRegion")]
        return own + [region for each in value.values() for region in regions(each)]
    return [region for each in value for region in regions(each)] if isinstance(value, list) else []


def test_every_region_has_a_start(tmp_path: Path) -> None:
    found = regions(as_sarif(tmp_path))
    assert found
    assert all("startLine" in region or "byteOffset" in region for region in found)


def test_sarif_grades_weaknesses_and_says_where_rules_are_explained(tmp_path: Path) -> None:
    driver = as_sarif(tmp_path)["runs"][0]["tool"]["driver"]
    assert driver["informationUri"] == "https://docs.example.invalid/"
    rules = {rule["id"]: rule for rule in driver["rules"]}
    owner = rules["child-outlives-owner"]
    assert owner["helpUri"] == "https://docs.example.invalid/child-outlives-owner"
    assert owner["properties"]["security-severity"] == "8.1"
    tags = ["ownership", "handles", "security", "external/cwe/cwe-416", "external/cwe/cwe-362"]
    assert owner["properties"]["tags"] == tags
    assert "security-severity" not in rules["labels"]["properties"]


def test_a_flow_of_sarif_ends_at_the_finding(tmp_path: Path) -> None:
    for result in as_sarif(tmp_path)["runs"][0]["results"]:
        for flow in result.get("codeFlows", ()):
            last = flow["threadFlows"][0]["locations"][-1]["location"]["physicalLocation"]
            assert last == result["locations"][0]["physicalLocation"]


def test_every_weakness_of_a_rule_is_graded() -> None:
    graded = set().union(*sarif.SECURITY.values())
    assert {number for rule in catalogue.load() for number in rule.cwe} - graded == {477, 595}


def test_sarif_has_what_code_scanning_shows(tmp_path: Path) -> None:
    run = as_sarif(tmp_path)["runs"][0]
    result = next(each for each in run["results"] if each["ruleId"] == "child-outlives-owner")
    flow = result["codeFlows"][0]["threadFlows"][0]["locations"]
    places = [each["location"]["physicalLocation"] for each in flow]
    assert [place["artifactLocation"]["uri"] for place in places] == ["src/a.cc", "py/b.py", "py/b.py", "py/b.py"]
    assert [place["region"]["startLine"] for place in places] == [12, 5, 6, 7]
    assert len(result["relatedLocations"]) == 4
    assert result["partialFingerprints"]["primaryLocationLineHash"].endswith(":1")
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == "child-outlives-owner"
    assert rule["fullDescription"]["text"] == "More about it."
    assert rule["help"]["markdown"].startswith("Headline of child-outlives-owner.\n")
    assert "unheard" not in [each["id"] for each in run["tool"]["driver"]["rules"]]
    notification = run["invocations"][0]["toolExecutionNotifications"][0]
    assert notification["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "src/bad%20%5Bx%5D.cc"
    assert run["columnKind"] == "unicodeCodePoints"


def test_sarif_messages_hold_no_links() -> None:
    assert sarif._message("`[this](x) {0}` and cache_[k] {a}") == "`\\[this\\](x) {{0}}` and cache_[k] {a}"


def rolled(text: str) -> dict[int, str]:
    """The line hash step by step, as the upload action describes it: slow, and written to be compared with."""
    window, lines = [0] * 100, [-1] * 100
    seen: dict[str, int] = {}
    found: dict[int, str] = {}
    value = at = line = 0
    line_start, after_return = True, False

    def flush() -> None:
        if lines[at] != -1:
            written = f"{value:x}"
            seen[written] = seen.get(written, 0) + 1
            found[lines[at]] = f"{written}:{seen[written]}"
            lines[at] = -1

    wide = text.encode("utf-16-le")
    units = [wide[n] | wide[n + 1] << 8 for n in range(0, len(wide), 2)]
    for unit in [*units, 0xFFFF, *[None] * 100]:
        if unit is not None:
            if unit in (32, 9) or (after_return and unit == 10):
                after_return = False
                continue
            after_return = unit == 13
            unit = 10 if unit == 13 else unit
        flush()
        if unit is not None:
            if line_start:
                line, line_start = line + 1, False
                lines[at] = line
            line_start = unit == 10
        value = (value * 37 + (unit or 0) - pow(37, 100, 1 << 64) * window[at]) % (1 << 64)
        window[at] = unit or 0
        at = (at + 1) % 100
    return found


def test_the_line_hash_is_the_one_of_the_upload_action() -> None:
    picked = random.Random(7)
    for _ in range(60):
        text = "".join(picked.choice("ab; \t\n\ré😀") for _ in range(picked.randrange(400)))
        hashes = sarif.line_hashes(Lines(text.encode()))
        assert dict(enumerate(hashes, 1)) == rolled(text)


def test_github_gets_one_command_a_finding(tmp_path: Path) -> None:
    sources = sample.write(tmp_path)
    lines = github.render(sample.report(sources, sample.flag())).splitlines()
    assert lines == [
        (
            "::error file=src/a.cc,line=5,col=3,endLine=5,endColumn=19,title=ownlint (flag-set-before-success)::"
            "src/a.cc:5:3: `init_done_` is set before `Record` has succeeded"
            "%0A1. src/a.cc:5: set here%0A2. src/a.cc:7: this can still fail%0A3. src/a.cc:10: and leaves it set"
            "%0Ahelp: set `init_done_` after `Record` returns ok"
        ),
        "::warning file=src/bad [x].cc,title=ownlint (not read)::the parser crashed (SIGSEGV)",
    ]


@pytest.mark.parametrize("path", ["a\n::error file=x::pwn.py", "b\x1b[31mred.py", "c,line=1:%0A.py"])
def test_a_file_name_cannot_forge_a_command(path: str) -> None:
    from ownlint.facts.records import Span
    from ownlint.finding import Finding
    from ownlint.report.model import Sources

    finding = Finding(path, Span(0, 0), "100%\r\n::error::pwn", rule="r")
    rendered = github.render(sample.report(Sources(Path("/nonexistent")), finding))
    first, *rest = rendered.splitlines()
    assert len(rest) == 1
    assert "\x1b" not in rendered
    properties = first.removeprefix("::warning ").partition("::")[0]
    assert [part.partition("=")[0] for part in properties.split(",")] == [
        "file",
        "line",
        "col",
        "endLine",
        "endColumn",
        "title",
    ]
