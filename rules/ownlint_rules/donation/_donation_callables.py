"""What a name or an expression of Python stands for, where it is a callable that consumes: through assignments,
decorators, attributes of a class, imports and the project's own factories.

It is looked up by scope, without order: a name with several bindings may be any of them. What a local is at one place
the interpreter of handles knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from ownlint import Class, Function, Program, Step, because, bodies, places, questions, text, weaker
from ownlint import records as r
from ownlint_rules.donation._donation import (
    Consumer,
    DonationInstance,
    DonationScope,
    Items,
    Known,
    Own,
    PassesOn,
    Spec,
    union,
)
from ownlint_rules.donation._donation_hot import Hot
from ownlint_rules.donation._donation_modules import Modules
from ownlint_rules.donation._donation_specs import Constant, constant, consumer_of, parameters_of, spec_of

_DEEPEST = 10
_WRAPPED = ("fun", "func", "f", "fn", "function")
"""The usual names of the parameter that a wrapper wraps."""
_HARMLESS = frozenset(["staticmethod", "classmethod", "wraps", "lru_cache", "cache", "override", "final", "typecheck"])
"""Last names of decorators behind which a function is what it was."""


class Bound(NamedTuple):
    """One binding of a name: to a value, an item of it, or a definition; `before` is what a decorator is given."""

    value: r.Value | None = None
    item: int = -1
    function: Function | None = None
    before: Bound | None = None


class Callables:
    def __init__(self, program: Program, hot: Hot) -> None:
        self.program = program
        self.models = program.models
        self.consuming = program.models.consuming
        self.modules = Modules(program)
        self.hot = hot
        self.depth = 0
        self._names: questions.Answers[tuple[Function, str], Known | None] = questions.Answers(None)
        self._results: questions.Answers[tuple[Function, str, int, int], Known | None] = questions.Answers(None)
        self._bindings: questions.Answers[Function, dict[str, list[Bound]]] = questions.Answers()
        self._symbols: questions.Answers[str, Known | None] = questions.Answers(None)  # while it is looked up
        self._attributes: questions.Answers[tuple[Class, str], Known | None] = questions.Answers(None)

    # --- expressions ---

    def known(self, value: r.Value | None, scope: DonationScope) -> Known | None:
        if self.depth > _DEEPEST or value is None:
            return None
        self.depth += 1
        try:
            return self._known(value, scope)
        finally:
            self.depth -= 1

    def _known(self, value: r.Value, scope: DonationScope) -> Known | None:
        match value:
            case r.Name():
                return self.name(value, scope)
            case r.Member():
                return self.member(value, scope)
            case r.Call():
                return self.called(value, scope)
            case r.Conditional(then=then, other=other) | r.Binary(op="||", left=then, right=other):
                return union([self.known(then, scope), self.known(other, scope)])
            case r.Assign(op=":=" | "=", value=inner) | r.Unary(op="await", value=inner):
                return self.known(inner, scope)
            case r.Lambda(function=index):
                function = self.program.index.function_at(scope.function.file, index)
                return Own(function, around=scope) if function is not None else None
            case r.Aggregate(kind="tuple" | "list", items=items):
                found = {f"[{n}]": self.known(item, scope) for n, item in enumerate(items)}
                return Items(found) if any(found.values()) else None
            case r.Aggregate(kind="dict", items=items):
                pairs = [item for item in items if isinstance(item, r.Pair) and isinstance(item.key, r.Literal)]
                named = {f"[{text(pair.key)}]": self.known(pair.value, scope) for pair in pairs}
                return Items(named) if any(named.values()) else None
            case r.Index(base=base, indexes=(r.Literal() as index,)):
                whole = self.known(base, scope)
                return whole.items.get(f"[{text(index)}]") if isinstance(whole, Items) else None
        return None

    def name(self, value: r.Name, scope: DonationScope) -> Known | None:
        """What a name stands for, by scope."""
        if scope.given:
            return self._name(value, scope)
        key = (scope.function, value.text)
        return self._names.ask(key, lambda: self._name(value, scope))

    def _name(self, value: r.Name, scope: DonationScope) -> Known | None:
        function: Function | None = scope.function
        while function is not None:
            if value.text in scope.given:
                return self.known(*scope.given[value.text])
            bound = self.bindings(function).get(value.text)
            if bound:
                return union(self.bound(one, DonationScope(function, scope.given)) for one in bound)
            if any(parameter.name == value.text for parameter in function.record.parameters):
                return self.annotated(function, value.text)
            function = function.parent
        module = self.modules.body(scope.function.file)
        if module is not None and module is not scope.function and value.text in self.bindings(module):
            return union(self.bound(one, DonationScope(module)) for one in self.bindings(module)[value.text])
        return self.symbol(self.dotted(value, scope.function))

    def bound(self, bound: Bound, scope: DonationScope) -> Known | None:
        if bound.before is not None and isinstance(bound.value, r.Call):
            return self.decorated(bound.value, self.bound(bound.before, scope), scope)
        if bound.function is not None:
            return Own(bound.function, around=scope)
        if isinstance(bound.value, r.Literal):
            return None
        found = self.known(bound.value, scope)
        if bound.item >= 0:
            return found.items.get(f"[{bound.item}]") if isinstance(found, Items) else None
        return found

    def decorated(self, decoration: r.Call, inner: Known | None, scope: DonationScope) -> Known | None:
        decorator = self.known(decoration.callee, scope)
        if decorator is not None and not isinstance(decorator, Consumer):
            return self.applied(decorator, decoration, scope, inner)
        callee = decoration.callee.callee if isinstance(decoration.callee, r.Call) else decoration.callee
        last = callee.name if isinstance(callee, r.Member) else callee.text if isinstance(callee, r.Name) else ""
        if last in _HARMLESS:
            if isinstance(inner, Own) and _is_static(last, inner):
                return msgspec.structs.replace(inner, unbound=True)
            return inner
        if isinstance(inner, Consumer):
            return msgspec.structs.replace(
                inner,
                certainty=weaker(
                    inner.certainty, because("unread-code", f"the effect of the decorator `{last}` is not known")
                ),
            )
        return None

    def annotated(self, function: Function, name: str) -> Known | None:
        """A parameter whose type is a class of the project, or the receiver."""
        parameters = function.record.parameters
        if parameters and parameters[0].name == name and function.cls is not None and not _is_unbound(function):
            return DonationInstance(function.cls)
        cls = self.modules.class_of(self.type_of(function, name))
        return DonationInstance(cls) if cls is not None else None

    def type_of(self, function: Function, name: str) -> str:
        """The dotted name of a parameter's annotation."""
        start = next((p.start for p in function.record.parameters if p.name == name), -1)
        meaning = self.program.names.meaning(function.file, start)
        return meaning.type if meaning is not None else ""

    def member(self, value: r.Member, scope: DonationScope) -> Known | None:
        symbol = self.dotted(value, scope.function)
        if symbol and not self._is_own_method(value, scope, symbol):
            found = self.symbol(symbol)
            if found is not None:
                return found
        on = self.known(value.base, scope)
        if isinstance(on, DonationInstance):
            return self.attribute(on.cls, value.name)
        return None

    def _is_own_method(self, value: r.Member, scope: DonationScope, symbol: str) -> bool:
        """`self.method` has a meaning of its own; it is bound all the same."""
        return isinstance(value.base, r.Name) and isinstance(self.name(value.base, scope), DonationInstance)

    # --- calls ---

    def called(self, call: r.Call, scope: DonationScope) -> Known | None:
        """What the call gives."""
        symbol = self.dotted(call.callee, scope.function)
        if symbol == "functools.partial" and call.args:
            return self.partial(call, scope)
        if isinstance(call.callee, r.Member):
            on = self.known(call.callee.base, scope)
            if isinstance(on, Consumer) and on.model is not None and call.callee.name in on.model.carries:
                return on.compiled()
        callee = self.known(call.callee, scope)
        if callee is not None:
            return self.applied(callee, call, scope)
        cls = self.modules.class_of(symbol) if symbol else None
        return DonationInstance(cls) if cls is not None else None

    def applied(self, callee: Known, call: r.Call, scope: DonationScope, first: Known | None = None) -> Known | None:
        """`first` is what the first argument is, where that is known already."""
        match callee:
            case Spec():
                return self.wrapped(callee, call, scope, first)
            case PassesOn():
                inner = first if first is not None else self.known(call.args[0] if call.args else None, scope)
                return inner if isinstance(inner, Consumer) else None
            case Own():
                return self.result(callee, call, scope)
        return None

    def wrapped(self, spec: Spec, call: r.Call, scope: DonationScope, first: Known | None) -> Known | None:
        keywords = list(self.keywords(call, scope))
        made = Step(
            scope.function.path, call.span, f"`{text(call.callee, 40)}` declares the donation here" if keywords else ""
        )
        told = any(keyword in (spec.model.positions, spec.model.by_name) for keyword, _ in keywords)
        spec = spec_of(
            spec.model, keywords, lambda value: self.constant(value, scope), made if told else spec.made, spec
        )
        wrapped: r.Value | None = (
            call.args[0] if call.args and not isinstance(call.args[0], (r.Pair, r.Unary)) else None
        )
        wrapped = wrapped or next((value for keyword, value in keywords if keyword in _WRAPPED), None)
        if wrapped is None:
            return spec
        inner = first if first is not None else self.known(wrapped, scope)
        shown = text(wrapped, 40)
        if isinstance(inner, Own):
            parameters = parameters_of(inner)
            return consumer_of(spec, shown, parameters, inner.function, self.unread(inner.function))
        parameters = inner.parameters if isinstance(inner, Consumer) else ()
        return consumer_of(spec, shown, parameters, None, frozenset())

    def partial(self, call: r.Call, scope: DonationScope) -> Known | None:
        inner = self.known(call.args[0], scope)
        given = [argument for argument in call.args[1:] if not isinstance(argument, r.Pair)]
        if any(isinstance(argument, r.Unary) and argument.op.startswith("spread") for argument in given):
            return None if not isinstance(inner, Spec) else self.wrapped(inner, call, scope, None)
        match inner:
            case Spec():
                made = Step(scope.function.path, call.span, "")
                return spec_of(inner.model, self.keywords(call, scope), lambda v: self.constant(v, scope), made, inner)
            case Consumer():
                taken = {take.position for take in inner.takes}
                held = tuple((n, value) for n, value in enumerate(given) if n in taken)
                return msgspec.structs.replace(inner.shifted(len(given)), held=held)
            case Own():
                return msgspec.structs.replace(inner, given=inner.given + len(given))
        return None

    def keywords(self, call: r.Call, scope: DonationScope) -> Iterator[tuple[str, r.Value]]:
        """Those of a dict that is spread into the call, too."""
        for argument in call.args:
            match argument:
                case r.Pair(key=r.Name(text=name), value=value):
                    yield name, value
                case r.Unary(op="spread2", value=inner):
                    found = self.resolve(inner, scope) if isinstance(inner, (r.Name, r.Member)) else (inner, scope)
                    yield from _entries(found[0] if found is not None else None)

    def constant(self, value: r.Value, scope: DonationScope) -> Constant:
        return constant(value, scope, self.resolve)

    def resolve(self, value: r.Value, scope: DonationScope) -> tuple[r.Value, DonationScope] | None:
        """The one value that a name or an attribute is bound to, and where that stands."""
        if isinstance(value, r.Name):
            function: Function | None = scope.function
            while function is not None:
                if value.text in scope.given:
                    return scope.given[value.text]
                bound = self.bindings(function).get(value.text)
                if bound:
                    return _only(bound, DonationScope(function, scope.given))
                default = next((p.default for p in function.record.parameters if p.name == value.text), None)
                if default is not None:
                    return default, scope
                function = function.parent
            module = self.modules.body(scope.function.file)
            if module is not None and value.text in self.bindings(module):
                return _only(self.bindings(module)[value.text], DonationScope(module))
        if isinstance(value, r.Member):
            on = self.known(value.base, scope)
            if isinstance(on, DonationInstance):
                return next(((v, s) for v, s in self.assigned(on.cls, value.name) if v is not None), None)
        return self._resolve_symbol(self.dotted(value, scope.function))

    def _resolve_symbol(self, symbol: str) -> tuple[r.Value, DonationScope] | None:
        found = self.modules.find(symbol) if symbol else None
        if found is None or len(found[1]) != 1:
            return None
        module = self.modules.body(found[0])
        return _only(self.bindings(module).get(found[1][0], []), DonationScope(module)) if module is not None else None

    def result(self, own: Own, call: r.Call | None, scope: DonationScope) -> Known | None:
        """What a function of the project returns."""
        function = own.function
        if "generator" in function.record.qualifiers or not self.may_hand_out(function):
            return None
        at = (call.start, call.end) if call is not None else (-1, -1)
        key = (function, scope.function.path, *at)
        if scope.given or (own.around is not None and own.around.given):
            return self._result(own, call, scope)
        return self._results.ask(key, lambda: self._result(own, call, scope))

    def may_hand_out(self, function: Function) -> bool:
        """By its name: it may return a callable that consumes."""
        return self.hot.may_hand_out(function) or function.record.kind == "lambda"

    def _result(self, own: Own, call: r.Call | None, scope: DonationScope) -> Known | None:
        function = own.function
        given = dict(own.around.given) if own.around is not None else {}
        given |= _passed(function, own, call, scope)
        inside = DonationScope(function, given)
        leaves = [s for s in function.statements if isinstance(s, r.Leave) and s.kind == "return"]
        found = [leave.value for leave in leaves if leave.value is not None and not isinstance(leave.value, r.Literal)]
        return union(self.known(value, inside) for value in found) if found else None

    # --- classes ---

    def attribute(self, cls: Class, name: str) -> Known | None:
        """An attribute that is asked of an instance."""
        return self._attributes.ask((cls, name), lambda: self._attribute(cls, name))

    def _attribute(self, cls: Class, name: str) -> Known | None:
        for one in cls.ancestry:
            body = self.modules.class_body(one)
            declared = self.bindings(body).get(name, []) if body is not None else []
            assigned = [bound for method in one.methods for bound in self._on_self(method, name)]
            real = [self.bound(b, DonationScope(m)) for m, b in assigned if not isinstance(b.value, r.Literal)]
            if body is not None and not real:
                real = [self.as_bound(self.bound(b, DonationScope(body))) for b in declared]
            if declared or assigned:
                return union(real)
        return None

    def as_bound(self, found: Known | None) -> Known | None:
        """Found in a class, asked of an instance."""
        match found:
            case Consumer(unbound=False):
                return found.shifted(1)
            case Own(function=function):
                if "property" in function.record.qualifiers:
                    return self.result(msgspec.structs.replace(found, bound=True), None, DonationScope(function))
                return msgspec.structs.replace(found, bound="static" not in function.record.qualifiers)
        return found

    def assigned(self, cls: Class, name: str) -> Iterator[tuple[r.Value | None, DonationScope]]:
        """What an attribute is given, wherever the class does so."""
        for one in cls.ancestry:
            body = self.modules.class_body(one)
            if body is not None:
                yield from ((b.value, DonationScope(body)) for b in self.bindings(body).get(name, []))
            for method in one.methods:
                yield from ((b.value if b.item < 0 else None, DonationScope(m)) for m, b in self._on_self(method, name))

    def _on_self(self, method: Function, name: str) -> Iterator[tuple[Function, Bound]]:
        if not method.mentions("=" + name) or not method.record.parameters:
            return
        receiver = method.record.parameters[0].name
        yield from ((method, bound) for bound in self.bindings(method).get(f"{receiver}.{name}", []))

    # --- names ---

    def dotted(self, value: r.Value, function: Function) -> str:
        return self.program.names.named(function.file, value)

    def canonical(self, value: r.Value, function: Function) -> str:
        """What an expression names, by the name that models use."""
        return self.models.canonical(self.dotted(value, function))

    def symbol(self, symbol: str) -> Known | None:
        if not symbol or symbol.startswith("builtins."):
            return None
        return self._symbols.ask(symbol, lambda: self._symbol(symbol))

    def _symbol(self, symbol: str) -> Known | None:
        canonical = self.models.canonical(symbol)
        model = self.consuming.consumers.get(canonical) or self.consuming.consumers.get(symbol)
        if model is not None:
            return Spec(model) if model.is_wrapper else None
        if self.consuming.fits("passes_on", canonical):
            return PassesOn()
        found = self.modules.find(symbol)
        if found is None:
            return None
        file, rest = found
        module = self.modules.body(file)
        if module is None:
            return None
        if len(rest) == 1:
            return union(self.bound(one, DonationScope(module)) for one in self.bindings(module).get(rest[0], []))
        holder = self.modules.class_called(file, rest[:-1])
        if holder is not None:
            body = self.modules.class_body(holder)
            bound = self.bindings(body).get(rest[-1], []) if body is not None else []
            return union(self.bound(one, DonationScope(body)) for one in bound) if body is not None else None
        outer = self.modules.function_called(file, rest[:-1])
        bound = self.bindings(outer).get(rest[-1], []) if outer is not None else []
        return union(self.bound(one, DonationScope(outer)) for one in bound) if outer is not None else None

    def bindings(self, function: Function) -> dict[str, list[Bound]]:
        """All bindings of each name in the function itself, in order; `self.x` stands for an attribute."""
        return self._bindings.ask(function, lambda: dict(_bindings(function, self.modules.definitions(function.file))))

    def unread(self, function: Function) -> frozenset[str]:
        """Parameters that the function never looks at."""
        if not function.body or function.record.opaque:
            return frozenset()
        read = set(self._read(function))
        return frozenset(p.name for p in function.record.parameters if p.name not in read) if read else frozenset()

    def _read(self, function: Function) -> Iterator[str]:
        for part in function.values:
            if isinstance(part, r.Name):
                yield part.text
            elif isinstance(part, r.Aggregate):
                yield from (i.key.text for i in part.items if isinstance(i, r.Pair) and isinstance(i.key, r.Name))
        for inner in self.program.index.nested(function):
            yield from self._read(inner)


