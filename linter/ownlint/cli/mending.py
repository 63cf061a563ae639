"""Making fixes in files: which of them go together, what the files become, and writing them whole or not at all.

Edits are of bytes: line ends, encodings and what stands around stay as they are. They are made in the bytes that were
analysed, or not at all. Of two fixes that touch the same bytes the first, by path and place, is made; the other is
offered again by the next run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from ownlint.facts.digest import digest_of
from ownlint.files import HeldError, held
from ownlint.finding import Edit, Fix
from ownlint.fixes import FixError, apply
from ownlint.report.model import Located, Report
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
    """Their fixes touch what another changes, or a file that is left alone."""
    alone: Mapping[str, str]
    """Files that fixes would change and that are left alone, each with a clause that says why."""


def plan(root: Path, report: Report, *, unsafe: bool, alone: Mapping[str, str] | None = None) -> Plan:
    """What becomes of the files below `root` by the fixes of the report. Fixes that are not safe are made when they
    are asked for (`unsafe`). A file that does not hold the bytes that were analysed is left alone, like those of
    `alone`."""
    files = _Files(root, report.digests, dict(alone or {}))
    edits: dict[str, list[Edit]] = {}
    made: list[Located] = []
    left: list[Located] = []
    for finding in report.findings:
        fix = finding.fix
        if fix is None or not (fix.safe or unsafe):
            continue
        if _fits(files, fix, edits):
            made.append(finding)
            for edit in fix.edits:
                if edit not in edits.setdefault(edit.path, []):
                    edits[edit.path].append(edit)
        else:
            left.append(finding)
    return _planned(files.before, made, left, files.alone)


class _Files:
    """The bytes of the files that fixes change, as they were analysed."""

    def __init__(self, root: Path, digests: Mapping[str, str], alone: dict[str, str]) -> None:
        self._root = root
        self._digests = digests
        self.before: dict[str, bytes] = {}
        self.alone = alone

    def have_all(self, paths: Iterable[str]) -> bool:
        return not [path for path in sorted(paths) if not self.have(path)]

    def have(self, path: str) -> bool:
        if path not in self.before and path not in self.alone:
            try:
                with held(self._root, path) as file:
                    data = file.read(_MOST_BYTES)
                if digest_of(data) == self._digests.get(path, ""):
                    self.before[path] = data
                else:
                    self.alone[path] = "changed after it was analysed"
            except HeldError as error:
                self.alone[path] = str(error)
            except OSError as error:
                self.alone[path] = error.strerror or str(error)
        return path in self.before


def _planned(
    before: Mapping[str, bytes], made: Sequence[Located], left: Sequence[Located], alone: Mapping[str, str]
) -> Plan:
    edits: dict[str, dict[Edit, None]] = {}
    for finding in made:
        assert finding.fix is not None
        for edit in finding.fix.edits:
            edits.setdefault(edit.path, {})[edit] = None
    after = {path: apply(before[path], many) for path, many in sorted(edits.items())}
    changed = {path: data for path, data in after.items() if data != before[path]}
    return Plan(
        {path: before[path] for path in changed}, changed, tuple(made), tuple(left), dict(sorted(alone.items()))
    )


def _without(planned: Plan, alone: Mapping[str, str]) -> Plan:
    """The same, but for the fixes that touch these files."""
    made = [finding for finding in planned.made if not alone.keys() & _touched(finding)]
    left = [finding for finding in planned.made if alone.keys() & _touched(finding)]
    return _planned(planned.before, made, [*planned.left, *left], {**planned.alone, **alone})


def _touched(finding: Located) -> set[str]:
    return {edit.path for edit in finding.fix.edits} if finding.fix is not None else set()


def _fits(files: _Files, fix: Fix, edits: Mapping[str, Sequence[Edit]]) -> bool:
    """Whether the fix can be made together with those that are planned: all of its edits, or none."""
    for path in sorted({edit.path for edit in fix.edits}):
        if not files.have(path):
            return False
        planned = list(edits.get(path, ()))
        own = [edit for edit in fix.edits if edit.path == path and edit not in planned]
        if any(_touch(one, other) for one in own for other in planned):
            return False
        try:
            apply(files.before[path], [*planned, *own])
        except FixError:
            return False
    return bool(fix.edits)


def _touch(one: Edit, other: Edit) -> bool:
    """Also two that insert at one place: nobody knows in which order."""
    first, second = sorted((one.span, other.span))
    return second.start < first.end or second.start == first.start


# --- writing ----------------------------------------------------------------------------------


def write(root: Path, planned: Plan) -> Plan:
    """What was made of the plan. Each file is replaced as a whole, with its mode; a file that changed since it was
    analysed is left alone, with every fix that touches it. Raises `MendError` when one cannot be written: none is."""
    while planned.after:
        alone = _replaced(root, planned.before, planned.after)
        if not alone:
            break
        planned = _without(planned, alone)
    return planned


def undo(root: Path, planned: Plan, path: str) -> bool:
    """Puts back what stood in a file; False when it is no longer what was made of it."""
    return not _replaced(root, {path: planned.after[path]}, {path: planned.before[path]})


def together(planned: Plan, paths: Iterable[str]) -> list[str]:
    """These files and all that have a fix in common with them, or with those."""
    found = set(paths)
    while more := {path for each in planned.made if found & _touched(each) for path in _touched(each)} - found:
        found |= more
    return sorted(found & planned.after.keys())


def _replaced(root: Path, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, str]:
    """All of them, or none: then the files that are to be left alone, each with the reason. Raises `MendError`."""
    done: list[str] = []
    path = ""
    try:
        with contextlib.ExitStack() as opened:
            files = {}
            alone = {}
            for path in sorted(after):
                try:
                    files[path] = opened.enter_context(held(root, path))
                    if not files[path].holds(before[path]):
                        raise HeldError("changed after it was analysed")
                except HeldError as error:
                    alone[path] = str(error)
            if alone:
                return alone
            for path, file in files.items():
                file.replace(before[path], after[path])
                done.append(path)
    except HeldError as error:
        _put_back(root, done, before, after)
        return {path: str(error)}
    except OSError as error:
        _put_back(root, done, before, after)
        raise MendError(f"{path}: {error.strerror or error}") from None
    return {}


def _put_back(root: Path, done: Iterable[str], before: Mapping[str, bytes], after: Mapping[str, bytes]) -> None:
    for path in done:
        with contextlib.suppress(HeldError, OSError), held(root, path) as file:
            file.replace(after[path], before[path])


# --- showing ----------------------------------------------------------------------------------


def diff(planned: Plan, shown: Callable[[str], str]) -> bytes:
    """A unified diff that `git apply` takes, to the byte; `shown` writes a path of the project as seen from the folder
    in which it is to be applied, which holds all of them: `git apply` takes no `..`."""
    import difflib

    out: list[bytes] = []
    for path, data in sorted(planned.after.items()):
        lines = (_lines(planned.before[path]), _lines(data))
        names = (_name(f"a/{shown(path)}"), _name(f"b/{shown(path)}"))
        out += difflib.diff_bytes(difflib.unified_diff, *lines, *names)
    return b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in out)


def harmless(diff: bytes) -> str:
    """The same for a terminal: without line ends of Windows and control characters, which it would obey."""
    text = diff.decode("utf-8", "surrogateescape")
    lines = (line.removesuffix("\r").split("\t") for line in text.split("\n"))
    return "\n".join("\t".join(map(sanitise, parts)) for parts in lines)


_QUOTED = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def _name(path: str) -> bytes:
    """As git writes it: in quotes where it must be, and with a tab behind one that holds a blank."""
    raw = path.encode("utf-8", "surrogateescape")
    special = any(byte < 32 or byte in b'"\\\x7f' for byte in raw)
    if not special and path.isprintable():
        return raw + b"\t" if b" " in raw else raw
    escaped = (
        f"\\{_QUOTED[byte]}" if byte in _QUOTED else chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}" for byte in raw
    )
    return f'"{"".join(escaped)}"'.encode()


def _lines(data: bytes) -> list[bytes]:
    parts = data.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def exported(root: Path, report: Report) -> tuple[str, Mapping[str, str]]:
    """The fixes of C++ files in the form of `clang-apply-replacements` (YAML, of which JSON is a part), but for those
    that touch a file that changed since it was analysed: these files, each with a clause that says why."""
    diagnostics = []
    files = _Files(root, report.digests, {})
    for finding in report.findings:
        if finding.fix is None or finding.path.endswith((".py", ".pyi")):
            continue
        if not files.have_all(_touched(finding)):
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
    return json_page(document), dict(sorted(files.alone.items()))
