"""Where a report goes, and in which form: standard output, and files beside it.

A file is written whole or not at all; what it cannot be written to is told before the work is done.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ownlint import __version__
from ownlint.config import did_you_mean
from ownlint.report.model import Report, Sources

if TYPE_CHECKING:
    from ownlint.pipeline import Options

FORMATS = (
    "full",
    "concise",
    "json",
    "json-lines",
    "sarif",
    "github",
    "gitlab",
    "junit",
    "rdjson",
    "markdown",
    "html",
)


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


def rendered(report: Report, options: Options, output_format: str, colour: bool) -> str:
    here = shown(options.root, Path.cwd())
    match output_format:
        case "full":
            from ownlint.report import text

            width = shutil.get_terminal_size((120, 0)).columns if sys.stdout.isatty() else 120
            return text.full(report, Sources(options.root), here, colour=colour, width=width)
        case "concise":
            from ownlint.report import text

            return text.concise(report, here)
        case "json":
            from ownlint.report import json

            return json.render(report)
        case "json-lines":
            from ownlint.report import json

            return json.lines(report)
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

            return rdjson.render(report, Sources(options.root))
        case "markdown":
            from ownlint.report import markdown

            return markdown.render(report, here)
        case "html":
            from ownlint.outline import rule_infos
            from ownlint.report import html

            return html.render(report, rule_infos(), Sources(options.root), __version__)
        case _:
            from ownlint.outline import rule_infos
            from ownlint.report import sarif

            return sarif.render(report, rule_infos(), Sources(options.root), __version__)


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


def write_whole(path: Path, data: bytes) -> None:
    """All of it or nothing; a device or a pipe is written as it is."""
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    path = path.resolve()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
