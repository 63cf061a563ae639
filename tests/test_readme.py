"""What README says is so: its table, its picture; and the links of all pages of the checkout lead somewhere in it."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from consoles import measured
from ownlint import catalogue

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
WIDTH_OF_A_CHARACTER = 12.2
"""In units of the picture, as rich draws it."""
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]


def test_the_list_of_rules_is_what_the_command_prints() -> None:
    command = [sys.executable, "-m", "ownlint", "rules", "--output-format", "markdown"]
    ran = subprocess.run(command, env=measured(os.environ), capture_output=True, text=True, check=True)
    assert (ROOT / "docs" / "rules.md").read_text(encoding="utf-8") == ran.stdout, f"write it: {' '.join(command[2:])}"


def test_the_table_names_every_group() -> None:
    named = re.findall(r"\[`([\w-]+)`\]\(docs/rules\.md#([\w-]+)\)", README)
    assert sorted(named) == sorted((group, group) for group in catalogue.groups())


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 100


@pytest.mark.parametrize("page", ["settings", "machine"])
def test_a_generated_page_is_what_its_script_prints(page: str) -> None:
    command = [sys.executable, str(ROOT / "docs" / f"{page}_page.py")]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    written = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert written == ran.stdout, f"write it: python docs/{page}_page.py > docs/{page}.md"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", prose(page)):
        path, _, fragment = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (fragment and fragment not in anchors(target)):
            broken.append(link)
    assert broken == []


def prose(page: Path) -> str:
    """A page without its blocks of code; a lambda in C++ looks like a link."""
    return re.sub(r"^(`{3,})\w.*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """What GitHub and the site call the titles of a page."""
    titles = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in titles}


def test_the_picture_is_a_real_report() -> None:
    drawn = (ROOT / "docs" / "report.svg").read_text(encoding="utf-8")
    rows: dict[int, str] = {}
    for x, row, words in re.findall(r'<text [^>]*x="([\d.]+)"[^>]*#report-line-(\d+)\)">([^<]*)</text>', drawn):
        column = round(float(x) / WIDTH_OF_A_CHARACTER)
        rows[int(row)] = rows.get(int(row), "").ljust(column) + html.unescape(words).replace("\xa0", " ")
    asked, *shown = [rows[row].rstrip() for row in sorted(rows)]
    command = [sys.executable, "-m", "ownlint", *asked.removeprefix("$ ownlint ").split(), "--no-cache", "--quiet"]
    ran = subprocess.run(command, cwd=ROOT, env=measured(os.environ), capture_output=True, text=True, check=False)
    assert [row.rstrip() for row in ran.stdout.rstrip().splitlines()] == shown
