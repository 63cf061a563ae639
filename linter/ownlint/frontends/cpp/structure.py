"""One C++ file: from bytes to a `FileRecord`, with no headers, no build and no configuration.

A pure function that never raises: a file of any content becomes a `FileRecord`. What is not source text (too
large, binary) becomes a `Problem`; what cannot be understood becomes `Opaque`. How the shapes that nest
too deeply are kept finite is said in `values`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import msgspec
from tree_sitter import Node, Parser

from ownlint.facts.comments import parse_suppression
from ownlint.facts.records import FileRecord, FunctionRecord, Macro, Problem, Suppression
from ownlint.facts.vocabulary import Vocabulary
from ownlint.frontends.cpp import grammar as g
from ownlint.frontends.cpp import macro_bodies
from ownlint.frontends.cpp.declarations import Declarations
from ownlint.frontends.cpp.newer import with_known_syntax
from ownlint.frontends.cpp.preprocess import Prepared, prepare, without_macro_calls, without_strings
from ownlint.frontends.cpp.values import unbroken, whole
from ownlint.patterns import occurrences

MAX_SIZE = 8_000_000
"""Larger files are generated; parsing one takes seconds and finds tables."""

_OBJECTIVE_C = re.compile(
    rb"^[ \t]*+(?:#[ \t]*+(?:import|include)[ \t]*+[<\"]|@(?:interface|implementation|protocol|class|import)\b)",
    re.MULTILINE,
)
"""A `.m` file of Objective-C has one of these lines, and one of another language none."""

_CPP = re.compile(
    rb"\b(?:template\s*+<|(?:using\s++)?namespace\s++\w|class\s++\w++\s*+[:;{]|operator\s*+[^\w\s.,;)\]]{1,2}\s*+\()"
)
"""What no text of C has, whatever the name of its file."""
_CPP_WORDS = (b"template", b"namespace", b"class", b"operator")
"""One of them is in each."""

_NAMES_IN_C = (
    b"catch class co_await co_return co_yield concept delete explicit export final friend mutable namespace new"
    b" noexcept operator override private protected public requires template throw try typename using virtual"
).split()
"""Words of C++ that are names like any other in C."""

_HEAD = 2000
"""Bytes at the beginning of a file in which it says where it comes from."""
_GENERATED = re.compile(rb"(?i)\b(?:auto(?:matically)?[- ]?generated|generated (?:by|from|with|using)|@generated)\b")
_LOST = 0.2
"""A file of which this part stands in error nodes is reported."""
_LOST_OF_MACRO = 0.02
"""A macro of which more stands there is not read as a function."""


def read(path: str, data: bytes, vocabulary: Vocabulary) -> FileRecord:
    """Everything the file says about itself; offsets are those of `data`, a byte order mark included."""
    size = len(data)
    if size > MAX_SIZE:
        reason = f"the file has {size} bytes; the limit is {MAX_SIZE}"
        return FileRecord(path, "cpp", size, problems=(Problem(0, 0, "limit", reason),))
    if _is_binary(data):
        return FileRecord(path, "cpp", size, problems=(Problem(0, 0, "unread", "the file is not text"),))
    if path.endswith(".m") and _OBJECTIVE_C.search(data) is None:
        return FileRecord(path, "cpp", size)  # MATLAB, Octave, Mercury, Mathematica: nothing of ours, and no failure
    data = data.replace(b"\\\r\n", b" \\\n")  # in strings the grammar takes a line to go on before `\n` alone
    prepared = prepare(data, vocabulary)
    prepared, root, unplaced = _parse(prepared, in_c=_is_c(path, prepared.source))
    reader = Declarations(prepared, data)
    reader.children = unbroken if root.has_error else whole
    reader.walk((root,) if root.kind_id == g.ERROR else root.children)
    for macro, source in macro_bodies.functions(data, prepared.macros, vocabulary):
        reader.scope = _namespace_at(root, macro.start)
        _read_as_function(macro, source, vocabulary, reader)
    return FileRecord(
        path,
        "cpp",
        size,
        tuple(_documented(data, prepared.comments, [one for one in reader.functions if one is not None])),
        tuple(reader.classes),
        tuple(reader.variables),
        tuple(reader.aliases),
        prepared.macros,
        prepared.imports,
        debug=prepared.debug,
        conditional=prepared.conditional,
        defined=prepared.defined,
        comments=tuple(offset for comment in prepared.comments for offset in comment),
        comment_lines=tuple(_lines_about(data, prepared.comments)),
        excuses=tuple(_excuses(data, prepared.comments)),
        forgiven=tuple(_forgiven(data, prepared.comments)),
        replacing=tuple(_replacing(data, prepared.comments)),
        suppressions=_suppressions(data, prepared.comments),
        problems=_problems(root, unplaced - reader.salvaged, size),
        generated=_is_generated(data, prepared.comments),
    )


def _read_as_function(macro: Macro, source: bytes, vocabulary: Vocabulary, around: Declarations) -> None:
    """Adds the function that a macro could be written as; nothing, where its body is no run of statements."""
    prepared, root, unplaced = _parse(prepare(source, vocabulary))
    number = len(around.functions)
    if unplaced > _LOST_OF_MACRO * (macro.end - macro.start):
        return
    reader = Declarations(prepared, source)
    reader.children = unbroken if root.has_error else whole
    reader.functions, reader.classes, reader.scope = around.functions, around.classes, around.scope
    reader.walk((root,) if root.kind_id == g.ERROR else root.children)
    function = reader.functions[number] if number < len(reader.functions) else None
    if function is not None and macro.parameters is not None:
        words = tuple(sorted({*function.qualifiers, "macro", "template"}))
        template = ", ".join(f"class {name}" for name in macro.parameters)
        around.functions[number] = msgspec.structs.replace(
            function, start=macro.start, end=macro.end, qualifiers=words, template=template
        )


def _namespace_at(root: Node, at: int) -> str:
    names: list[str] = []
    node = root.descendant_for_byte_range(at, at)
    while node is not None:
        name = node.child_by_field_name("name") if node.type == "namespace_definition" else None
        if name is not None and name.text is not None:
            names.insert(0, "".join(name.text.decode("utf-8", "replace").replace("inline ", "").split()))
        node = node.parent
    return "::".join(names)


def _is_generated(data: bytes, comments: Sequence[tuple[int, int]]) -> bool:
    """As Cython, SWIG, protobuf, bison and others say it, in a comment among the first lines."""
    return any(
        _GENERATED.search(data[start : min(end, start + _HEAD)]) is not None for start, end in comments if start < _HEAD
    )


def lost(data: bytes, vocabulary: Vocabulary) -> int:
    """How many bytes of a source text the parser cannot place, or tokens it misses; 0 when all of it is understood."""
    return _parse(prepare(data, vocabulary))[2]


def _is_c(path: str, source: bytes) -> bool:
    if not path.endswith(".c"):
        return False
    text = without_strings(source)
    return b"::" not in text and (all(word not in text for word in _CPP_WORDS) or _CPP.search(text) is None)


def _parse(prepared: Prepared, in_c: bool = False) -> tuple[Prepared, Node, int]:
    """The best of up to four attempts, each taking more out of the parser's way, and what it still lost."""
    parser = Parser(g.LANGUAGE)

    def parse(source: bytes) -> Node:
        # Offsets stay, and names are read from the text as it is.
        return parser.parse(_without_keywords(source) if in_c else source).root_node

    root = parse(prepared.source)
    unplaced = g.unplaced(root)
    for simpler, tolerated in _ATTEMPTS:
        if unplaced <= tolerated * len(prepared.source):
            break
        again = simpler(prepared)
        if again.source != prepared.source:
            second = parse(again.source)
            left = g.unplaced(second)
            if left < unplaced:
                prepared, root, unplaced = again, second, left
    return prepared, root, unplaced


