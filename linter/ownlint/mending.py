"""Making fixes in files: which of them go together, what the files become, and writing them whole or not at all.

Edits are of bytes: line ends, encodings and what stands around stay as they are. Of two fixes that touch the same bytes
the first, by path and place, is made; the other is offered again by the next run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from ownlint import door
from ownlint.files import write_whole
from ownlint.finding import Edit, Fix
from ownlint.fixes import FixError, apply
from ownlint.report.model import Located
from ownlint.report.plain_json import json_page
from ownlint.report.sanitise import sanitise

_MOST_BYTES = 64 << 20


class MendError(Exception):
    """A file cannot be written; the text is one line with its path."""


class Plan(msgspec.Struct, frozen=True):
    """`after` has the new bytes of each file; `made` are the findings whose fixes are in them."""

    before: Mapping[str, bytes]
    after: Mapping[str, bytes]
    made: tuple[Located, ...]
    left: tuple[Located, ...]
    """Their fixes touch what another changes, or a file that cannot be read."""


def plan(root: Path, findings: Iterable[Located], *, unsafe: bool) -> Plan:
    """What becomes of the files below `root`. Fixes that are not safe are made when they are asked for (`unsafe`)."""
    before: dict[str, bytes] = {}
    edits: dict[str, list[Edit]] = {}
    made: list[Located] = []
    left: list[Located] = []
    for finding in findings:
        fix = finding.fix
        if fix is None or not (fix.safe or unsafe):
            continue
        if _fits(root, fix, before, edits):
            made.append(finding)
            for edit in fix.edits:
                if edit not in edits.setdefault(edit.path, []):
                    edits[edit.path].append(edit)
        else:
            left.append(finding)
    after = {path: apply(before[path], many) for path, many in sorted(edits.items())}
    changed = {path: data for path, data in after.items() if data != before[path]}
    return Plan({path: before[path] for path in changed}, changed, tuple(made), tuple(left))


def _fits(root: Path, fix: Fix, before: dict[str, bytes], edits: Mapping[str, Sequence[Edit]]) -> bool:
    """Whether the fix can be made together with those that are planned: all of its edits, or none."""
    for path in {edit.path for edit in fix.edits}:
        if path not in before:
            data = _inside(root, path)
            if data is None:
                return False
            before[path] = data
        planned = list(edits.get(path, ()))
        own = [edit for edit in fix.edits if edit.path == path and edit not in planned]
        if any(_touch(one, other) for one in own for other in planned):
            return False
        try:
            apply(before[path], [*planned, *own])
        except FixError:
            return False
    return bool(fix.edits)


def _touch(one: Edit, other: Edit) -> bool:
    """Also two that insert at one place: nobody knows in which order."""
    first, second = sorted((one.span, other.span))
    return second.start < first.end or second.start == first.start


def _inside(root: Path, path: str) -> bytes | None:
    """The bytes of a file of the project; none of a link, which may lead anywhere."""
    place = root / path
    try:
        if path.startswith("/") or ".." in path.split("/") or place.is_symlink():
            return None
        return door.read(place, _MOST_BYTES, within=root)
    except (OSError, door.UnreadableError):
        return None


def write(root: Path, planned: Plan) -> None:
    """Each file is replaced as a whole, with its mode; one that changed since it was read is left alone. Raises
    `MendError`; files that were written before stay written."""
    for path, data in sorted(planned.after.items()):
        place = root / path
        try:
            if _inside(root, path) != planned.before[path]:
                raise MendError(f"{path}: changed while it was checked; nothing was written to it")
            write_whole(place, data)
        except OSError as error:
            raise MendError(f"{path}: {error.strerror or error}") from None


def diff(planned: Plan) -> str:
    """A unified diff to look at. `git apply` takes it where nothing had to be written as an escape: control characters,
    and bytes that are no UTF-8."""
    import difflib

    out: list[str] = []
    for path, data in sorted(planned.after.items()):
        lines = (_lines(planned.before[path]), _lines(data))
        found = difflib.unified_diff(*lines, f"a/{sanitise(path)}", f"b/{sanitise(path)}")
        out.extend(map(_shown, found))
    return "".join(out)


def _shown(line: str) -> str:
    """A line end of Windows is not shown: both sides have it."""
    text = line.removesuffix("\n")
    shown = "\t".join(map(sanitise, text.removesuffix("\r").split("\t")))
    return f"{shown}\n" if text != line else f"{shown}\n\\ No newline at end of file\n"


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "surrogateescape")
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def exported(root: Path, findings: Iterable[Located]) -> str:
    """The fixes of C++ files in the form of `clang-apply-replacements` (YAML, of which JSON is a part)."""
    diagnostics = []
    for finding in findings:
        if finding.fix is None or finding.path.endswith((".py", ".pyi")):
            continue
        replacements = [
            {
                "FilePath": str(root / edit.path),
                "Offset": edit.span.start,
                "Length": edit.span.end - edit.span.start,
                "ReplacementText": edit.text,
            }
            for edit in finding.fix.edits
        ]
        message = {
            "Message": sanitise(finding.message),
            "FilePath": str(root / finding.path),
            "FileOffset": finding.region.start,
            "Replacements": replacements,
        }
        level = {"error": "Error", "warning": "Warning", "note": "Remark"}[finding.severity]
        diagnostics.append(
            {"DiagnosticName": finding.rule, "DiagnosticMessage": message, "Level": level, "BuildDirectory": str(root)}
        )
    document = {"MainSourceFile": "", "Diagnostics": diagnostics}
    return json_page(document)
