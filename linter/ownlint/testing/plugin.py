"""A pytest plugin: every heading of a page is a test, in each mode its case asks for.

    # conftest.py
    pytest_plugins = ["ownlint.testing.plugin"]

Pages are `*.md` in the folders of the ini option `ownlint_pages` (`tests/rules`). The name of the file is the
rule's; headers for typed cases stand in a folder `prelude` beside the pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Literal

import pytest
from _pytest._code.code import TerminalRepr

from ownlint import door
from ownlint.testing.markdown import MOST_BYTES, Mode, PageCase, PageError, parse


class PageMismatchError(Exception):
    """Shown without a traceback: what counts is the page."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("ownlint_pages", "folders of pages that test a rule", type="linelist", default=["tests/rules"])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    folders = [parent.config.rootpath / folder for folder in parent.config.getini("ownlint_pages")]
    if file_path.suffix == ".md" and file_path.parent in folders and file_path.stem.islower():
        return Page.from_parent(parent, path=file_path)
    return None


class Page(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        try:
            cases = parse(door.read(self.path, MOST_BYTES).decode())
        except PageError as error:
            raise self.CollectError(f"{self.path.name}, {error}") from None
        for case in cases:
            for mode in case.modes:
                yield CaseItem.from_parent(self, name=f"{case.heading} ({mode})", case=case, mode=mode)


class CaseItem(pytest.Item):
    funcargs: ClassVar[dict[str, object]] = {}
    """There are none; plugins for tests that are functions, such as pytest-lsp, ask every item for them."""

    def __init__(self, *, case: PageCase, mode: Mode, **arguments: object) -> None:
        super().__init__(**arguments)  # type: ignore[arg-type]
        self.case = case
        self.mode: Mode = mode

    def runtest(self) -> None:
        from ownlint import catalogue
        from ownlint.testing import cases

        wanted = {self.path.stem, *(self.case.options.select or ())}
        rules = [rule for rule in catalogue.load() if rule.id in wanted]
        if unknown := sorted(wanted - {rule.id for rule in rules}):
            raise PageMismatchError(f"there is no rule {', '.join(unknown)}")
        try:
            wrong = cases.check(self.case, rules, self.mode, self.path.parent / "prelude")
        except cases.CaseError as error:
            raise PageMismatchError(str(error)) from None
        if wrong:
            raise PageMismatchError("\n\n".join(wrong))

    def repr_failure(
        self,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: Literal["long", "short", "line", "no", "native", "value", "auto"] | None = None,
    ) -> str | TerminalRepr:
        if isinstance(excinfo.value, PageMismatchError):
            return f"{self.path.name}:{self.case.line}: {self.case.heading} ({self.mode})\n\n{excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.case.line - 1, self.name
