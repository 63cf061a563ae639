"""A value is cast to the type that it already has.

## What it reports

- with type information, a cast whose operand already has the target type (a pointer to a class, or a class by
  reference)
- without it, a cast of a name, a member, an element, an address, another cast or the result of a known function whose
  declared type is the target type, also in an initialiser list, and of `a ? b : c` if both have it
- a function template that only casts, if it is called with that type (`std::static_pointer_cast`, `llvm::cast`, or one
  of the project)

## Why it is a bug

The cast does nothing today. When one of the two types changes, it hides the mismatch from the compiler.

## Example

bad:

```cpp
struct Stream { int id; };
int Id(Stream* stream) { return static_cast<Stream*>(stream)->id; }
```

```text
case.cc:2: note: `stream` already has type `Stream*`
  help: remove the cast
```

good:

```cpp
struct Stream { int id; };
int Id(Stream* stream) { return stream->id; }
```

## How to fix it

Remove the cast. `--fix` does that.

## What it does not report

- numbers of two type names, which may be one type only on this platform
- bit-fields, `volatile`, and a number passed as a copy of a variable
- intended copies, moves, casts to `void` and of `this`, and casts from or to another name of the type
- templates, where the type may differ in another instantiation

## Known limitations

- A cast of any other expression is not analysed.
- Template arguments are compared as they are spelled.

## Source

a review of GPU command-buffer caching in XLA, where `unique_ptr<T>::get()` was cast to `T*`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import structs

from ownlint import (
    Certainty,
    Class,
    Edit,
    File,
    Finding,
    Fix,
    Function,
    Program,
    Span,
    because,
    places,
    questions,
    records,
    rule,
    text,
    types,
)

_CASTS = re.compile(rb"\[9,\d")
_STYLES = frozenset({"c", "static_cast", "reinterpret_cast", "dynamic_cast", "const_cast"})
_WORD = re.compile(r"\w+")
_SPACES = re.compile(r"\s+")
_HIDDEN = re.compile(r"\(anonymous[^)]*\)::|\b(?:class|struct|enum|union)\s+")
_BUILTIN = re.compile(
    r"(?:(?:unsigned|signed|long|short|const|volatile) ?)*"
    r"(?:char\w*|int|long|short|float|double|bool|wchar_t|unsigned|signed)?"
)


@rule(severity="note", fixable=True)
def redundant_cast(function: Function) -> Iterator[Finding]:
    if not _may_cast(function) or _is_template(function):
        return
    for statement in (*function.record.initializers, *function.statements):
        for value in _values(statement):
            for inner in places.walk(value):
                cast = _cast(function, inner)
                certainty = _known(function, cast) if cast is not None else None
                if cast is None or certainty is None:
                    continue
                if not _is_amount(function, cast.type) or not _is_copied(function, statement, cast):
                    yield function.finding(
                        cast,
                        f"{_redundant(cast)}`{text(cast.value)}` already has type `{_shown(function, cast)}`",
                        certainty=certainty,
                        help=_help(cast),
                        fix=_fix(function, statement, cast),
                        cause=cast.type,
                    )


def _may_cast(function: Function) -> bool:
    if function.says(_CASTS) or function.mentions_any(_named_pointers(function.program)):
        return True
    filled = (inner for one in function.record.initializers for value in one.args for inner in places.walk(value))
    if any(isinstance(inner, records.Cast) for inner in filled):
        return True
    casting = _casting_templates(function.program)
    return any(name in casting or "returns" in function.program.models.verbs(name) for name in function.mentioned)


@questions.program_question
def _casting_templates(program: Program) -> frozenset[str]:
    """Names of the project's templates that take one thing and may hand it on as another."""
    return frozenset(
        name
        for name, record in program.index.declared_functions()
        if "template" in record.qualifiers and len(record.parameters) == 1 and record.result not in ("", "void")
    )


def _cast(function: Function, value: records.Value) -> records.Cast | None:
    """The cast that a value is, by the language or by a function: `cast<Call>(node)`, which makes a pointer to what its
    template names of a pointer, plain or owning."""
    match value:
        case records.Cast(style=style) if style in _STYLES:
            return value
        case records.Call(callee=records.Name(text=name, start=start), args=(operand,)) if (
            start == value.start and _names_pointer(function, name, start)  # else a declaration, or a `new`
        ):
            return records.Cast(value.start, value.end, name, _CALLED, operand)
        case records.Call(kind="call", template=written, args=(operand,)) if written and _casts(function, value):
            return records.Cast(value.start, value.end, _like(function, written, operand), _FUNCTION, operand)
    return None


