"""GitLab's code quality report.

Source: docs.gitlab.com, "Code Quality", report format: `description`, `check_name`, `fingerprint`, `severity` and
`location`; of findings with one fingerprint GitLab shows the first alone, and an identical one in both branches is old.
"""

from __future__ import annotations

from ownlint.report.model import Located, Report, listed_steps
from ownlint.report.plain_json import json_page
from ownlint.report.sanitise import sanitise

_SEVERITIES = {"error": "critical", "warning": "major", "note": "info"}


def render(report: Report) -> str:
    issues = [_issue(finding) for finding in report.findings]
    return json_page(issues)


def _issue(finding: Located) -> dict[str, object]:
    region = finding.region
    body = [f"{n}{sanitise(s.path)}:{s.region.line}: {sanitise(s.message)}" for n, s in listed_steps(finding)]
    body += [f"help: {sanitise(finding.help)}"] if finding.help else []
    return {
        "type": "issue",
        "description": sanitise(finding.message),
        "content": {"body": "\n".join(body)},
        "check_name": finding.rule,
        "fingerprint": finding.fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "categories": ["Bug Risk"],
        "location": {
            "path": sanitise(finding.path),
            "positions": {
                "begin": {"line": region.line, "column": region.column},
                "end": {"line": region.end_line, "column": region.end_column},
            },
        },
    }