def _without_keywords(source: bytes) -> bytes:
    """Each word is looked for as a text: an expression with all of them would be tried at every byte."""
    changed = bytearray(source)
    for word in _NAMES_IN_C:
        for at in occurrences(source, word):
            changed[at : at + len(word)] = word[:-1].upper() + b"_"
    return bytes(changed)


_ATTEMPTS: tuple[tuple[Callable[[Prepared], Prepared], float], ...] = (
    (with_known_syntax, 0),
    (partial(without_macro_calls, with_bodies=False), 0),
    (partial(without_macro_calls, with_bodies=True), 0.02),
)
"""What makes a file simpler, and the part of it that may be lost for which it is not worth to try."""


def _is_binary(data: bytes) -> bool:
    """UTF-16 and object files have a zero in every few bytes; source text has none, or one by accident."""
    head = data[:65536]
    return head.count(0) > 8 + len(head) // 50


def _lines_about(data: bytes, comments: list[tuple[int, int]]) -> Iterator[int]:
    for start, end in comments:
        yield data.rfind(b"\n", 0, start) + 1
        following = data.find(b"\n", end) + 1
        line_end = data.find(b"\n", following) if following else -1
        yield line_end if line_end >= 0 else len(data)


def _excuses(data: bytes, comments: list[tuple[int, int]]) -> Iterator[int]:
    """The comments that speak of failure, of what is not so, or of what may be."""
    lower = data.lower()
    for block in _paragraphs(data, comments):
        if any(_EXCUSES.search(lower, *one) for one in block):
            yield from (offset for one in block for offset in one)


