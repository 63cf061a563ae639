"""Models on the command line, compared with the headers of the libraries that they describe."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from ownlint import analysis, inputs, pipeline
from ownlint.cli.model_differences import Differences, differences
from ownlint.contracting import read_all
from ownlint.facts.errors import RefusalError
from ownlint.models.files import ModelFile
from ownlint.models.tables import bytes_of
from ownlint.project.program import Program
from ownlint.report.model import Sources
from ownlint.sources.discover import discover

_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".cuh", ".inc", ".inl", ".ipp", ".tcc")
_MOST_NAMES = 6


class _ToldDifferences(msgspec.Struct, frozen=True):
    found: Differences
    changed: frozenset[str]


def compared(options: pipeline.Options, names: Sequence[Path]) -> Differences:
    """How the models (all that a check knows, when none is named) differ from the headers that are asked for. Raises a
    `RefusalError`."""
    found = discover(options.root, options.paths, options.settings.config)
    headers = [one for one in found.sources if one.asked and one.relative.endswith(_HEADERS)]
    if not headers:
        raise RefusalError(f"{options.paths[0]}: no C++ headers found")
    known = inputs.model_paths(options.root, options.settings)
    files = [ModelFile(path, bytes_of(path)) for path in _toml(names or known)]
    facts, models = read_all(options, msgspec.structs.replace(found, sources=headers), (*known, *names))

    def build() -> Program:
        return Program(facts.files(), models)

    def question(program: Program) -> _ToldDifferences:
        sources = Sources(found.root, digests=facts.held())
        return _ToldDifferences(differences(program, files, sources.line), frozenset(sources.changed))

    size = sum(head.size for head in facts.heads)
    told = msgspec.json.decode(analysis.asked(build, question, size, pipeline.limits()), type=_ToldDifferences)
    if told.changed:
        raise RefusalError(f"{min(told.changed)}: changed while it was being read; run this again")
    return told.found


def _toml(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(path.glob("*.toml")) if path.is_dir() else (path,)


def lines(found: Differences, shown: Callable[[str], str]) -> Iterator[str]:
    for one in found.differences:
        header = f"{shown(one.header)}:{one.header_line}"
        yield (
            f"{_near(one.model)}:{one.model_line}: `{one.name}` {one.model_says}, but in {header} it {one.header_says}"
        )


def summary(found: Differences) -> Iterator[str]:
    """A line for each model file of which some names are in no header, and one for those of which most are not."""
    for one in found.absent:
        if len(one.names) * 2 <= one.known:
            verb = "is" if len(one.names) == 1 else "are"
            more = f" and {len(one.names) - _MOST_NAMES} more" if len(one.names) > _MOST_NAMES else ""
            names = ", ".join(f"`{name}`" for name in one.names[:_MOST_NAMES])
            yield (
                f"{_near(one.model)}: {len(one.names)} of {one.known} names {verb} not found in any "
                f"header: {names}{more}"
            )
    unseen = [Path(one.model).stem for one in found.absent if len(one.names) * 2 > one.known]
    if unseen:
        yield f"most names of these models are not found in any header: {', '.join(unseen)}"
    yield f"{len(found.differences) or 'no'} difference{'s' * (len(found.differences) != 1)} between models and headers"


def _near(path: str) -> str:
    """As seen from the working directory, where that is above it."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative
