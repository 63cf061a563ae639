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

from typing import Literal

import msgspec

from ownlint.facts.records import FileRecord, FunctionRecord, Import, Problem
from ownlint.facts.vocabulary import Vocabulary
from ownlint.frontends.python.comments import suppressions
from ownlint.frontends.python.names import PythonNames
from ownlint.frontends.python.source import PythonSource, UnparsableError, decode, line_starts, parse
from ownlint.frontends.python.statements import PythonStatements
from ownlint.frontends.python.wanted import speaks_to_the_linter, wanted


def read(path: str, data: bytes, vocabulary: Vocabulary, module: str) -> FileRecord:
    """Everything the file says; of a file without an anchor only what its comments silence.

    Never raises: what cannot be read becomes a `Problem`.
    """
    worth = b"\0" in data or wanted(data, vocabulary.anchors)  # no text has one: it cannot be called sound
    if not worth and not speaks_to_the_linter(data):
        return FileRecord(path, "python", len(data), module=module)
    try:
        source = decode(data)
    except UnparsableError as error:
        problems = (_problem(data, error),) if worth else ()
        return FileRecord(path, "python", len(data), module=module, problems=problems)
    if not worth:
        return FileRecord(path, "python", len(data), module=module, suppressions=suppressions(source))
    return _read(path, source, module)


def _read(path: str, source: PythonSource, module: str) -> FileRecord:
    size = len(source.data)
    silenced = suppressions(source)
    try:
        tree, left_out, reason = parse(source)
    except UnparsableError as error:
        problem = _problem(source.data, error)
        return FileRecord(path, "python", size, module=module, suppressions=silenced, problems=(problem,))
    names = PythonNames(module)
    package = path.rpartition("/")[2].startswith("__init__.")
    statements = PythonStatements(source, names, module, package, left_out)
    statements.module(tree)
    return FileRecord(
        path,
        "python",
        size,
        functions=_naming_imports([one for one in statements.functions if one is not None], statements.imports),
        classes=tuple(class_ for class_ in statements.classes if class_ is not None),
        variables=tuple(statements.variables.values()),
        imports=tuple(statements.imports),
        suppressions=silenced,
        meanings=names.meanings(),
        module=module,
        problems=() if reason is None else (_problem(source.data, reason, "partial"),),
    )


def _naming_imports(functions: list[FunctionRecord], imports: list[Import]) -> tuple[FunctionRecord, ...]:
    """Who mentions `p` of `from functools import partial as p` mentions `partial` too."""
    renamed: dict[str, set[str]] = {}
    for imported in imports:
        last = imported.target.rpartition(".")[2]
        if imported.name not in (last, "*"):
            renamed.setdefault(imported.name, set()).add(last)
    if not renamed:
        return tuple(functions)
    found = []
    for function in functions:
        meant = {name for word in function.mentions for name in renamed.get(word, ())}
        more = sorted(meant.union(function.mentions)) if meant else function.mentions
        found.append(msgspec.structs.replace(function, mentions=tuple(more)) if meant else function)
    return tuple(found)


def _problem(data: bytes, error: UnparsableError, kind: Literal["unread", "partial"] = "unread") -> Problem:
    lines = line_starts(data)
    if not 0 < error.line < len(lines):
        return Problem(0, 0, kind, error.reason)
    start = lines[error.line]
    end = lines[error.line + 1] if error.line + 1 < len(lines) else len(data)
    end = start + len(data[start:end].rstrip(b"\r\n"))
    return Problem(start, end, kind, f"line {error.line}: {error.reason}")
