"""JUnit's XML, which most CI systems show: a suite for each file with findings, a failed case for each finding.

Files that were not analysed in full, and rules that failed, are cases with an `error`. A run without either
has one case that passed, because some readers refuse a file without any.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from ownlint.report.model import KINDS, Incomplete, Located, Report, listed_steps
from ownlint.report.sanitise import sanitise


def render(report: Report) -> str:
    top = ET.Element("testsuites", {"name": "ownlint"})
    by_path: dict[str, list[Located]] = {}
    for finding in report.findings:
        by_path.setdefault(finding.path, []).append(finding)
    for path, findings in by_path.items():
        _suite(top, path, findings)
    unanalysed = report.unanalysed
    if unanalysed:
        _errors(top, unanalysed)
    if not by_path and not unanalysed:
        clean = _counted(top, "ownlint", 1, 0, 0)
        ET.SubElement(clean, "testcase", {"classname": "ownlint", "name": f"{report.files} files"})
    ET.indent(top)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(top, encoding="unicode")}\n'


def _suite(top: ET.Element, path: str, findings: Sequence[Located]) -> None:
    suite = _counted(top, path, len(findings), len(findings), 0)
    for finding in findings:
        region = finding.region
        place = f"{path}:{region.line}:{region.column}"
        name = f"{finding.rule} at {region.line}:{region.column}"
        attributes = {"classname": sanitise(path), "name": name, "file": sanitise(path), "line": str(region.line)}
        case = ET.SubElement(suite, "testcase", attributes)
        failure = ET.SubElement(case, "failure", {"type": finding.severity, "message": sanitise(finding.message)})
        lines = [f"{place}: {finding.severity}[{finding.rule}] {finding.message}"]
        lines += [f"{n}{s.path}:{s.region.line}: {s.message}" for n, s in listed_steps(finding)]
        lines += [f"help: {finding.help}"] if finding.help else []
        failure.text = "\n".join(map(sanitise, lines))


def _errors(top: ET.Element, unanalysed: Sequence[Incomplete]) -> None:
    suite = _counted(top, "incomplete", len(unanalysed), 0, len(unanalysed))
    for each in unanalysed:
        path = sanitise(each.path)
        name = f"{path}: {KINDS[each.kind]}"
        case = ET.SubElement(suite, "testcase", {"classname": path, "name": name, "file": path})
        ET.SubElement(case, "error", {"type": each.kind, "message": sanitise(each.reason)})


def _counted(top: ET.Element, name: str, tests: int, failures: int, errors: int) -> ET.Element:
    counts = {"tests": str(tests), "failures": str(failures), "errors": str(errors)}
    return ET.SubElement(top, "testsuite", {"name": sanitise(name), **counts})
