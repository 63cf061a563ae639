"""What a file that binds knows of frameworks by its includes: `namespace py = nanobind;` in a header of the project.

A frontend reads one file at a time, and takes an abbreviation that the file does not declare for what it usually means.
Where headers of the project say more, the bindings of the file are read once more, with these in sight.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from ownlint.facts import binding_reader
from ownlint.facts import records as r
from ownlint.facts.vocabulary import Vocabulary

_MOST = 4000
"""Files that are looked into for one that binds."""


def with_headers(files: Iterable[r.FileRecord], vocabulary: Vocabulary) -> list[r.FileRecord]:
    """The files, the bindings of each read with what its headers say."""
    all_files = list(files)
    frameworks = vocabulary.frameworks
    native = {file.path: file for file in all_files if file.language == "cpp"}
    speaking = {path for path, file in native.items() if binding_reader.concerns(file, frameworks)}
    if not speaking:
        return all_files
    words = {word for one in frameworks for word in (*one.classes, *one.methods)}
    words |= {alias.name for path in speaking for alias in native[path].aliases if alias.kind == "type"}
    by_name: dict[str, list[str]] = {}
    for path in native:
        by_name.setdefault(posixpath.basename(path), []).append(path)
    out = []
    for file in all_files:
        binds = file.language == "cpp" and any(not words.isdisjoint(one.mentions) for one in file.functions)
        headers = [native[path] for path in _included(file, native, by_name) if path in speaking] if binds else []
        if headers and binding_reader.says_more(file, headers, frameworks):
            classes, bindings = binding_reader.extract(file, vocabulary, headers)
            if (classes, bindings) != (file.bound_classes, file.bindings):
                file = replace(file, bound_classes=classes, bindings=bindings)
        out.append(file)
    return out


def _included(file: r.FileRecord, native: Mapping[str, r.FileRecord], by_name: Mapping[str, list[str]]) -> list[str]:
    """The files of the project that it includes, at any depth, the nearest last."""
    found: dict[str, None] = {}
    pending = [file.path]
    while pending and len(found) < _MOST:
        inner = []
        for path in pending:
            for each in native[path].imports:
                target = _resolved(path, each.target, by_name)
                if target and target not in found and target != file.path:
                    found[target] = None
                    inner.append(target)
        pending = inner
    return list(reversed(found))


def _resolved(path: str, target: str, by_name: Mapping[str, list[str]]) -> str:
    """The file of the project that is meant: beside the one that includes it, or the only one whose path ends so."""
    candidates = by_name.get(posixpath.basename(target), ())
    if not candidates:
        return ""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if beside in candidates:
        return beside
    ends = "/" + posixpath.normpath(target).lstrip("./")
    fitting = [one for one in candidates if f"/{one}".endswith(ends)]
    return fitting[0] if len(fitting) == 1 else ""