def _is_unbound(function: Function) -> bool:
    return bool({"static", "classmethod"} & set(function.record.qualifiers))


def _is_static(last: str, inner: Known | None) -> bool:
    return last == "staticmethod" and isinstance(inner, Consumer)


def _entries(value: r.Value | None) -> Iterator[tuple[str, r.Value]]:
    match value:
        case r.Aggregate(kind="dict", items=items):
            for item in items:
                if isinstance(item, r.Pair) and isinstance(item.key, r.Literal):
                    yield item.key.text.strip("\"'"), item.value
        case r.Call(callee=r.Name(text="dict"), args=args):
            for argument in args:
                if isinstance(argument, r.Pair) and isinstance(argument.key, r.Name):
                    yield argument.key.text, argument.value


def _only(bound: list[Bound], scope: DonationScope) -> tuple[r.Value, DonationScope] | None:
    if len(bound) == 1 and bound[0].value is not None and bound[0].item < 0:
        return bound[0].value, scope
    return None


def _passed(
    function: Function, own: Own, call: r.Call | None, scope: DonationScope
) -> dict[str, tuple[r.Value, DonationScope]]:
    """What the parameters are given by this call."""
    if call is None:
        return {}
    names = parameters_of(own)
    named = {p.name for p in function.record.parameters if not p.spread}
    given: dict[str, tuple[r.Value, DonationScope]] = {}
    rest: dict[str, list[r.Value]] = {"*": [], "**": []}
    for number, argument in enumerate(call.args):
        match argument:
            case r.Pair(key=r.Name(text=name), value=value) if name in named:
                given[name] = (value, scope)
            case r.Pair(key=r.Name(text=name) as key, value=value):
                word = r.Literal(key.start, key.end, "str", f'"{name}"')
                rest["**"].append(r.Pair(argument.start, argument.end, word, value))
            case r.Unary(op="spread" | "spread2"):
                return given
            case _ if number < len(names):
                given[names[number]] = (argument, scope)
            case _:
                rest["*"].append(argument)
    for parameter in function.record.parameters:
        if parameter.spread:  # a tuple, or a dict
            items = tuple(rest[parameter.spread])
            kind: Literal["tuple", "dict"] = "tuple" if parameter.spread == "*" else "dict"
            given[parameter.name] = (r.Aggregate(call.start, call.end, kind, items), scope)
    return given


