"""Facts as a person reads them: `text(value)` for messages, `file(facts)` for `ownlint facts FILE`.

Both write source-like text from the records alone, so that they cannot say more than the facts do.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint.facts import records as r

WIDTH = 60
"""Values longer than this are cut in messages."""


def text(value: r.Value, width: int = WIDTH) -> str:
    """The value as compact source: `cache[k]`, `it->second`, `f(a, b)`.

    Longer than `width`, the arguments go first (`f(…)`), then the end is cut, always marked by `…`.
    """
    for depth in (100, 2, 1):
        written = _value(value, depth)
        if len(written) <= width:
            return written
    return written[: width - 1].rstrip() + "…"


def _value(value: r.Value, depth: int) -> str:
    """`depth` is how many levels of brackets are written out; deeper ones become `…`."""
    match value:
        case r.Name(text=name):
            return name
        case r.Literal(text=written):
            return " ".join(written.split())
        case r.Member(base=base, name=name, arrow=arrow):
            return f"{_operand(base, depth)}{'->' if arrow else '.'}{name}"
        case r.Index(base=base, indexes=indexes):
            return f"{_operand(base, depth)}[{_list(indexes, depth)}]"
        case r.Call():
            return _call(value, depth)
        case r.Unary():
            return _unary(value, depth)
        case r.Binary(op=",", left=left, right=right):
            return f"{_value(left, depth)}, {_value(right, depth)}"
        case r.Binary(op="&&" | "||" as op, left=left, right=right, language="python"):
            return f"{_operand(left, depth)} {'and' if op == '&&' else 'or'} {_operand(right, depth)}"
        case r.Binary(op=op, left=left, right=right):
            return f"{_operand(left, depth)} {op} {_operand(right, depth)}"
        case r.Assign(target=target, op="++" | "--" as op):
            return f"{_operand(target, depth)}{op}"
        case r.Assign(target=target, op=op, value=given):
            return f"{_value(target, depth)} {op} {_value(given, depth)}"
        case r.Cast():
            return _cast(value, depth)
        case _:
            return _larger(value, depth)


def _larger(
    value: r.Conditional | r.Lambda | r.Aggregate | r.Pair | r.Comprehension | r.OpaqueValue, depth: int
) -> str:
    """What is made of several values, or of a body."""
    match value:
        case r.Conditional(condition=condition, then=then, other=other, language="python"):
            return f"{_operand(then, depth)} if {_operand(condition, depth)} else {_operand(other, depth)}"
        case r.Conditional(condition=condition, then=then, other=other):
            return f"{_operand(condition, depth)} ? {_operand(then, depth)} : {_operand(other, depth)}"
        case r.Lambda(language="python", parameters=names):
            return f"lambda{' ' * bool(names)}{', '.join(names)}: …"
        case r.Lambda(captures=captures):
            return f"[{', '.join(_capture(each) for each in captures)}](…) {{…}}"
        case r.Aggregate():
            return _aggregate(value, depth)
        case r.Pair(key=r.Name(text=name), value=given):
            return f"{name}={_value(given, depth)}"
        case r.Pair(key=key, value=given):
            return f"{_value(key, depth)}: {_value(given, depth)}"
        case r.Comprehension():
            return _comprehension(value, depth)
        case r.OpaqueValue(text=written):
            return " ".join(written.split())


def _operand(value: r.Value, depth: int) -> str:
    """A value as part of a larger one, in parentheses where it would read differently."""
    written = _value(value, depth)
    match value:
        case r.Binary() | r.Conditional() | r.Assign() | r.Lambda() | r.Unary(op="*" | "&" | "await" | "co_await"):
            return f"({written})"
        case r.Cast(style="c"):
            return f"({written})"
        case _:
            return written


def _list(values: tuple[r.Value, ...], depth: int) -> str:
    if values and depth <= 1:
        return "…"
    return ", ".join(_value(each, depth - 1) for each in values)


def _call(call: r.Call, depth: int) -> str:
    arguments = _list(call.args, depth)
    template = f"<{call.template}>" if call.template else ""
    callee = _operand(call.callee, depth)
    match call.kind:
        case "new":
            return f"new {callee}{template}({arguments})"
        case "delete":
            return f"delete {arguments or callee}"
        case _:
            return f"{callee}{template}({arguments})"


def _unary(unary: r.Unary, depth: int) -> str:
    inner = _operand(unary.value, depth)
    match unary.op:
        case "spread":
            return f"*{inner}"
        case "spread2":
            return f"**{inner}"
        case "sizeof":
            return f"sizeof({inner.strip('()')})"
        case word if word[:1].isalpha():
            return f"{word} {inner}"
        case op:
            return f"{op}{inner}"


def _cast(cast: r.Cast, depth: int) -> str:
    match cast.style:
        case "c":
            return f"({cast.type}){_operand(cast.value, depth)}"
        case "functional":
            return f"{cast.type}({_value(cast.value, depth)})"
        case style:
            return f"{style}<{cast.type}>({_value(cast.value, depth)})"


def _capture(capture: r.Capture) -> str:
    if capture.name in ("&", "=", "this", "*this"):
        return capture.name
    start = f"&{capture.name}" if capture.by_reference else capture.name
    return start if capture.value is None else f"{start} = {_value(capture.value, 2)}"


_BRACKETS = {"tuple": ("(", ")"), "generator": ("(", ")"), "list": ("[", "]")}
_BRACES = ("{", "}")


def _aggregate(aggregate: r.Aggregate, depth: int) -> str:
    if aggregate.kind == "slice":
        parts = [_value(each, depth) for each in aggregate.items]
        return ":".join(parts[:2] if parts[2:] == [""] else parts) or ":"
    items = _list(aggregate.items, depth) + (", …" if aggregate.cut else "")
    if aggregate.kind == "fstring":
        return f'f"{{{items}}}"'
    if aggregate.kind == "tuple" and len(aggregate.items) == 1:
        items += ","
    opening, closing = _BRACKETS.get(aggregate.kind, _BRACES)
    return f"{opening}{items}{closing}"


def _comprehension(value: r.Comprehension, depth: int) -> str:
    opening, closing = _BRACKETS.get(value.kind, _BRACES)
    clauses = "".join(
        f" for {_value(clause.target, depth)} in {_operand(clause.iterable, depth)}"
        + "".join(f" if {_value(each, depth)}" for each in clause.conditions)
        for clause in value.clauses
    )
    return f"{opening}{_value(value.element, depth)}{clauses}{closing}"


# --- a whole file -----------------------------------------------------------------------------


def file(facts: r.FileRecord) -> Iterator[str]:
    """The lines of a readable print."""
    read = "typed" if facts.typed else "structure only"
    yield f"{facts.path}: {facts.language}, {facts.size} bytes, {read}"
    for problem in facts.problems:
        yield f"{problem.kind}: {problem.reason}"
    for imported in facts.imports:
        yield f"import {imported.name} {imported.target}"
    for macro in facts.macros:
        parameters = "" if macro.parameters is None else f"({', '.join(macro.parameters)})"
        yield f"macro {macro.name}{parameters} = {_short(macro.body)}"
    for alias in facts.aliases:
        yield f"alias {_qualified(alias.scope, alias.name, facts)} -> {alias.target} ({alias.kind})"
    for variable in facts.variables:
        value = "" if variable.value is None else f" = {text(variable.value)}"
        yield f"variable {_qualified(variable.scope, variable.name, facts)}: {variable.type or '?'}{value}"
    for cls in facts.classes:
        yield from _class(cls, facts)
    yield from _bindings(facts)
    for index, function in enumerate(facts.functions):
        yield from _function(index, function, facts)
    for each in facts.suppressions:
        yield _suppression(each)
    for meaning in facts.meanings:
        type_ = f": {meaning.type}" if meaning.type else ""
        yield f"meaning @{meaning.start} {meaning.symbol}{type_}"


def _suppression(each: r.Suppression) -> str:
    wrong = f"  problem: {each.problem}" if each.problem else ""
    return f"suppression {each.kind} [{', '.join(each.rules)}]: {each.reason}{wrong}"


def _bindings(facts: r.FileRecord) -> Iterator[str]:
    for index, bound in enumerate(facts.bound_classes):
        yield from _bound_class(index, bound, facts)
    for binding in facts.bindings:
        if binding.owner < 0:
            yield _binding(binding)
    for table in facts.tables:
        yield from _table(table)


def _table(table: r.Table) -> Iterator[str]:
    yield f"table of {table.kind} {table.name}" + (f' "{table.title}"' if table.title else "")
    for entry in table.entries:
        called = "" if entry.function is None else f" {text(entry.function)}"
        setter = "" if entry.setter is None else f" set {text(entry.setter)}"
        yield f"  {entry.name or '?'}{called}{setter}" + (f" [{entry.flags}]" if entry.flags else "")


def _short(written: str, width: int = 100) -> str:
    flat = " ".join(written.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def _qualified(scope: str, name: str, facts: r.FileRecord) -> str:
    separator = "::" if facts.language == "cpp" else "."
    return f"{scope}{separator}{name}" if scope else name


def _annotations(annotations: tuple[r.Annotation, ...]) -> str:
    return "".join(f" @{each.name}" + (f"({each.arguments})" if each.arguments else "") for each in annotations)


def _class(each: r.ClassRecord, facts: r.FileRecord) -> Iterator[str]:
    bases = f" : {', '.join(base.name for base in each.bases)}" if each.bases else ""
    template = f"<{each.template}>" if each.template else ""
    name = _qualified(each.scope, each.name, facts)
    yield f"{each.kind} {name}{template}{bases}{_annotations(each.annotations)}  [destructor {each.destructor}]"
    for field in each.fields:
        value = "" if field.value is None else f" = {text(field.value)}"
        comment = f"  # {_short(field.comment)}" if field.comment else ""
        static = "thread_local " if field.thread_local else "static " if field.static else ""
        bits = " bits" if field.bits else ""
        yield f"  {static}{field.name}: {field.type or '?'}{bits}{value}{_annotations(field.annotations)}{comment}"


def _bound_class(index: int, bound: r.BoundClass, facts: r.FileRecord) -> Iterator[str]:
    extras = "".join(f", {extra.text or extra.name}" for extra in bound.extras)
    yield f'bound class "{bound.name}" = {bound.framework} class_<{", ".join(bound.arguments)}>{extras}'
    for binding in facts.bindings:
        if binding.owner == index:
            yield "  " + _binding(binding)


def _binding(binding: r.BindingRecord) -> str:
    target = "" if binding.callable is None else f" = {text(binding.callable)}"
    setter = "" if binding.setter is None else f", set by {text(binding.setter)}"
    extras = "".join(f", {extra.text or extra.name}" for extra in binding.extras)
    return f'{binding.kind} "{binding.name}"{target}{setter}{extras}'


def _function(index: int, function: r.FunctionRecord, facts: r.FileRecord) -> Iterator[str]:
    parameters = ", ".join(_parameter(each) for each in function.parameters)
    result = f" -> {function.result}" if function.result else ""
    words = f" [{', '.join(function.qualifiers)}]" if function.qualifiers else ""
    name = _qualified(function.scope, function.name, facts)
    end = "" if function.defined else "  (declared)"
    yield f"#{index} {function.kind} {name}({parameters}){result}{words}{_annotations(function.annotations)}{end}"
    for each in function.initializers:
        yield f"  : {each.name}({', '.join(text(value) for value in each.args)})"
    for statement in r.decode_body(function):
        yield from _statement(statement, 1)


def _parameter(parameter: r.Parameter) -> str:
    type_ = f": {parameter.type}" if parameter.type else ""
    default = "" if parameter.default is None else f" = {text(parameter.default)}"
    return f"{parameter.spread}{parameter.name}{type_}{default}"


def _block(body: r.Body, depth: int) -> Iterator[str]:
    for statement in body:
        yield from _statement(statement, depth)


def _statement(statement: r.Statement, depth: int) -> Iterator[str]:
    pad = "  " * depth
    match statement:
        case r.Evaluate(value=value):
            yield f"{pad}{text(value, 100)}"
        case r.Declare():
            yield f"{pad}{_declared(statement)}"
        case r.Leave(kind=kind, value=value, label=label):
            yield f"{pad}{kind}{' ' + text(value, 100) if value is not None else ''}{' ' + label if label else ''}"
        case r.Label(name=name):
            yield f"{pad}label {name}"
        case r.Delete(targets=targets):
            yield f"{pad}del {', '.join(text(each) for each in targets)}"
        case r.Nested(name=name, function=index):
            yield f"{pad}define {name}{f' #{index}' if index >= 0 else ''}"
        case r.Scope(kind=kind, names=names):
            yield f"{pad}{kind} {', '.join(names)}"
        case r.Opaque(text=written):
            yield f"{pad}opaque {_short(written)}"
        case _:
            yield from _structured(statement, depth)


def _declared(statement: r.Declare) -> str:
    given = "" if statement.value is None else f" = {text(statement.value, 100)}"
    static = "thread_local " if statement.thread_local else "static " if statement.static else ""
    cleanup = f" [cleanup {statement.cleanup}]" if statement.cleanup else ""
    return f"{static}let {', '.join(statement.names)}: {statement.type}{given}{cleanup}"


def _structured(statement: r.Statement, depth: int) -> Iterator[str]:
    pad = "  " * depth
    match statement:
        case r.Block(body=body):
            yield f"{pad}scope"
            yield from _block(body, depth + 1)
        case r.Branch():
            yield from _block(statement.before, depth)
            yield f"{pad}if {text(statement.condition, 100)}"
            yield from _block(statement.then, depth + 1)
            if statement.other:
                yield f"{pad}else"
                yield from _block(statement.other, depth + 1)
        case r.Loop():
            yield from _loop(statement, depth)
        case r.Switch(value=value, cases=cases):
            yield f"{pad}switch {text(value, 100)}"
            for case in cases:
                yield f"{pad}  case {', '.join(text(each) for each in case.values) or 'default'}"
                yield from _block(case.body, depth + 2)
        case r.Try():
            yield from _try(statement, depth)
        case r.With(items=items, body=body):
            names = (text(i.value) + (f" as {text(i.target)}" if i.target is not None else "") for i in items)
            yield f"{pad}with {', '.join(names)}"
            yield from _block(body, depth + 1)


def _loop(loop: r.Loop, depth: int) -> Iterator[str]:
    pad = "  " * depth
    yield from _block(loop.before, depth)
    if loop.iterable is not None:
        yield f"{pad}for {text(loop.target) if loop.target is not None else '_'} in {text(loop.iterable, 100)}"
    else:
        yield f"{pad}{loop.kind} {text(loop.condition, 100) if loop.condition is not None else 'true'}"
    yield from _block(loop.body, depth + 1)
    if loop.step is not None:
        yield f"{pad}  step {text(loop.step)}"
    if loop.otherwise:
        yield f"{pad}otherwise"
        yield from _block(loop.otherwise, depth + 1)


def _try(statement: r.Try, depth: int) -> Iterator[str]:
    pad = "  " * depth
    yield f"{pad}try"
    yield from _block(statement.body, depth + 1)
    for handler in statement.handlers:
        yield f"{pad}catch {handler.type or '...'}{' as ' + handler.name if handler.name else ''}"
        yield from _block(handler.body, depth + 1)
    for word, body in (("otherwise", statement.otherwise), ("finally", statement.final)):
        if body:
            yield f"{pad}{word}"
            yield from _block(body, depth + 1)
