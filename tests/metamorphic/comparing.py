"""What the rules find in a case and in its rewritten twin, by place in the original."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec
from rewriting import Rewrite, rewrite

from ownlint import catalogue
from ownlint.facts.records import FunctionRecord, Opaque, OpaqueValue, decode_body
from ownlint.finding import CERTAINTIES
from ownlint.frontends.cpp import structure
from ownlint.rule import Rule
from ownlint.testing import cases
from ownlint.testing.markdown import PageCase, parse

PAGES = Path(__file__).parents[1] / "rules"


class Seen(NamedTuple):
    """A finding, as far as a rewrite must leave it: `line` is that of the original."""

    rule: str
    path: str
    line: int
    certainty: str


class Difference(NamedTuple):
    rewrite: str
    page: str
    heading: str
    lost: tuple[Seen, ...]
    new: tuple[Seen, ...]
    crashes: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{self.rewrite}: {self.page}: {self.heading}"]
        lines += [f"  lost {one.path}:{one.line} {one.rule} ({one.certainty})" for one in self.lost]
        lines += [f"  new  {one.path}:{one.line} {one.rule} ({one.certainty})" for one in self.new]
        return "\n".join(lines + [f"  crash {crash}" for crash in self.crashes])


@lru_cache(maxsize=1)
def rules() -> dict[str, Rule]:
    return {rule.id: rule for rule in catalogue.load()}


def cases_of(page: Path) -> list[PageCase]:
    return parse(page.read_text(encoding="utf-8"))


def differences(page: str, case: PageCase, by: Sequence[Rewrite]) -> Iterator[Difference]:
    """One for each rewrite under which the case is read otherwise; all by their structure only."""
    asked = [rules()[name] for name in sorted({page, *(case.options.select or ())})]
    expected: Counter[Seen] | None = None
    for one in by:
        twin = rewrite(case, one)
        if twin is None:
            continue
        if expected is None:
            texts = {block.name: block.text.encode() for block in case.blocks}
            expected, _ = _seen(case, asked, texts, lambda path, offset: offset)
        texts = {path: made.original for path, made in twin.texts.items()}
        found, crashes = _seen(twin.case, asked, texts, lambda path, offset, t=twin: t.texts[path].origin(offset))
        if found != expected or crashes:
            lost, new = expected - found, found - expected
            yield Difference(
                one.name, page, case.heading, tuple(sorted(lost.elements())), tuple(sorted(new.elements())), crashes
            )


def _seen(
    case: PageCase, asked: Sequence[Rule], texts: dict[str, bytes], origin: Callable[[str, int], int]
) -> tuple[Counter[Seen], tuple[str, ...]]:
    try:
        found = cases.run(case, asked, "structure")
    except cases.CaseError as error:
        return Counter(), (str(error),)
    least = CERTAINTIES.index(case.options.certainty or "likely")
    seen = Counter(
        Seen(
            finding.rule,
            finding.path,
            texts[finding.path].count(b"\n", 0, origin(finding.path, finding.span.start)) + 1,
            finding.certainty,
        )
        for finding in found.findings
        if CERTAINTIES.index(finding.certainty) <= least
    )
    return seen, tuple(crash.error for crash in found.crashes)


def facts_differ(page: str, case: PageCase, by: Rewrite) -> list[str]:
    """Where the words of the facts of a C++ file differ: offsets and comments aside."""
    twin = rewrite(case, by)
    if twin is None:
        return []
    vocabulary = cases.load_models(case.options.models or "").vocabulary()
    found = []
    for block, other in zip(case.blocks, twin.case.blocks, strict=True):
        if block.language == "cpp" and block.text != other.text:
            read = structure.read(other.name, other.text.encode(), vocabulary)
            words = (_words_of(block.name, block.text, case.options.models or ""), list(_words(read, "")))
            for before, after in zip(*words, strict=False):
                if before != after:
                    found.append(f"{by.name}: {page}: {case.heading}\n  {block.name}{before} became {after}")
                    break
    return found


@lru_cache(maxsize=16)
def _words_of(name: str, text: str, more: str) -> list[tuple[str, object]]:
    """Of a file as its page has it, which is compared with many."""
    return list(_words(structure.read(name, text.encode(), cases.load_models(more).vocabulary()), ""))


_NOT_COMPARED = {
    "comment",
    "comments",
    "comment_lines",
    "excuses",
    "forgiven",
    "replacing",
    "suppressions",
    "debug",
    "conditional",
    "problems",
}


def _words(record: object, place: str) -> Iterator[tuple[str, object]]:
    """Everything a record holds but numbers, which are offsets, by its place."""
    if isinstance(record, tuple):
        for index, item in enumerate(record):
            yield from _words(item, f"{place}[{index}]")
    elif isinstance(record, FunctionRecord):
        yield from _fields(record, place)
        yield from _words(decode_body(record), f"{place}.body")
    elif isinstance(record, Opaque | OpaqueValue):
        yield place, "".join(record.text.split())  # to be shown, never to be compared
    elif isinstance(record, msgspec.Struct):
        yield place, type(record).__name__
        yield from _fields(record, place)
    elif not isinstance(record, int) or isinstance(record, bool):
        yield place, record


def _fields(record: msgspec.Struct, place: str) -> Iterator[tuple[str, object]]:
    for name in record.__struct_fields__:
        value = getattr(record, name)
        if name not in _NOT_COMPARED and not isinstance(value, msgspec.Raw):
            yield from _words(value, f"{place}.{name}")