def _bindings(function: Function, definitions: dict[int, Function]) -> dict[str, list[Bound]]:
    found: dict[str, list[Bound]] = {}
    for statement in function.statements:
        match statement:
            case r.Nested(name=name, function=index):
                inner = function.program.index.function_at(function.file, index) if index >= 0 else None
                if inner is not None:
                    found.setdefault(name, []).append(Bound(function=inner))
            case r.Evaluate(
                value=r.Assign(target=r.Name(text=name), value=r.Call(args=(r.Name(start=at),)) as call)
            ) if at in definitions and name in found and at == definitions[at].record.name_start:
                found[name][-1] = Bound(call, before=found[name][-1])
            case _:
                _take_targets(statement, found)
    return found


def _take_targets(statement: r.Statement, found: dict[str, list[Bound]]) -> None:
    for value in bodies.values(statement):
        for part in places.walk(value):
            if isinstance(part, r.Assign):
                _bind(part.target, part.value if part.op in ("=", ":=") else None, found)
    targets: list[r.Value | None] = []
    match statement:
        case r.Loop(target=target):
            targets = [target]
        case r.With(items=items):
            targets = [item.target for item in items]
    for target in targets:
        for name in bodies.bound_names(target):
            found.setdefault(name, []).append(Bound())


def _bind(target: r.Value, value: r.Value | None, found: dict[str, list[Bound]]) -> None:
    while isinstance(value, r.Assign):
        value = value.value
    match target:
        case r.Name(text=name):
            found.setdefault(name, []).append(Bound(value))
        case r.Member(base=r.Name(text=base), name=name):
            found.setdefault(f"{base}.{name}", []).append(Bound(value))
        case r.Aggregate(items=items):
            for number, item in enumerate(items):
                if isinstance(value, r.Aggregate) and len(value.items) == len(items):
                    _bind(item, value.items[number], found)
                elif isinstance(item, (r.Name, r.Member)):
                    name = item.text if isinstance(item, r.Name) else text(item)
                    found.setdefault(name, []).append(Bound(value, number))