def _names_pointer(function: Function, name: str, at: int) -> bool:
    """Whether a name that is called stands for a pointer to a class of the project: `Handle(value)` casts."""
    if name in function.locals or name not in _named_pointers(function.program):
        return False
    return bool(types.parse(function.program.names.expand(name, function.file, function.record.scope, at)).pointers)


@questions.program_question
def _named_pointers(program: Program) -> frozenset[str]:
    """The names that stand for one pointer to one class of the project wherever they are declared."""
    meant: dict[str, set[str]] = {}
    for alias in program.index.type_aliases:
        meant.setdefault(alias.name, set()).add(alias.target)
    classes = {cls.name for cls in program.classes}
    return frozenset(
        name
        for name, targets in meant.items()
        if len(targets) == 1 and name not in classes
        if (kind := types.parse(next(iter(targets)))).pointers == 1 and kind.last in classes and not kind.arguments
    )


_FUNCTION = "function"
_CALLED = "called"
"""The style of `Handle(value)`."""


def _casts(function: Function, call: records.Call) -> bool:
    callee = function.program.calls.callee(call, function)
    if callee.functions:
        return all(_only_casts(one) for one in callee.functions)
    return bool(callee.models) and all(model.casts for model in callee.models)


def _only_casts(callee: Function) -> bool:
    """Whether a template answers with nothing but its parameter, cast, or null."""
    if "template" not in callee.record.qualifiers or len(callee.record.parameters) != 1:
        return False
    name, found = callee.record.parameters[0].name, False
    for statement in callee.statements:
        if not isinstance(statement, records.Leave):
            continue
        pending = [statement.value]
        while pending:
            match pending.pop():
                case records.Conditional(then=then, other=other):
                    pending += [then, other]
                case records.Cast(style=style, value=records.Name(text=text)) if style in _STYLES and text == name:
                    found = True
                case records.Call(template=written, args=(records.Name(text=text),)) as call if written:
                    if text != name or not _casts(callee, call):
                        return False
                    found = True
                case records.Literal(kind="null"):
                    continue
                case _:
                    return False
    return found


def _shown(function: Function, cast: records.Cast) -> str:
    """The type that the operand has: of an owner the owner's, as the project calls it."""
    if cast.style != _FUNCTION:
        return cast.type
    given = function.program.types.of(cast.value, function)
    return given.removeprefix("const ").rstrip("& ") if _owned(function, given) != given else cast.type


def _like(function: Function, written: str, operand: records.Value) -> str:
    """What a function makes of the operand that casts to this: a pointer of a pointer or an owner."""
    kind = types.parse(written)
    if not kind.is_value:
        return written
    given = _owned(function, function.program.types.of(operand, function))
    const = "const " if types.parse(given).const or kind.const else ""
    return f"{const}{written.replace('const ', '')}{'*' * types.parse(given).pointers}"


def _owned(function: Function, given: str) -> str:
    """What an owner leads to, as a plain pointer does; also one that goes by a name of the project's."""
    kind = types.parse(function.program.names.expand(given, function.file, function.record.scope))
    if kind.arguments and {"smart pointer", "shared pointer"} & set(function.program.types.roles(given, function)):
        return f"{kind.arguments[0]}*"
    return given


def _is_amount(function: Function, written: str) -> bool:
    """A number, a truth, or one of a set of names."""
    kind = types.parse(written)
    return not kind.reference and (_is_number(function, written) or (kind.is_value and _enum(function, written)))


def _is_number(function: Function, written: str) -> bool:
    """A number or a truth, also by a name that the project gives to no other type."""
    kind = types.parse(written)
    return kind.is_scalar or (kind.is_value and kind.last in _named_numbers(function.program))


@questions.program_question
def _named_numbers(program: Program) -> frozenset[str]:
    """The last names that stand for one kind of number wherever they are declared."""
    meant: dict[str, set[str]] = {}
    for alias in program.index.type_aliases:
        meant.setdefault(alias.name.rpartition("::")[2], set()).add(alias.target)
    named = {cls.name for cls in program.classes}

    def is_number(name: str, depth: int = 0) -> bool:
        targets = meant.get(name, set())
        kind = types.parse(next(iter(targets))) if len(targets) == 1 and name not in named else None
        if kind is None or not kind.is_value or kind.arguments:
            return False
        return kind.is_scalar or (depth < _DEEPEST and kind.last != name and is_number(kind.last, depth + 1))

    return frozenset(filter(is_number, meant))


