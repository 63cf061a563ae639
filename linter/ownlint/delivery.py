"""Where a report goes, and in which form: standard output, and files beside it.

A file is written whole or not at all; what it cannot be written to is told before the work is done.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ownlint import __version__
from ownlint.choices import FORMATS, did_you_mean
from ownlint.files import write_whole

if TYPE_CHECKING:
    from ownlint.pipeline import Options
    from ownlint.report.model import Report


class CannotRunError(Exception):
    """One line for the user; the exit code is 2."""


def outputs(given: Sequence[str]) -> tuple[tuple[str, Path], ...]:
    """Of `FORMAT=FILE`, each. Raises `CannotRunError` for a format that is none and a file that cannot be."""
    found = []
    for text in given:
        name, equals, path = text.partition("=")
        if name not in FORMATS:
            raise CannotRunError(f"--output: unknown format `{name}`{did_you_mean(name, FORMATS)}")
        if not equals or not path:
            raise CannotRunError(f"--output: `{text}` names no file: write `{name}=FILE`")
        check_output(Path(path), name)
        found.append((name, Path(path)))
    return tuple(found)


def shown(root: Path, base: Path) -> Callable[[str], str]:
    """Writes a path of the project relative to `base`."""
    return lambda path: os.path.relpath(f"{root}/{path}", base)


def page_of(rule: str) -> str:
    """Where the page of a rule is: below `OWNLINT_DOCS_URL`, or below what the package calls its documentation; for an
    empty name that place itself."""
    base = os.environ.get("OWNLINT_DOCS_URL") or _documentation()
    if not base.startswith(("https://", "http://", "file://")):
        return ""
    return f"{base.rstrip('/')}/" + (f"rules/{rule}/" if rule else "")


@functools.lru_cache(maxsize=1)
def _documentation() -> str:
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        stated = metadata("ownlint").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    addresses = dict(re.split(r"\s*,\s*", line, maxsplit=1) for line in stated if "," in line)
    return str(addresses.get("Documentation", ""))


def rendered(report: Report, options: Options, output_format: str, colour: bool) -> str:
    from ownlint.pipeline import sources_of

    here = shown(options.root, Path.cwd())
    match output_format:
        case "full":
            import shutil

            from ownlint.report import links, text

            width = shutil.get_terminal_size((120, 0)).columns if sys.stdout.isatty() else 120
            told = text.full(report, sources_of(options), here, colour=colour, width=width)
            return links.linked(told, page_of) if colour and sys.stdout.isatty() else told
        case "concise":
            from ownlint.report import text

            return text.concise(report, here)
        case "json":
            from ownlint.report import json

            return json.render(report, page_of)
        case "json-lines":
            from ownlint.report import json

            return json.lines(report, page_of)
        case "github":
            from ownlint.report import github

            workspace = os.environ.get("GITHUB_WORKSPACE")
            return github.render(report, shown(options.root, Path(workspace)) if workspace else here)
        case "gitlab":
            from ownlint.report import gitlab

            return gitlab.render(report)
        case "junit":
            from ownlint.report import junit

            return junit.render(report)
        case "rdjson":
            from ownlint.report import rdjson

            return rdjson.render(report, sources_of(options))
        case "markdown":
            from ownlint.report import markdown

            return markdown.render(report, here)
        case "html":
            from ownlint.outline import rule_infos
            from ownlint.report import html

            return html.render(report, rule_infos(), sources_of(options), __version__)
        case _:
            from ownlint.outline import rule_infos
            from ownlint.report import sarif

            return sarif.render(report, rule_infos(), sources_of(options), __version__, page_of)


def deliver(text: str, output_file: Path | None) -> None:
    if output_file is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()
        return
    try:
        write_whole(output_file, text.encode("utf-8"))
    except OSError as error:
        raise CannotRunError(f"{output_file}: {error.strerror or error}") from None


def check_output(path: Path | None, output_format: str = "") -> None:
    """Before the work is done, not after it."""
    if output_format == "html":
        from ownlint.report import html

        html.check_installed()
    if path is None:
        return
    if path.is_dir():
        raise CannotRunError(f"{path}: is a folder")
    if not path.parent.is_dir():
        raise CannotRunError(f"{path}: no folder {path.parent}")
    # A file is written beside its place; what is no file is written where it is.
    if not os.access(path if path.exists() and not path.is_file() else path.parent, os.W_OK):
        raise CannotRunError(f"{path}: no right to write there")
