"""What README says is so: its table, its links, its picture."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ownlint import catalogue

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
WIDTH_OF_A_CHARACTER = 12.2
"""In units of the picture, as rich draws it."""
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "examples").rglob("README.md"))]
"""The links of `docs` lead to generated pages too; they are checked in the site."""


def test_the_list_of_rules_is_what_the_command_prints() -> None:
    command = [sys.executable, "-m", "ownlint", "rules", "--output-format", "markdown"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (ROOT / "docs" / "rules.md").read_text(encoding="utf-8") == ran.stdout, f"write it: {' '.join(command[2:])}"


def test_the_table_names_every_group() -> None:
    named = re.findall(r"\[`([\w-]+)`\]\(docs/rules\.md#([\w-]+)\)", README)
    assert sorted(named) == sorted((group, group) for group in catalogue.groups())


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 100


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_picture_is_a_real_report() -> None:
    drawn = (ROOT / "docs" / "report.svg").read_text(encoding="utf-8")
    rows: dict[int, str] = {}
    for x, row, words in re.findall(r'<text [^>]*x="([\d.]+)"[^>]*#report-line-(\d+)\)">([^<]*)</text>', drawn):
        column = round(float(x) / WIDTH_OF_A_CHARACTER)
        rows[int(row)] = rows.get(int(row), "").ljust(column) + html.unescape(words).replace("\xa0", " ")
    asked, *shown = [rows[row].rstrip() for row in sorted(rows)]
    command = [sys.executable, "-m", "ownlint", *asked.removeprefix("$ ownlint ").split(), "--no-cache", "--quiet"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert [row.rstrip() for row in ran.stdout.rstrip().splitlines()] == shown