_DEEPEST = 3
"""So many names of names are followed."""


def _enum(function: Function, written: str) -> bool:
    name = types.parse(written).name
    return function.program.names.find_class(name, function.record.scope, function.file, enum=True) is not None


def _is_copied(function: Function, statement: records.Statement | records.Initializer, cast: records.Cast) -> bool:
    """Whether the cast of a variable makes a value of it where the variable itself would do something else: what is
    handed to a call by reference, or a type that is left to the compiler."""
    if isinstance(cast.value, records.Call):
        return False
    if isinstance(statement, records.Declare) and statement.value is cast:
        return types.parse(statement.type).is_placeholder
    if isinstance(statement, records.Leave) and statement.value is cast:
        return function.record.kind == "lambda" or types.parse(function.record.result).is_placeholder
    around = (inner for value in _values(statement) for inner in places.walk(value))
    return any(
        isinstance(inner, (records.Call, records.Aggregate)) and any(one is cast for one in places.children(inner))
        for inner in around
    )


def _values(statement: records.Statement | records.Initializer) -> Iterator[records.Value]:
    if isinstance(statement, records.Initializer):
        yield from statement.args
    for name in ("value", "condition", "step", "iterable"):
        value = getattr(statement, name, None)
        if value is not None:
            yield value


def _is_template(function: Function) -> bool:
    """Whether it, or anything around it, has a template's parameters."""
    around: Function | None = function
    while around is not None:
        if "template" in around.record.qualifiers or any("auto" in p.type.split() for p in around.record.parameters):
            return True
        if around.cls is not None and around.cls.record.template:
            return True
        around = around.parent
    scopes = function.record.scope
    owner = function.home
    while owner is not None and "::" in scopes:
        scopes = scopes.rpartition("::")[0]
        owner = function.program.names.find_class(scopes, "", function.file)
        if owner is not None and owner.record.template:
            return True
    return False


def _known(function: Function, cast: records.Cast) -> Certainty | None:
    """How surely the operand has the type already; None where it has not, or that is not known."""
    if "&&" in cast.type or "(" in cast.type or "auto" in cast.type:
        return None
    if "volatile" in cast.type or "volatile" in function.program.types.written(cast.value, function):
        return None
    spelled = _spelled(function, cast.value)
    if cast.style == _FUNCTION:
        spelled = _owned(function, spelled)
    if _is_amount(function, cast.type):
        if not _is_same_amount(function, cast, spelled):
            return None
        if isinstance(places.strip(cast.value), records.Call) or not _is_number(function, cast.type):
            return because("type", _where_from(cast.value))
        return because("possible", "the cast of a literal may be there to document its type")
    if (
        cast.style != _CALLED
        and types.parse(spelled).name != types.parse(cast.type).name
        and (_is_alias(function, spelled, cast.start) or _is_alias(function, cast.type, cast.start))
    ):
        return None  # an opaque handle, or a type that is another elsewhere
    canonical = _canonical(function, cast.value) if function.file.meanings else ""
    given = _owned(function, canonical) if cast.style == _FUNCTION else canonical
    given = given or _declared(function, cast)
    if "*" in given:
        given = given.rstrip(" &")  # a reference to a pointer is cast as the pointer
    if not given or "type-parameter" in given or "<dependent" in given:
        return None
    wanted = _meant(function, cast)
    kind = types.parse(wanted)
    if kind.is_value and cast.style != _FUNCTION:
        return None
    if _BUILTIN.fullmatch(_SPACES.sub(" ", kind.name)):
        return None
    if kind.reference and not types.parse(given).pointers:
        given = given.rstrip(" &") + "&"
    if not wanted or _plain(given) != _plain(wanted):
        return None
    return "certain" if canonical else because("type", _where_from(cast.value))


