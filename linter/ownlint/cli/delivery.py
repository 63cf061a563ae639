"""Where a report goes, and in which form: standard output, and files beside it.

A file is written whole or not at all; what it cannot be written to is told before the work is done.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ownlint import __version__, door
from ownlint.choices import FORMATS, did_you_mean
from ownlint.facts.errors import NotInstalledError
from ownlint.files import PlaceError, check_place, write_whole

if TYPE_CHECKING:
    from ownlint.pipeline import Options
    from ownlint.report.former import Kind
    from ownlint.report.model import Report, RuleInfo

_KINDS: dict[Kind, str] = {
    "report": "report",
    "diff": "diff",
    "fixes": "file of fixes",
    "baseline": "baseline",
    "contract": "contract",
}


class CannotRunError(Exception):
    """One line for the user; the exit code is 2."""


def outputs(given: Sequence[str], root: Path) -> tuple[list[tuple[str, Path]], list[str]]:
    """Of `FORMAT=FILE`, each; and why some cannot be made here, which is no reason to go without the others. Raises
    `CannotRunError` for a format that is none and a file that cannot be."""
    found: list[tuple[str, Path]] = []
    missing: list[str] = []
    for text in given:
        name, equals, path = text.partition("=")
        if name not in FORMATS and not equals:
            raise CannotRunError(f"--output: `{text}` is not FORMAT=FILE, for example `{_example(text)}`")
        if name not in FORMATS:
            raise CannotRunError(f"--output: unknown format `{name}`{did_you_mean(name, FORMATS)}")
        if path == "-":
            raise CannotRunError(f"--output: `{text}` is not a file; for standard output use --output-format {name}")
        if not equals or not path:
            raise CannotRunError(f"--output: `{text}` has no file name: write `{name}=FILE`")
        try:
            check_output(Path(path), root, output_format=name)
        except NotInstalledError as error:
            missing.append(f"{path}: {error}")
        else:
            found.append((name, Path(path)))
    return found, missing


def _example(text: str) -> str:
    """What may have been meant by a file without a format, or by a format that is misspelt."""
    suffix = text.rpartition(".")[2]
    if suffix != text:
        return f"{suffix if suffix in FORMATS else 'html'}={text}"
    return "html=report.html"


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
    from ownlint.sources.distributions import headers

    stated = (line.partition(",") for line in headers("ownlint", sys.path, "Project-URL"))
    return next((address.strip() for name, _, address in stated if name.strip() == "Documentation"), "")


def rendered(
    report: Report,
    options: Options,
    output_format: str,
    colour: bool,
    verbose: bool = False,
    suppressed: bool = False,
) -> str:
    """For people at the terminal with places as seen from the working directory, else from the top of the git tree."""
    from ownlint.cli.projects import base_of, seen_from
    from ownlint.pipeline import sources_of

    if output_format in ("full", "concise"):
        return _read_here(report, options, output_format, colour, verbose)
    base = base_of(options.root)
    report = seen_from(report, options.root, base)
    sources = sources_of(options, report.digests, base)
    match output_format:
        case "json":
            from ownlint.report import json

            return json.render(report, _infos(options), page_of, os.path.relpath(base))
        case "json-lines":
            from ownlint.report import json

            return json.lines(report, _infos(options), page_of)
        case "github":
            from ownlint.report import github

            return github.render(report)
        case "gitlab":
            from ownlint.report import gitlab

            return gitlab.render(report)
        case "junit":
            from ownlint.report import junit

            return junit.render(report)
        case "rdjson":
            from ownlint.report import rdjson

            return rdjson.render(report, sources)
        case "markdown":
            from ownlint.report import markdown

            return markdown.render(report)
        case "html":
            from ownlint.report import html
            from ownlint.sources.origin import origin_of

            return html.render(report, _infos(options), sources, __version__, origin_of(options.root))
        case _:
            from ownlint.report import sarif

            return sarif.render(report, _infos(options), sources, __version__, page_of, suppressed=suppressed)


def _infos(options: Options) -> tuple[RuleInfo, ...]:
    from ownlint.facts.cache import Cache
    from ownlint.outline import outline_of_rules

    return outline_of_rules(Cache(options.cache, options.root)).infos


def _read_here(report: Report, options: Options, output_format: str, colour: bool, verbose: bool) -> str:
    from ownlint.pipeline import sources_of
    from ownlint.report import links, text

    here = shown(options.root, Path.cwd())
    if output_format == "concise":
        return text.concise(report, here)
    import shutil

    width = shutil.get_terminal_size((120, 0)).columns if sys.stdout.isatty() else 120
    sources = sources_of(options, report.digests)
    told = text.full(report, sources, here, colour=colour, width=width, verbose=verbose)
    return links.linked(told, page_of) if colour and sys.stdout.isatty() else told


def deliver(text: str | bytes, output_file: Path | None) -> None:
    data = text.encode("utf-8") if isinstance(text, str) else text
    if output_file is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        write_whole(output_file, data)
    except OSError as error:
        raise CannotRunError(f"{output_file}: {error.strerror or error}") from None


def check_output(path: Path | None, root: Path, kind: Kind = "report", output_format: str = "") -> None:
    """Before the work is done, not after it. `root` is the project. No link that stands in it is followed, and what is
    there must be a former output of the same kind."""
    if output_format == "html":
        from ownlint.report import html
        from ownlint.sources.origin import given_date

        html.check_installed()
        given_date()
    if path is None:
        return
    from ownlint.report import former

    try:
        check_place(path, root)
        head = door.read(path, former.HEAD, cut=True) if path.is_file() and not path.is_symlink() else b""
    except PlaceError as error:
        raise CannotRunError(f"{path}: {error}") from None
    except door.UnreadableError as error:
        raise CannotRunError(f"{path}: {error.reason}") from None
    if not former.is_ours(head, kind):
        raise CannotRunError(
            f"{path}: not overwritten: it is not a {_KINDS[kind]} of ownlint; remove it, or name another file"
        )
