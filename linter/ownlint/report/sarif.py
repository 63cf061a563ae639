"""SARIF 2.1.0, for code scanning."""

from __future__ import annotations

from collections.abc import Sequence

from ownlint.report.model import Report, RuleInfo, Sources


def render(report: Report, rules: Sequence[RuleInfo], sources: Sources, version: str) -> str:
    raise NotImplementedError