def _where_from(value: records.Value) -> str:
    """Where the type comes from, in a file that no compiler has read: the declaration of what the operand is made
    from."""
    if isinstance(value, records.Cast):
        return f"the two types are compared as they are written, {_BY}"
    inner: records.Value = value
    while True:
        inner = places.strip(inner) or value
        match inner:
            case records.Call():
                return f"the result type of `{places.called(inner)}` is read from its declaration, {_BY}"
            case records.Unary(value=operand) | records.Index(base=operand):
                inner = operand
            case _:
                return f"the type of `{text(inner)}` is read from its declaration, {_BY}"


_BY = "not resolved by a compiler"


def _is_same_amount(function: Function, cast: records.Cast, spelled: str) -> bool:
    """Whether the operand is declared with the very name that it is cast to: two names may be one type on this platform
    alone."""
    if cast.style == "const_cast" or "volatile" in spelled or _name_of(spelled) != _name_of(cast.type):
        return False
    if not all(_is_sure(function, inner) and not _may_be_another(function, inner) for inner in _leading_to(cast.value)):
        return False
    match cast.value:
        case records.Name(text=name) if name not in function.locals:
            return _is_plain_member(function.home.field(name) if function.home is not None else None)
        case records.Member(base=base, name=name):
            held = list(function.program.types.classes_of(function.program.types.of(base, function), function))
            return bool(held) and all(_is_plain_member(cls.field(name)) for cls in held[:1])
        case records.Index() | records.Unary(op="*"):
            return types.parse(cast.type).last != "bool"  # a set of bits hands out what stands for one
        case records.Name() | records.Call(kind="call", callee=records.Name() | records.Member()):
            return True
    return False


def _may_be_another(function: Function, value: records.Value) -> bool:
    """Whether a function is called that is declared in some builds only: in the others it may be a library's."""
    if not isinstance(value, records.Call):
        return False
    found = function.program.index.records_called(places.last_name(value.callee))
    return any(_is_conditional(file, record) for file, record in found)


def _is_conditional(file: File, record: records.FunctionRecord) -> bool:
    """Whether an `#if` stands around it that is no header's own."""
    around = [
        (span.start, span.end) for span in file.conditionals if span.start <= record.start and record.end <= span.end
    ]
    widest = min(around, default=(0, 0))
    is_guard = all(widest[0] <= one.start and one.end <= widest[1] for one in file.functions)
    return len(around) > is_guard


def _name_of(written: str) -> str:
    kind = types.parse(written)
    const = "const " if kind.pointers and kind.const else ""
    return const + kind.name.removeprefix("std::") + kind.stars if not kind.arguments else written


def _is_plain_member(found: tuple[Class, records.Field] | None) -> bool:
    """Whether it is an object's own, and no bit-field; a constant of a class is cast so that it needs no address."""
    return found is not None and not found[1].bits and not found[1].static


def _canonical(function: Function, value: records.Value) -> str:
    """What the parser says that the operand is; a reference to a pointer is the pointer."""
    inner: records.Value | None = value
    match value:
        case records.Name(text="this"):
            return ""  # said for a base or a derived class that a reader would think of
        case records.Unary(op="&", value=inner):
            pointee = _canonical(function, inner) if isinstance(inner, records.Name) else ""
            return pointee.rstrip(" &") + "*" if pointee and "*" not in pointee else ""
        case records.Name(start=start, end=end, text=name):
            start = end - len(name.rsplit("::", 1)[-1].encode())
        case records.Member():
            start = value.name_start
        case records.Call(kind="call", callee=records.Member() as callee):
            start = callee.name_start
        case records.Call(kind="call", callee=records.Name(text=name, end=end)):
            start = end - len(name.rsplit("::", 1)[-1].encode())
        case _:
            return ""
    meaning = function.program.names.meaning(function.file, start)
    written = meaning.type if meaning is not None else ""
    return written.rstrip(" &") if "*" in written else written


def _declared(function: Function, cast: records.Cast) -> str:
    """What is known without a parser: the declared type of a name or a member, of an element, of what a pointer leads
    to, and of what a function answers that is surely the one called."""
    value = cast.value
    if isinstance(value, records.Conditional):
        found = {_declared(function, structs.replace(cast, value=part)) for part in (value.then, value.other)}
        return found.pop() if len(found) == 1 else ""
    is_local = isinstance(value, records.Name) and value.text in function.locals and not _is_unspelled(function, value)
    stands_alone = is_local or (bool(types.parse(_meant(function, cast)).pointers) and _is_pointer(function, value))
    if cast.style == "const_cast" and not stands_alone and not _is_of_changeable(function, value):
        return ""  # what the object around it is, decides about `const`
    if cast.style == "c" and not stands_alone:
        return ""
    if cast.style == _CALLED and not is_local and not _is_pointer(function, value):
        return ""
    if isinstance(value, records.Name) and value.text == "this":
        return ""
    if not isinstance(value, _OPERANDS) or not all(_is_sure(function, inner) for inner in _leading_to(value)):
        return ""
    written = function.program.types.of(value, function)
    if cast.style == _FUNCTION:
        written = _owned(function, written)
    return "" if types.parse(written).is_placeholder else _in_full(function, written, value.start)


