"""What holds of every record that a frontend makes, whatever the file says: the promises of `ownlint.facts.records`.

Rules rely on them, so a frontend that breaks one is at fault, not the rule that stumbles.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ownlint.facts import records as r

_OPERATORS = frozenset(
    {
        "*",
        "&",
        "!",
        "-",
        "+",
        "~",
        "&&",
        "not",
        "await",
        "co_await",
        "yield",
        "yield from",
        "sizeof",
        "spread",
        "spread2",
    }
    | {"throw"}
)


def broken(file: r.FileRecord) -> Iterator[str]:
    """Each broken promise, in a few words."""
    yield from _outline(file)
    bodies = [r.decode_body(function) for function in file.functions]
    for function, body in zip(file.functions, bodies, strict=True):
        if body and not function.defined:
            yield "a function that is not defined has a body"
        unmentioned = sorted(_mentioned(body) - set(function.mentions))
        if unmentioned:
            yield f"the body names {unmentioned[0]!r}, `mentions` does not"
    for top in (file, *bodies):
        for record in _records(top):
            yield from _record(record, file)


def _outline(file: r.FileRecord) -> Iterator[str]:
    functions = len(file.functions)
    for number, function in enumerate(file.functions):
        if not -1 <= function.parent < number:
            yield "the parent of a function is not one before it"
        if not function.start <= function.name_start <= function.end:
            yield "the name of a function is outside of it"
        if list(function.mentions) != sorted(set(function.mentions)):
            yield "`mentions` is not sorted"
        if list(function.qualifiers) != sorted(set(function.qualifiers)):
            yield "`qualifiers` is not sorted"
        if any(not name.removeprefix("=") for name in function.mentions):
            yield "`mentions` holds a name without a letter"
    places = [each.parent for each in file.classes]
    places += [each.in_function for each in (*file.bound_classes, *file.bindings, *file.tables)]
    places += [each.scope for each in file.imports]
    if any(not -1 <= place < functions for place in places):
        yield "something stands in a function that is not there"
    if any(not -1 <= binding.owner < len(file.bound_classes) for binding in file.bindings):
        yield "the owner of a binding is not there"
    if list(file.meanings) != sorted(file.meanings, key=lambda meaning: meaning.start):
        yield "`meanings` is not sorted"
    for pairs in (file.comments, file.comment_lines, file.excuses, file.forgiven, file.debug, file.conditional):
        if len(pairs) % 2 or any(not 0 <= a <= b <= file.size for a, b in zip(pairs[::2], pairs[1::2], strict=True)):
            yield "a pair of offsets is none"


def _record(record: r.Node, file: r.FileRecord) -> Iterator[str]:
    kind = type(record).__name__
    if not 0 <= record.start <= record.end <= file.size:
        yield f"the range of a {kind} is not in the file"
    match record:
        case r.Name(text=text):
            if not _ends_in_name(text):
                yield f"the text of a Name is {text!r}"
        case r.Member():
            if not record.name or not record.start <= record.name_start <= record.end:
                yield f"the name of a Member is {record.name!r}, or stands elsewhere"
        case r.Lambda(function=function):
            if not 0 <= function < len(file.functions) or file.functions[function].kind != "lambda":
                yield "a Lambda is no function"
        case r.Nested(function=function):
            if not -1 <= function < len(file.functions):
                yield "a Nested is no function"
        case r.Call(kind="delete", args=args):
            if len(args) != 1:
                yield "a delete has not one argument"
        case r.Call(kind="new" | "construct" | "macro", callee=callee):
            if not isinstance(callee, r.Name):
                yield f"the callee of a {record.kind} is no Name"
        case r.Unary(op=op):
            if op not in _OPERATORS:
                yield f"a Unary has the operator {op!r}"
        case r.Binary(op=op):
            if not op.strip():
                yield "a Binary has no operator"
        case r.Assign(op=op):
            if not op.endswith("=") and op not in ("++", "--"):
                yield f"an Assign has the operator {op!r}"
        case r.Declare(names=names):
            if not names or not all(names):
                yield f"a Declare has the names {names!r}"
        case r.Cast():
            if not record.type or not record.style:
                yield "a Cast has no type"
        case r.Comprehension(clauses=clauses):
            if not clauses:
                yield "a Comprehension has no clause"
        case r.Loop(kind="range"):
            if record.target is None or record.iterable is None:
                yield "a range loop has no target"
        case r.Loop(kind="while" | "do", condition=None):
            yield f"a {record.kind} loop has no condition"
        case r.Alias():
            if not record.target or bool(record.name) == (record.kind == "open"):
                yield f"an Alias of kind {record.kind} has the name {record.name!r}"
        case r.Suppression():
            if bool(record.rules) == bool(record.problem):
                yield "a Suppression names no rule, and no problem"
        case r.FunctionRecord() | r.Field() | r.Variable() | r.Macro() | r.Import() | r.Annotation() | r.Base():
            if not record.name:
                yield f"a {kind} has no name"
        case r.Initializer() | r.Capture() | r.Label():
            if not record.name:
                yield f"a {kind} has no name"
        case r.Delete(targets=()) | r.Scope(names=()) | r.With(items=()):
            yield f"a {kind} is of nothing"


def _ends_in_name(text: str) -> bool:
    return bool(text) and not text.endswith("::") and text == text.strip()


def _mentioned(body: r.Body) -> set[str]:
    """What `mentions` must hold of a body: the last names of all that is called, and of all that is assigned."""
    found: set[str] = set()
    for record in _records(body):
        match record:
            case r.Call(callee=r.Name(text=text)) if text != "<chain>" and record.kind in ("call", "macro"):
                found.add(text.rpartition("::")[2])
            case r.Call(callee=r.Member(name=name)):
                found.add(name)
            case r.Assign(target=r.Name(text=text)):
                found.add("=" + text.rpartition("::")[2])
            case r.Assign(target=r.Member(name=name)):
                found.add("=" + name)
    return found


def _records(top: object) -> Iterator[r.Node]:
    stack = [top]
    while stack:
        here = stack.pop()
        if isinstance(here, r.Node):
            yield here
        if isinstance(here, tuple | list):
            stack += here
        elif isinstance(here, msgspec.Struct):
            stack += [getattr(here, name) for name in here.__struct_fields__]
