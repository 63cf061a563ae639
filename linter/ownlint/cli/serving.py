"""`ownlint server`: what the language server is given of the command line."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ownlint.cli.delivery import CannotRunError
from ownlint.facts.errors import NotInstalledError, RefusalError

if TYPE_CHECKING:
    from ownlint.cli.projects import Run
    from ownlint.pipeline import Options
    from ownlint.report.model import Report

_NEEDED = ("pygls", "lsprotocol")


def command(with_config: Callable[[Callable[..., Any]], Callable[..., Any]], make: Callable[..., Run]) -> click.Command:
    """`make` makes the projects of paths, with the options that `with_config` gives a command."""

    @click.command("server", short_help="Start the language server on standard input and output.")
    @with_config
    def server(**given: Any) -> int:
        """Start the language server (LSP) for an editor, on standard input and output.

        The options are defaults for all projects; what the editor sets goes before them.
        """
        if [name for name in _NEEDED if importlib.util.find_spec(name) is None]:
            raise NotInstalledError("the language server needs pygls: `pip install 'ownlint[lsp]'`")
        from ownlint.server import language_server

        return language_server.serve(_Checks(make), given)

    return server


class _Checks:
    """As `ownlint check` does it, without a fix and without a word."""

    def __init__(self, make: Callable[..., Run]) -> None:
        self._make = make

    def projects(self, paths: Sequence[Path], given: Mapping[str, Any]) -> Sequence[Options]:
        try:
            return self._make(tuple(paths), unsaved=paths, **given).projects
        except CannotRunError as error:
            raise RefusalError(str(error)) from None

    def report(self, options: Options) -> Report:
        from ownlint import pipeline
        from ownlint.cli import adopting

        try:
            known = adopting.baseline_of(options, None, isolated=False)
            return adopting.without_known(pipeline.run(options), options, known).report
        except CannotRunError as error:
            raise RefusalError(str(error)) from None