def _is_of_changeable(function: Function, value: records.Value) -> bool:
    """Whether a method is called that gives to those who may change its object what they may change, by a pointer or a
    reference that is spelled without `const`: it differs from another in `const` alone, or stands by itself."""
    on = places.receiver(value) if isinstance(value, records.Call) else None
    if not isinstance(value, records.Call) or not isinstance(on, records.Name) or on.text not in function.locals:
        return False
    written = function.local_at(on.text, on.start)[0]
    kind = types.parse(function.program.names.expand(written, function.file, function.record.scope, on.start))
    if kind.const or kind.is_placeholder or kind.arguments or not (kind.pointers == 1 or kind.reference):
        return False
    found = function.program.calls.callee(value, function).records
    return bool(found) and len({record.result for record in found}) == 1


def _is_pointer(function: Function, value: records.Value) -> bool:
    """Whether the operand is a pointer that stands there as such: whether what it stands in is `const`, or who hands it
    out, says nothing about what it leads to."""
    if isinstance(value, records.Unary) and value.op != "*":
        *_, root = _leading_to(value)
        if value.op != "&" or not isinstance(root, records.Name) or root.text not in function.locals:
            return False
    written = function.program.types.of(value, function)
    if types.parse(function.program.names.expand(written, function.file, function.record.scope)).pointers != 1:
        return False
    if any(_may_be_const(function, inner) for inner in _leading_to(value)):
        return False
    if not isinstance(value, records.Call):
        return True
    callee = function.program.calls.callee(value, function)
    if callee.records:
        return len({record.result for record in callee.records}) == 1
    if callee.models and places.receiver(value) is None:
        return True
    return places.last_name(value.callee) in function.program.models.containers.places | _HANDS_OUT


def _may_be_const(function: Function, value: records.Value, depth: int = 0) -> bool:
    """Whether a part of what is cast is, or holds, something constant, or has a type that nobody spells."""
    if isinstance(value, records.Name) and _is_unspelled(function, value, depth):
        return True
    written = function.program.types.of(value, function)
    return "const" in function.program.names.expand(written, function.file, function.record.scope, value.start)


def _is_unspelled(function: Function, value: records.Name, depth: int = 0) -> bool:
    """Whether a local's type is left to the compiler, which keeps a `const` of what it is made of that is lost here."""
    if value.text not in function.locals:
        return False
    written, initial = function.local_at(value.text, value.start)
    if not types.parse(written).is_placeholder:
        return False
    return initial is None or depth > 3 or any(_may_be_const(function, x, depth + 1) for x in _leading_to(initial))


_HANDS_OUT = frozenset({"get", "value"})
"""What hands out a pointer that an owner or an optional holds."""

_OPERANDS = (records.Name, records.Member, records.Index, records.Call, records.Unary, records.Cast)


def _leading_to(value: records.Value) -> Iterator[records.Value]:
    """The value, what it is a part of, and so on."""
    inner: records.Value | None = value
    while inner is not None:
        yield inner
        match inner:
            case records.Member(base=base) | records.Index(base=base):
                inner = base
            case records.Unary(value=operand):
                inner = operand
            case records.Call():
                inner = places.receiver(inner)
            case _:
                inner = None


def _is_sure(function: Function, value: records.Value) -> bool:
    """Whether it is known what a call reaches: not by its name alone."""
    if not isinstance(value, records.Call):
        return isinstance(value, (records.Name, records.Member, records.Index, records.Cast)) or (
            isinstance(value, records.Unary) and value.op in ("*", "&")
        )
    callee = function.program.calls.callee(value, function)
    return callee.certainty == "certain" or not callee.records


