"""One Python file: bytes in, facts out.

Three gates, each cheaper than what lies behind it. CPU seconds per MB of source, over the Python files of jax 0.10.2
(Python 3.11, one shared core, cyclic garbage collection off; the ratios count):

    the models' anchors, as one regular expression over the bytes     0.007
    `ast.parse`, which also refuses what nests too deep               0.21
    the walk that builds, resolves and encodes the records            0.32
    libcst instead of `ast`, parsing alone                            2.5
    libcst with the byte spans of its nodes                           7.9

So libcst is not used for reading. `ast` gives the same exact byte ranges, which is all that a fix needs, and stays
alive where libcst crashes the process (deep brackets) or drops characters (lone CR, form feeds). Comments come
from `tokenize`, and only where a file speaks to the linter.

Syntax newer than the interpreter that runs goes through libcst, see `newer`. Known gaps: expressions in
f-strings that Python 3.11 does not place carry the range of the whole string and no meaning; a name is resolved by
the bindings of its whole scope, not by their order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from ownlint.facts.records import File, Problem
from ownlint.facts.vocabulary import Anchor, Vocabulary
from ownlint.frontends.python.comments import speaks_to_the_linter, suppressions
from ownlint.frontends.python.names import Names
from ownlint.frontends.python.source import Source, UnreadableError, decode, line_starts, parse
from ownlint.frontends.python.statements import Statements


def read(path: str, data: bytes, vocabulary: Vocabulary, module: str) -> File:
    """Everything the file says; of a file without an anchor only what its comments silence.

    Never raises: what cannot be read becomes a `Problem`.
    """
    wanted = _wanted(data, vocabulary.anchors)
    if not wanted and not speaks_to_the_linter(data):
        return File(path, "python", len(data), module=module)
    try:
        source = decode(data)
    except UnreadableError as error:
        problems = (_problem(data, error),) if wanted else ()
        return File(path, "python", len(data), module=module, problems=problems)
    if not wanted:
        return File(path, "python", len(data), module=module, suppressions=suppressions(source))
    return _read(path, source, module)


def _read(path: str, source: Source, module: str) -> File:
    size = len(source.data)
    silenced = suppressions(source)
    try:
        tree = parse(source)
    except UnreadableError as error:
        problem = _problem(source.data, error)
        return File(path, "python", size, module=module, suppressions=silenced, problems=(problem,))
    names = Names(module)
    package = path.rpartition("/")[2].startswith("__init__.")
    statements = Statements(source, names, module, package)
    statements.module(tree)
    return File(
        path,
        "python",
        size,
        functions=tuple(function for function in statements.functions if function is not None),
        classes=tuple(class_ for class_ in statements.classes if class_ is not None),
        variables=tuple(statements.variables.values()),
        imports=tuple(statements.imports),
        suppressions=silenced,
        meanings=names.meanings(),
        module=module,
    )


def _wanted(data: bytes, anchors: tuple[Anchor, ...]) -> bool:
    """Also when no anchor could be found in it: Python reads no UTF-16, and people ask why nothing is reported."""
    if not anchors or data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    tests, modules = _tests(anchors)
    if any(words(data) and (beside is None or beside(data)) for words, beside in tests):
        return True
    named = (
        {word for found in _IMPORT.findall(data) for word in _WORD.findall(found)} if modules else frozenset[bytes]()
    )
    return any(word in named and names(data) for word, names in modules)


_IMPORT = re.compile(rb"^[ \t]*(?:from|import)\b(?:[^\n(\\;]|\\\r?\n|\([^)]*\))*", re.MULTILINE)
"""An import as it is written, over several lines too; one behind a `;` is not seen."""
_WORD = re.compile(rb"\w+")
_Test = Callable[[bytes], bool]


@lru_cache(maxsize=8)
def _tests(
    anchors: tuple[Anchor, ...],
) -> tuple[tuple[tuple[_Test, _Test | None], ...], tuple[tuple[bytes, _Test], ...]]:
    """One test for all words that want the same beside them; those that want nothing come first. And, apart, the
    modules that have to be imported, with what has to stand beside."""
    words: dict[tuple[str, ...], list[str]] = {}
    modules: list[tuple[bytes, _Test]] = []
    for anchor in anchors:
        if anchor.imported:
            modules.append((anchor.word.encode(), _any(anchor.beside)))
        else:
            words.setdefault(anchor.beside, []).append(anchor.word)
    return tuple((_any(words[beside]), _any(beside) if beside else None) for beside in sorted(words)), tuple(modules)


def _any(patterns: Sequence[str]) -> _Test:
    """Whether one of them is found. Each for itself: that is faster than all as one expression, which has no text to
    skip to; and plain text is looked for as such first."""
    tests = [(_plain(pattern), re.compile(pattern.encode())) for pattern in patterns]
    return lambda data: any(text in data and expression.search(data) is not None for text, expression in tests)


def _plain(pattern: str) -> bytes:
    """The text every match holds, where the expression is nothing but that text and its borders."""
    text = pattern.replace(r"\b", "").replace(r"\.", "\0")
    return text.replace("\0", ".").encode() if re.fullmatch(r"[\w \0]+", text) else b""


def _problem(data: bytes, error: UnreadableError) -> Problem:
    lines = line_starts(data)
    if not 0 < error.line < len(lines):
        return Problem(0, 0, "structure", error.reason)
    start = lines[error.line]
    end = lines[error.line + 1] if error.line + 1 < len(lines) else len(data)
    end = start + len(data[start:end].rstrip(b"\r\n"))
    return Problem(start, end, "structure", f"line {error.line}: {error.reason}")
