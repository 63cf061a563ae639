"""Statements, functions and classes: one walk over the tree builds all records.

What Python says in a way of its own:

* `a = b = v` is `a = (b = v)`: the value is evaluated once.
* An annotated assignment is an `Assign`; the annotation goes to `Variable`, `Field` and to the type of
  the name's `Meaning`. A declaration without a value (`x: T`) leaves no statement.
* A decorated definition is followed by `name = decorator(name)`, innermost decorator first, beside the
  annotations of the function.
* An import leaves a record and no statement, but for the star import, which is `Opaque`.
* `case pattern if guard` holds its guard as a branch around the body; a guard that fails is taken to leave the
  `match`. What a pattern captures is an assignment inside of the pattern.
* `raise X from Y` throws a `Binary` of kind `from`; the decoration of `async` blocks is left out.
* Constants that stand alone (docstrings, `...`) and `pass` are left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from ownlint.facts import records as r
from ownlint.facts.records import Statement, Value
from ownlint.frontends.python.names import Owner, PythonNames, PythonScope, Symbol, Weak
from ownlint.frontends.python.source import PythonSource
from ownlint.frontends.python.values import DEEPEST, PythonValues, names_inside

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_DEFINITION = re.compile(rb"(?:async[ \t\f\\\r\n]+)?(?:def|class)[ \t\f\\\r\n]+")
_FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_TRY: tuple[type[ast.stmt], ...] = (ast.Try, getattr(ast, "TryStar", ast.Try))


class PythonStatements(PythonValues):
    def __init__(
        self,
        source: PythonSource,
        names: PythonNames,
        module: str,
        package: bool,
        left_out: frozenset[int] = frozenset(),
    ) -> None:
        """The lines `left_out` are no Python."""
        self._left_out = left_out
        super().__init__(source, names, PythonScope("module", 0, ""))
        self.package = module.split(".") if module else []
        if not package:
            self.package = self.package[:-1]
        self.classes: list[r.ClassRecord | None] = []
        self.imports: list[r.Import] = []
        self.variables: dict[str, r.Variable] = {}
        self._statements: dict[type[ast.stmt], Callable[[Any], list[Statement]]] = {
            ast.Expr: self._expression,
            ast.Assign: self._assign,
            ast.AnnAssign: self._annotated,
            ast.AugAssign: self._augmented,
            ast.Return: self._return,
            ast.If: self._if,
            ast.For: self._for,
            ast.AsyncFor: self._for,
            ast.While: self._while,
            ast.With: self._with,
            ast.AsyncWith: self._with,
            **dict.fromkeys(_TRY, self._try),
            ast.Raise: self._raise,
            ast.Assert: self._assert,
            ast.Delete: self._delete,
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
            ast.Global: lambda node: self._names("global", node),
            ast.Nonlocal: lambda node: self._names("nonlocal", node),
            ast.Pass: lambda node: [],
            ast.Break: lambda node: [r.Leave(*self.range(node), "break")],
            ast.Continue: lambda node: [r.Leave(*self.range(node), "continue")],
            ast.FunctionDef: self._function,
            ast.AsyncFunctionDef: self._function,
            ast.ClassDef: self._class,
            ast.Match: self._match,
        }

    def module(self, tree: ast.Module) -> None:
        self.functions.append(None)
        body = self.block(tree.body)
        end = len(self.data)
        self._finish(0, r.FunctionRecord(0, end, "<module>", "", "", "module", "", (), 0, True), body)
        self.names.close(self.scope)

    # --- blocks -------------------------------------------------------------------------------

    def block(self, nodes: Sequence[ast.stmt]) -> tuple[Statement, ...]:
        if self.depth >= DEEPEST and nodes:
            start, end = self.range(nodes[0])[0], self.range(nodes[-1])[1]
            return (self._opaque(nodes, start, end),)
        self.depth += 1
        statements: list[Statement] = []
        for node in nodes:
            build = self._statements.get(type(node))
            if node.lineno in self._left_out:
                statements.append(self._unparsed(node))
            elif build is None:
                statements.append(self._opaque([node], *self.range(node)))
            else:
                statements.extend(build(node))
        self.depth -= 1
        return tuple(statements)

    def _opaque(self, nodes: Sequence[ast.AST], start: int, end: int) -> r.Opaque:
        self.scope.opaque = True
        names = names_inside(nodes)
        return r.Opaque(start, end, self.excerpt(start, end), names)

    def _unparsed(self, node: ast.stmt) -> r.Opaque:
        """What stands in the place of a line that is no Python, with what is indented below it."""
        self.scope.opaque = True
        start = self.source.lines[node.lineno]
        end = self.source.lines[min((node.end_lineno or node.lineno) + 1, len(self.source.lines) - 1)]
        names = sorted(set(_IDENTIFIER.findall(self.source.slice(start, end))))
        return r.Opaque(start, end, self.excerpt(start, end), tuple(names))

    def _expression(self, node: ast.Expr) -> list[Statement]:
        match node.value:
            case ast.Constant():
                return []
            case ast.Call(func=ast.Name(id="exec")):
                return [self._opaque([node], *self.range(node))]
            case ast.NamedExpr() as named:  # `(x := f())` alone is `x = f()`
                value = self.value(named)
                assert isinstance(value, r.Assign)
                self._declare(named.target, value.target)
                return [r.Evaluate(*self.range(node), msgspec.structs.replace(value, op="="))]
        return [r.Evaluate(*self.range(node), self.value(node.value))]

    def _assign(self, node: ast.Assign) -> list[Statement]:
        start, end = self.range(node)
        value = self.value(node.value)
        to = self.bound_to(node.value)
        if len(node.targets) + self.depth > DEEPEST:
            for target in node.targets:
                self.target(target)
            return [self._opaque([node], start, end)]
        for target in reversed(node.targets):
            place = self.target(target, to)
            value = r.Assign(place.start, end, place, "=", value)
            self._declare(target, place)
        return [r.Evaluate(start, end, value)]

    def _annotated(self, node: ast.AnnAssign) -> list[Statement]:
        start, end = self.range(node)
        value = None if node.value is None else self.value(node.value)
        place = self.target(node.target)
        match place:
            case r.Name(start=first) | r.Member(name_start=first):
                type_ = self.annotation(node.annotation, (first, place.end))
            case _:
                type_ = self.annotation(node.annotation)
        self._declare(node.target, place, type_)
        return [] if value is None else [r.Evaluate(start, end, r.Assign(start, end, place, "=", value))]

    def _declare(self, node: ast.expr, place: Value, type_: str = "") -> None:
        """Module variables and class attributes; attributes of `self` once more, for their type."""
        scope = self.scope
        match node:
            case ast.Name(id=name) if scope.kind == "module":
                if name not in self.variables or (type_ and not self.variables[name].type):
                    self.variables[name] = r.Variable(place.start, place.end, name, "", type_)
            case ast.Name(id=name) if scope.kind == "class" and scope.owner is not None:
                scope.owner.declare(name, place.start, place.end, type_, static=True)
            case ast.Attribute(attr=name) if type_ and scope.owner is not None and name in scope.owner.fields:
                scope.owner.declare(name, place.start, place.end, type_, static=False)

    def _augmented(self, node: ast.AugAssign) -> list[Statement]:
        start, end = self.range(node)
        value = self.value(node.value)
        op = self.data[self.range(node.target)[1] : value.start]
        written = re.search(rb"[-+*/%@&|^<>]{1,3}=", op)
        place = self.target(node.target)
        return [r.Evaluate(start, end, r.Assign(start, end, place, written[0].decode() if written else "=", value))]

    def _return(self, node: ast.Return) -> list[Statement]:
        return [r.Leave(*self.range(node), "return", None if node.value is None else self.value(node.value))]

    def _raise(self, node: ast.Raise) -> list[Statement]:
        start, end = self.range(node)
        value = None if node.exc is None else self.value(node.exc)
        if value is not None and node.cause is not None:
            cause = self.value(node.cause)
            value = r.Binary(value.start, cause.end, "from", value, cause)
        return [r.Leave(start, end, "throw", value)]

    def _assert(self, node: ast.Assert) -> list[Statement]:
        start, end = self.range(node)
        self.scope.mentions.add("assert")
        args = [self.value(part) for part in (node.test, node.msg) if part is not None]
        return [r.Evaluate(start, end, r.Call(start, end, r.Name(start, start + 6, "assert"), tuple(args)))]

    def _delete(self, node: ast.Delete) -> list[Statement]:
        return [r.Delete(*self.range(node), tuple([self._deleted(target) for target in node.targets]))]

    def _deleted(self, node: ast.expr) -> Value:
        """`del x` makes `x` a local name, and binds it to nothing."""
        if isinstance(node, ast.Name):
            self.scope.bind(node.id, Weak())
            return r.Name(*self.range(node), node.id)
        return self.value(node)

    def _names(self, kind: Literal["global", "nonlocal"], node: ast.Global | ast.Nonlocal) -> list[Statement]:
        (self.scope.globals if kind == "global" else self.scope.nonlocals).update(node.names)
        return [r.Scope(*self.range(node), kind, tuple(node.names))]

    # --- control flow ---------------------------------------------------------------------------

    def _if(self, node: ast.If) -> list[Statement]:
        if isinstance(node.test, ast.Constant) and node.test.value is True and not node.orelse:
            return list(self.block(node.body))
        start, end = self.range(node)
        condition = self.value(node.test)
        return [r.Branch(start, end, condition, self.block(node.body), self.block(node.orelse))]

    def _for(self, node: ast.For | ast.AsyncFor) -> list[Statement]:
        start, end = self.range(node)
        iterable = self.value(node.iter)
        target = self.target(node.target)
        body = self.block(node.body)
        otherwise = self.block(node.orelse)
        return [r.Loop(start, end, "range", body, target=target, iterable=iterable, otherwise=otherwise)]

    def _while(self, node: ast.While) -> list[Statement]:
        start, end = self.range(node)
        condition = self.value(node.test)
        return [
            r.Loop(start, end, "while", self.block(node.body), condition=condition, otherwise=self.block(node.orelse))
        ]

    def _with(self, node: ast.With | ast.AsyncWith) -> list[Statement]:
        if (suppressed := _suppressed(node.items[-1])) is not None:
            return self._suppress(node, suppressed)
        items: list[r.WithItem] = []
        for item in node.items:
            value = self.value(item.context_expr)
            target = None if item.optional_vars is None else self.target(item.optional_vars)
            items.append(r.WithItem(value.start, (target or value).end, value, target))
        return [r.With(*self.range(node), tuple(items), self.block(node.body))]

    def _suppress(self, node: ast.With | ast.AsyncWith, suppressed: ast.Call) -> list[Statement]:
        """`with suppress(Error): work()` is a `try` whose handler does nothing; what is entered before is around it."""
        if len(node.items) > 1:
            inner = ast.copy_location(ast.With(node.items[-1:], node.body), node)
            return self._with(ast.copy_location(ast.With(node.items[:-1], [inner]), node))
        first, last = suppressed.args[0], suppressed.args[-1]
        types = first
        if first is not last:
            types = ast.copy_location(ast.Tuple(suppressed.args, ast.Load()), first)
            types.end_lineno, types.end_col_offset = last.end_lineno, last.end_col_offset
        handler = r.Handler(*self.range(suppressed), self.annotation(types), "", ())
        return [r.Try(*self.range(node), self.block(node.body), (handler,), (), ())]

    def _try(self, node: ast.Try) -> list[Statement]:
        body = self.block(node.body)
        self.scope.handlers += 1
        handlers = tuple([self._handler(handler) for handler in node.handlers])
        self.scope.handlers -= 1
        otherwise, final = self.block(node.orelse), self.block(node.finalbody)
        if not handlers and not otherwise and all(isinstance(one, ast.Pass) for one in node.finalbody):
            return list(body)
        return [r.Try(*self.range(node), body, handlers, otherwise, final)]

    def _handler(self, node: ast.ExceptHandler) -> r.Handler:
        type_ = self.annotation(node.type)
        if node.name:
            self.scope.bind(node.name)
        return r.Handler(*self.range(node), type_, node.name or "", self.block(node.body))

    # --- match --------------------------------------------------------------------------------

    def _match(self, node: ast.Match) -> list[Statement]:
        subject = self.value(node.subject)
        again = subject if isinstance(subject, (r.Name, r.Member)) else None
        cases = tuple([self._case(case, again) for case in node.cases])
        return [r.Switch(*self.range(node), subject, cases, falls=False)]

    def _case(self, node: ast.match_case, subject: Value | None) -> r.Case:
        start, end = self.range(node.pattern)
        before: list[Statement] = []
        match node.pattern:
            case ast.MatchAs(pattern=None, name=None):
                values: tuple[Value, ...] = ()
            case ast.MatchAs(pattern=None, name=str(name)):
                values = ()
                self.scope.bind(name)
                self.scope.mentions.add("=" + name)
                value = subject or r.OpaqueValue(start, end, name)
                before = [r.Evaluate(start, end, r.Assign(start, end, r.Name(start, end, name), "=", value))]
            case ast.MatchOr(patterns=patterns):
                values = tuple([self._pattern(pattern) for pattern in patterns])
            case pattern:
                values = (self._pattern(pattern),)
        guard = None if node.guard is None else self.value(node.guard)
        body = self.block(node.body)
        end = self.range(node.body[-1])[1]
        if guard is not None:
            body = (r.Branch(guard.start, end, guard, body),)
            values = values or (r.Name(start, start, "_"),)
        return r.Case(start, end, values, (*before, *body))

    def _pattern(self, node: ast.pattern) -> Value:
        if self.depth >= DEEPEST:
            for name in _captured(node):
                self.scope.bind(name)
            return self.opaque(node)
        self.depth += 1
        value = self._inner_pattern(node)
        self.depth -= 1
        return value

    def _inner_pattern(self, node: ast.pattern) -> Value:
        start, end = self.range(node)
        match node:
            case ast.MatchValue(value=value):
                return self.value(value)
            case ast.MatchSingleton(value=constant):
                return r.Literal(start, end, "null" if constant is None else "bool", str(constant))
            case ast.MatchSequence(patterns=parts):
                return r.Aggregate(start, end, "list", tuple([self._pattern(part) for part in parts]))
            case ast.MatchMapping(keys=keys, patterns=parts, rest=rest):
                pairs = [(self.value(key), self._pattern(inner)) for key, inner in zip(keys, parts, strict=True)]
                items: list[Value] = [r.Pair(first.start, last.end, first, last) for first, last in pairs]
                if rest is not None:
                    items.append(r.Unary(start, end, "spread2", self._capture(end, end, rest)))
                return r.Aggregate(start, end, "dict", tuple(items))
            case ast.MatchClass(cls=cls, patterns=parts, kwd_attrs=attributes, kwd_patterns=keywords):
                args = [self._pattern(positional) for positional in parts]
                for attribute, keyword in zip(attributes, keywords, strict=True):
                    part = self._pattern(keyword)
                    args.append(r.Pair(part.start, part.end, r.Name(part.start, part.start, attribute), part))
                return r.Aggregate(start, end, "tuple", (self.value(cls), *args))
            case ast.MatchStar(name=name):
                return r.Unary(start, end, "spread", self._capture(self._last_name(start, end), end, name))
            case ast.MatchAs(pattern=None, name=name):
                return self._capture(start, end, name)
            case ast.MatchAs(pattern=ast.pattern() as inner, name=name):
                captured = self._capture(self._last_name(start, end), end, name)
                return r.Aggregate(start, end, "tuple", (self._pattern(inner), captured))
            case ast.MatchOr(patterns=parts):
                return self._joined("||", [self._pattern(part) for part in parts], start, end)
        return self.opaque(node)

    def _capture(self, start: int, end: int, name: str | None) -> Value:
        if name is None:
            return r.Name(start, end, "_")
        self.scope.bind(name)
        self.scope.mentions.add("=" + name)
        return r.Assign(start, end, r.Name(start, end, name), ":=", r.OpaqueValue(start, end, name))

    # --- imports ------------------------------------------------------------------------------

    def _import(self, node: ast.Import) -> list[Statement]:
        for alias in node.names:
            if alias.asname is None:
                root = alias.name.partition(".")[0]
                self._imported(alias, alias.name, alias.name, root, root)
            else:
                self._imported(alias, alias.asname, alias.name, alias.asname, alias.name)
        return []

    def _import_from(self, node: ast.ImportFrom) -> list[Statement]:
        start, end = self.range(node)
        base = self._absolute(node)
        for alias in node.names:
            if alias.name == "*":
                self.names.stars = True
                self.imports.append(r.Import(start, end, "*", base, self._import_scope()))
                return [self._opaque([], start, end)]
            target = f"{base}{alias.name}" if base.endswith(".") else f"{base}.{alias.name}"
            name = alias.asname or alias.name
            self._imported(alias, name, target, name, target)
        return []

    def _imported(self, alias: ast.alias, name: str, target: str, bound: str, symbol: str) -> None:
        self.imports.append(r.Import(*self.range(alias), name, target, self._import_scope()))
        self.scope.bind(bound, Symbol(symbol, imported=True))

    def _import_scope(self) -> int:
        return -1 if self.scope.kind == "module" else self.scope.index

    def _absolute(self, node: ast.ImportFrom) -> str:
        """The module imported from; the dots stay where the file's own place is not known."""
        if not node.level:
            return node.module or ""
        up = node.level - 1
        if up > len(self.package) or not self.package:
            return "." * node.level + (node.module or "")
        above = self.package[: len(self.package) - up]
        if not above:
            return "." * node.level + (node.module or "")
        return ".".join([*above, node.module] if node.module else above)

    # --- definitions --------------------------------------------------------------------------

    def _decorations(
        self, node: _FunctionNode | ast.ClassDef
    ) -> tuple[tuple[r.Annotation, ...], list[tuple[Value, Value]]]:
        """The decorators as written, and as the calls they are: the callee, and the decorated name."""
        annotations: list[r.Annotation] = []
        calls: list[tuple[Value, Value]] = []
        name_start = self._name_start(node)
        # Where the name stands: the range of the decorator already means the decorator.
        width = self.width_of_name(node.name, name_start, self.range(node)[1])
        name_of = r.Name(name_start, name_start + width, node.name)
        for decorator in node.decorator_list:
            start, end = self.range(decorator)
            value = self.value(decorator)
            name, arguments = decorator, ""
            if isinstance(decorator, ast.Call):
                name = decorator.func
                arguments = self._arguments(decorator)
            annotations.append(r.Annotation(start, end, self.text(name), arguments))
            calls.append((value, name_of))
        return tuple(annotations), calls

    def _arguments(self, node: ast.Call) -> str:
        written = self.source.slice(self.range(node.func)[1], self.range(node)[1])
        return written.partition("(")[2].removesuffix(")").strip()

    def _decorated(self, node: _FunctionNode | ast.ClassDef, calls: list[tuple[Value, Value]]) -> list[Statement]:
        statements: list[Statement] = []
        for callee, name in reversed(calls):
            match callee:
                case r.Name(text=called) | r.Member(name=called):
                    self.scope.mentions.add(called)
            call = r.Call(callee.start, callee.end, callee, (name,))
            self.scope.mentions.add("=" + node.name)
            value = r.Assign(callee.start, callee.end, name, "=", call)
            statements.append(r.Evaluate(callee.start, callee.end, value))
        return statements

    def _name_start(self, node: ast.stmt) -> int:
        start, _ = self.range(node)
        found = _DEFINITION.match(self.data, start)
        return found.end() if found else start

    def _function(self, node: _FunctionNode) -> list[Statement]:
        start, end = self.range(node)
        annotations, calls = self._decorations(node)
        outer = self.scope
        owner = outer.owner if outer.kind == "class" else None
        outer.bind(node.name, self.names.defined(outer, node.name))
        parameters, bound = self._parameters(node.args)
        result = self.annotation(node.returns)
        words = _qualifiers(node)
        index = self._enter("function", node.name)
        scope = self.scope
        scope.node = node
        self._take(bound)
        if owner is not None:
            scope.owner = owner
            if node.args.args or node.args.posonlyargs:
                scope.self_name = "" if "static" in words else (node.args.posonlyargs + node.args.args)[0].arg
        body = self.block(node.body)
        if scope.generator:
            words.add("generator")
        kind: Literal["function", "method", "constructor", "destructor"] = "function" if owner is None else "method"
        if owner is not None:
            kind = {"__init__": "constructor", "__del__": "destructor"}.get(node.name, "method")  # type: ignore[assignment]
        function = r.FunctionRecord(
            start,
            end,
            node.name,
            outer.dotted,
            owner.dotted if owner else "",
            kind,
            result,
            parameters,
            self._name_start(node),
            True,
            tuple(sorted(words)),
            annotations,
            parent=self._parent(outer),
        )
        self._finish(index, function, body)
        self._leave()
        return [r.Nested(start, end, node.name, index), *self._decorated(node, calls)]

    def lambda_(self, node: ast.Lambda) -> Value:
        start, end = self.range(node)
        parameters, bound = self._parameters(node.args)
        outer = self.scope
        index = self._enter("function", "<lambda>")
        self._take(bound)
        value = self.value(node.body)
        words = ("generator",) if self.scope.generator else ()
        function = r.FunctionRecord(
            start, end, "<lambda>", outer.dotted, "", "lambda", "", parameters, start, True, words,
            parent=self._parent(outer),
        )  # fmt: skip
        self._finish(index, function, (r.Leave(value.start, value.end, "return", value),))
        self._leave()
        names = tuple(f"{parameter.spread}{parameter.name}" for parameter in parameters)
        return r.Lambda(start, end, index, (), "python", names)

    def _class(self, node: ast.ClassDef) -> list[Statement]:
        start, end = self.range(node)
        annotations, calls = self._decorations(node)
        bases = tuple([self._base(base) for base in node.bases])
        for keyword in node.keywords:
            self.value(keyword.value)
        outer = self.scope
        outer.bind(node.name, self.names.defined(outer, node.name))
        place = len(self.classes)
        self.classes.append(None)
        index = self._enter("class", node.name)
        scope = self.scope
        methods = frozenset(part.name for part in node.body if isinstance(part, _FunctionNode))
        scope.owner = owner = Owner(scope.dotted, methods)
        scope.self_name = ""
        body = self.block(node.body)
        parent = self._parent(outer)
        name_start = self._name_start(node)
        function = r.FunctionRecord(
            start, end, f"<class {node.name}>", outer.dotted, "", "class", "", (), name_start, True, parent=parent
        )
        self._finish(index, function, body)
        self._leave()
        self.classes[place] = r.ClassRecord(
            start,
            end,
            node.name,
            outer.dotted,
            "class",
            tuple([r.Field(first, last, name, type_, own) for name, (first, last, type_, own) in owner.fields.items()]),
            bases,
            annotations,
            "defined" if "__del__" in methods else "implicit",
            parent=parent,
        )
        return [r.Nested(start, end, node.name), *self._decorated(node, calls)]

    def _base(self, node: ast.expr) -> r.Base:
        self.value(node)
        return r.Base(*self.range(node), self.text(node))

    def _parameters(self, node: ast.arguments) -> tuple[tuple[r.Parameter, ...], dict[str, None]]:
        """The parameters in the order in which they are written, and the names they bind."""
        parameters: list[r.Parameter] = []
        positional = [*node.posonlyargs, *node.args]
        first = len(positional) - len(node.defaults)
        for number, argument in enumerate(positional):
            default = node.defaults[number - first] if number >= first else None
            parameters.append(self._parameter(argument, default))
        if node.vararg is not None:
            parameters.append(self._parameter(node.vararg, spread="*"))
        for argument, given in zip(node.kwonlyargs, node.kw_defaults, strict=True):
            parameters.append(self._parameter(argument, given, keyword_only=True))
        if node.kwarg is not None:
            parameters.append(self._parameter(node.kwarg, spread="**"))
        return tuple(parameters), dict.fromkeys(parameter.name for parameter in parameters)

    def _parameter(
        self,
        node: ast.arg,
        default: ast.expr | None = None,
        *,
        spread: Literal["", "*", "**"] = "",
        keyword_only: bool = False,
    ) -> r.Parameter:
        """Its range ends with the annotation; the default is a value with a range of its own."""
        start, end = self.range(node)
        width = self.width_of_name(node.arg, start, end)
        type_ = self.annotation(node.annotation, None if spread else (start, start + width))
        value = None if default is None else self.value(default)
        return r.Parameter(start, end, node.arg, type_, value, spread, keyword_only)

    # --- scopes -------------------------------------------------------------------------------

    def _enter(self, kind: Literal["class", "function"], name: str) -> int:
        outer = self.scope
        index = len(self.functions)
        self.functions.append(None)
        dotted = f"{outer.dotted}.{name}" if outer.dotted else name
        self.scope = PythonScope(kind, index, dotted, outer)
        if kind == "function" and outer.kind == "function":
            self.scope.owner, self.scope.self_name = outer.owner, outer.self_name
        return index

    def _take(self, parameters: dict[str, None]) -> None:
        scope = self.scope
        scope.bound.update(parameters)
        if scope.self_name in parameters:
            scope.owner, scope.self_name = None, ""

    def _leave(self) -> None:
        self.names.close(self.scope)
        assert self.scope.outer is not None
        self.scope = self.scope.outer

    def _parent(self, scope: PythonScope | None) -> int:
        """The enclosing function: classes and the module are none."""
        while scope is not None and scope.kind != "function":
            scope = scope.outer
        return -1 if scope is None else scope.index

    def _finish(self, index: int, function: r.FunctionRecord, body: tuple[Statement, ...]) -> None:
        self.functions[index] = msgspec.structs.replace(
            function,
            mentions=tuple(sorted(self.scope.mentions)),
            body=r.encode_body(body),
            opaque=self.scope.opaque,
        )


def _suppressed(item: ast.withitem) -> ast.Call | None:
    """The call of `contextlib.suppress` with the exceptions that end there."""
    match item:
        case ast.withitem(
            ast.Call(
                ast.Name("suppress") | ast.Attribute(ast.Name("contextlib"), "suppress"), args=[_, *_], keywords=[]
            ) as call,
            None,
        ) if not any(isinstance(one, ast.Starred) for one in call.args):
            return call
    return None


def _qualifiers(node: _FunctionNode) -> set[str]:
    words = {"async"} if isinstance(node, ast.AsyncFunctionDef) else set()
    for decorator in node.decorator_list:
        match decorator:
            case ast.Name(id="staticmethod"):
                words.add("static")
            case ast.Name(id="classmethod" | "property" as word):
                words.add(word)
            case ast.Attribute(attr="setter" | "deleter" | "getter") | ast.Attribute(attr="cached_property"):
                words.add("property")
            case ast.Name(id="cached_property"):
                words.add("property")
    return words


def _captured(node: ast.pattern) -> list[str]:
    names: list[str] = []
    for part in ast.walk(node):
        name = getattr(part, "name", None) or getattr(part, "rest", None)
        if isinstance(name, str):
            names.append(name)
    return names