def _spelled(function: Function, value: records.Value) -> str:
    """The type by the name that its declaration uses; empty where none says it."""
    match value:
        case records.Name(text=name, start=start) if name in function.locals:
            written = function.local_at(name, start)[0]
            return "" if types.parse(written).is_placeholder else written
        case records.Name(text=name) if function.home is not None and (found := function.home.field(name)):
            return found[1].type
        case records.Member(base=base, name=name):
            held = function.program.types.of(base, function)
            for cls in function.program.types.classes_of(held, function):
                if found := cls.field(name):
                    return found[1].type
        case records.Unary(op="*", value=inner) | records.Index(base=inner, indexes=(_, *_)):
            whole = _spelled(function, inner)
            if types.parse(whole).pointers or whole.endswith("]"):
                return types.element(whole)
        case records.Call():
            callee = function.program.calls.callee(value, function)
            results = {record.result for record in callee.records} or {callee.result}
            return results.pop() if len(results) == 1 else ""
    return function.program.types.written(value, function)


def _is_alias(function: Function, written: str, at: int) -> bool:
    """Whether a type has the name of another: a `using` that only brings a name in is none."""
    meant = function.program.names.expand(written, function.file, function.record.scope, at)
    kind, other = types.parse(written), types.parse(meant)
    return (kind.last, kind.pointers) != (other.last, other.pointers)


def _meant(function: Function, cast: records.Cast) -> str:
    return _in_full(function, cast.type, cast.start)


def _in_full(function: Function, written: str, at: int) -> str:
    """The type with its class named in full; one that is not seen keeps its name."""
    program, scope = function.program, function.record.scope
    is_const = types.parse(written).const  # an alias that is followed forgets it
    written = program.names.expand(written, function.file, scope, at)
    kind = types.parse(written)
    cls = program.names.find_class(kind.name, scope, function.file)
    if kind.arguments and not function.file.meanings and (cls is None or cls.record.template):
        parts = [_in_full(function, argument, at) for argument in kind.arguments]
        name = f"{cls.symbol if cls is not None else kind.name}<{', '.join(parts)}>" if all(parts) else ""
        const = "const " if is_const or kind.const else ""
        return f"{const}{name}{kind.stars}{'&' * kind.reference}" if name else ""
    if kind.arguments or kind.is_placeholder or (cls is not None and cls.record.template):
        return written if cls is None and "::" in kind.name and function.file.meanings else ""
    if cls is None and any(_says_parameter(one.template, kind.name) for one in function.file.classes):
        return ""
    name = cls.symbol if cls is not None else kind.name.removeprefix("::")
    const = "const " if is_const or kind.const else ""
    return f"{const}{name}{kind.stars}{'&' * kind.reference}"


def _says_parameter(template: str, name: str) -> bool:
    return bool(template) and name in _WORD.findall(template)


def _plain(written: str) -> str:
    bare = _HIDDEN.sub("", written).replace(" const", " const ").strip()
    return _SPACES.sub("", re.sub(r"\bconst\s+", "const.", bare)).removeprefix("::").replace("const.::", "const.")


def _redundant(cast: records.Cast) -> str:
    """Which of two casts it is, where one is the operand of the other."""
    if not isinstance(cast.value, records.Cast):
        return ""
    written = {"c": f"`({cast.type})`", _CALLED: f"`{cast.type}(...)`"}.get(cast.style, f"`{cast.style}<{cast.type}>`")
    return f"{'the outer cast' if cast.style == _FUNCTION else written} is redundant: "


def _help(cast: records.Cast) -> str:
    return f"replace with `{text(cast.value)}`" if isinstance(cast.value, records.Cast) else "remove the cast"


def _fix(function: Function, statement: records.Statement | records.Initializer, cast: records.Cast) -> Fix:
    """The operand alone, in brackets where what follows binds closer than it."""
    start, end = cast.value.start, cast.value.end
    opening, closing = "", ""
    looser = (records.Unary, records.Cast) if cast.style != "c" else ()
    if isinstance(cast.value, (*looser, records.Conditional)):
        opening, closing = "(", ")"
    if cast.style == "c" and isinstance(statement, records.Leave) and cast.start - statement.start <= len("return"):
        opening = " "
    edits = [Edit(function.path, Span(cast.start, start), opening)]
    if end < cast.end or closing:
        edits.append(Edit(function.path, Span(end, cast.end), closing))
    return Fix(_help(cast), tuple(edits), safe=True)