def _forgiven(data: bytes, comments: list[tuple[int, int]]) -> Iterator[int]:
    """The lines below each comment on lines of its own that says of them that they may fail."""
    until = 0
    for block in _paragraphs(data, comments):
        begin, end = block[0][0], block[-1][1]
        if end < until:
            continue
        if data[data.rfind(b"\n", 0, begin) + 1 : begin].strip(b" \t"):
            continue
        said = b" ".join(data[start:stop] for start, stop in block)
        if _FORGIVING.search(said) and _FORGIVES.search(b" ".join(said.split())):
            over = _PART_ENDS.search(data, end)
            until = over.start() if over is not None else len(data)
            yield from (end, until)


def _replacing(data: bytes, comments: list[tuple[int, int]]) -> Iterator[int]:
    """The comments that speak of overwriting or replacing what is there, those on consecutive lines together."""
    if _REPLACING.search(data) is None:
        return
    for block in _paragraphs(data, comments):
        if any(_REPLACING.search(data, *one) for one in block):
            yield from (start for start, _ in block)


_REPLACING = re.compile(rb"(?i)\bover-?writ(?:e|ing|ten)|\breplac(?:e|ing)")


def _paragraphs(data: bytes, comments: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """The comments, those on consecutive lines together."""
    block: list[tuple[int, int]] = []
    for number, (start, end) in enumerate(comments):
        block.append((start, end))
        following = comments[number + 1][0] if number + 1 < len(comments) else len(data)
        if _NEXT_LINE.fullmatch(data, end, following) is None or following == len(data):
            yield block
            block = []


_NEXT_LINE = re.compile(rb"\r?\n[ \t]*")
_EXCUSES = re.compile(
    rb"\b(?:ignor|discard|drop|swallow|suppress|silen|hid(?:e|den)|fail|err|status|result|outcome|code|return|report|log"
    rb"|warn|throw|except|best|effort|tr(?:y|ies)|attempt|nothing|nobody|no\b|non|cannot|can.?t\b|could|may|might|must"
    rb"|should|would|do(?:es)?n.?t|won.?t|isn.?t|not\b|never|harmless|safe|fine\b|ok|unused|unneeded|intention|deliberat"
    rb"|purpose|expect|unexpect|care\b|matter|any(?:way|more)|already|regardless|even\b|if\b|whether|unless|otherwise|too\b"
    rb"|late|retr|again|un?likely|impossible|always|leak|lint|todo|fixme|xxx|hack|because|destructor|~)|[^\x00-\x7f]"
)
"""What a comment in small letters can say of a failure, and letters of other languages, which can say anything."""


_PART_ENDS = re.compile(rb"\n[ \t\r]*(?:\n|\}|\Z)")
_FORGIVES = re.compile(
    rb"(?i)\bignor(?:e[sd]?|ing)\b|\bbest[ -]effort\b|\b(?:can|may|might|could) fail\b|\bif (?:\w+ ){0,4}fails?\b"
    rb"|\b(?:not|n.t|never) (?:\w+ )?(?:fatal|critical|an error|care|matter)\b|\bnon-?fatal\b|\bharmless\b"
)
"""What a comment says of that which may fail below it."""
_FORGIVING = re.compile(rb"(?i)ignor|best|fail|fatal|critical|error|care|matter|harmless")
"""One of them is in each."""


_SAYS_THROWS = re.compile(
    rb"[@\\](?:throws?|exception)\b|\b[Tt]hrows\b(?! (?:away|out|off)\b)|\b(?:[Mm]ay|[Cc]an|[Ww]ill) throw\b"
)
_OF_CALLER = re.compile(
    rb"(?i)\b(?:never|not|no|cannot|nothing)\s+throws?|n.t\s+throw|throws?\s+nothing|nothrow|invalid_argument|out_of_range"
    rb"|logic_error|domain_error|length_error|bad_cast|bad_alloc|bad_optional|bad_variant"
)
"""That it does not, or that it refuses what it is given."""
_THROWS = (b"hrows", b"@throw", b"\\throw", b"@exception", b"\\exception", b"ay throw", b"an throw", b"ill throw")
"""One of them is in what says that it throws."""


def _documented(
    data: bytes, comments: list[tuple[int, int]], functions: Sequence[FunctionRecord]
) -> Iterator[FunctionRecord]:
    """The functions, those marked of which a comment says that they throw where they fail: `// Throws std::system_error
    when the device is busy.`"""
    said = frozenset(_said_to_throw(data, comments)) if any(word in data for word in _THROWS) else frozenset()
    for function in functions:
        if function.start in said and "noexcept" not in function.qualifiers:
            words = tuple(sorted((*function.qualifiers, "throws")))
            yield msgspec.structs.replace(function, qualifiers=words)
        else:
            yield function


def _said_to_throw(data: bytes, comments: list[tuple[int, int]]) -> Iterator[int]:
    """Where code begins of which a comment says so: below the comment, or before it on the line."""
    begun = -1
    for number, (start, end) in enumerate(comments):
        line = data.rfind(b"\n", 0, start) + 1
        stands_alone = not data[line:start].strip()
        begun = start if begun < 0 else begun
        following = comments[number + 1][0] if number + 1 < len(comments) else len(data)
        if stands_alone and _NEXT_LINE.fullmatch(data, end, following) and following < len(data):
            continue
        block, begun = data[begun:end], -1
        if _SAYS_THROWS.search(block) is not None and _OF_CALLER.search(block) is None:
            code = _BLANK.match(data, end if stands_alone else line)
            yield code.end() if code is not None else end


_BLANK = re.compile(rb"\s*+")


def _suppressions(data: bytes, comments: list[tuple[int, int]]) -> tuple[Suppression, ...]:
    if b"ownlint" not in data:
        return ()
    found = []
    starts = [start for start, _ in comments]
    for start, end in comments:
        if b"ownlint" not in data[start:end]:
            continue
        line = data.rfind(b"\n", 0, start) + 1
        before = data[line:start].strip()
        index = bisect_right(starts, line) - 1
        if index >= 0 and comments[index][0] <= line < comments[index][1] <= start:
            before = data[comments[index][1] : start].strip()  # the line opens inside of a comment
        suppression = parse_suppression(data[start:end].decode("utf-8", "replace"), start, end, bool(before))
        if suppression is not None:
            found.append(suppression)
    return tuple(found)


def _problems(root: Node, lost: int, size: int) -> tuple[Problem, ...]:
    if lost <= _LOST * size:
        return ()
    line = next(g.gaps(root)).start_point[0] + 1
    share = lost * 100 // max(size, 1)
    return (Problem(0, size, "partial", f"{share} % of the file could not be parsed (first error: line {line})"),)
