"""Expressions: from the tree of `ast` to values.

Every value is as deep as the bound at most; what lies below is an `OpaqueValue` with the names in it.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from ownlint.facts import records as r
from ownlint.facts.records import Value
from ownlint.frontends.python.names import AttributeAlias, AttributeChain, Bound, PythonNames, PythonScope, Symbol, Weak
from ownlint.frontends.python.source import PythonSource

DEEPEST = 150
_MOST_ITEMS = 64
_MOST_NAMES = 64
_MOST_TEXT = 120
_MOST_DECLARED = 1 << 15
_DECLARES_C = re.compile(r"^[ \t]*+(?:\w++[ \t*]++)+\w++[ \t]*+\([^(){};]{0,600}+\)[ \t]*+;", re.MULTILINE)
"""A line of a text that declares a function of C: `void sink_free(sink *s);`."""
_WORD = re.compile(r"\w+")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\Z")
_FSTRINGS_ARE_PLACED = sys.version_info >= (3, 12)
"""Before, expressions in f-strings of several lines or parts may carry positions of other text."""

_BINARY: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.MatMult: "@",
    ast.Div: "/",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.BitAnd: "&",
    ast.FloorDiv: "//",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.And: "&&",
    ast.Or: "||",
}
_PLAIN_PREFIX = re.compile(r"^[rRuU](?=(['\"])[^\\]*\1\Z)")
"""`r'a'` and `u'a'` are `'a'`, where no backslash stands."""
_LITERALS: dict[type, Literal["bool", "null", "int", "float", "str"]] = {
    str: "str",
    type(None): "null",
    bool: "bool",
    int: "int",
    float: "float",
}
_UNARY: dict[type[ast.AST], str] = {ast.Not: "not", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
_UNBOUND = Weak()
_Comprehended = Literal["list", "set", "dict", "generator"]


class PythonValues:
    """Builds values; whoever builds statements inherits."""

    def __init__(self, source: PythonSource, names: PythonNames, module: PythonScope) -> None:
        self.source = source
        self.data = source.data
        self.chains = 0
        """How many comparisons have given an operand two places in the tree."""
        self.lines = source.lines
        self.names = names
        self.scope = module
        self.functions: list[r.FunctionRecord | None] = []
        self.depth = 0
        self.adrift = 0
        """Above 0 inside an f-string whose expressions are not where the tree says."""
        self._values: dict[type[ast.AST], Callable[[Any], Value]] = {
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.Constant: self._constant,
            ast.Subscript: self._subscript,
            ast.BinOp: self._binary,
            ast.UnaryOp: lambda node: self._unary(_UNARY[type(node.op)], node, node.operand),
            ast.BoolOp: self._boolean,
            ast.Compare: self._compare,
            ast.Tuple: lambda node: self._aggregate("tuple", node),
            ast.List: lambda node: self._aggregate("list", node),
            ast.Set: lambda node: self._aggregate("set", node),
            ast.Dict: self._dict,
            ast.JoinedStr: self._fstring,
            ast.FormattedValue: lambda node: self.value(node.value),
            ast.Slice: self._slice,
            ast.Starred: lambda node: self._unary("spread", node, node.value),
            ast.IfExp: self._conditional,
            ast.Lambda: self.lambda_,
            ast.ListComp: lambda node: self._comprehension("list", node, node.elt),
            ast.SetComp: lambda node: self._comprehension("set", node, node.elt),
            ast.GeneratorExp: lambda node: self._comprehension("generator", node, node.elt),
            ast.DictComp: self._dict_comprehension,
            ast.NamedExpr: self._walrus,
            ast.Await: lambda node: self._unary("await", node, node.value),
            ast.Yield: self._yield,
            ast.YieldFrom: self._yield_from,
        }

    # --- places -------------------------------------------------------------------------------

    def range(self, node: ast.AST) -> tuple[int, int]:
        """`start` and `end` of a node that has a position."""
        lines = self.lines
        start: int = lines[node.lineno] + node.col_offset  # type: ignore[attr-defined]
        end: int = lines[node.end_lineno] + node.end_col_offset  # type: ignore[attr-defined]
        return start, end

    def text(self, node: ast.AST) -> str:
        return self.source.slice(*self.range(node))

    def excerpt(self, start: int, end: int) -> str:
        """The text, cut to what a record holds; no character is longer than four bytes."""
        if end - start <= _MOST_TEXT:
            return self.source.slice(start, end)
        return self.source.slice(start, min(end, start + 4 * _MOST_TEXT))[:_MOST_TEXT]

    # --- values -------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Value:
        kind = type(node)
        if kind is ast.Name:
            return self._name(node)  # type: ignore[arg-type]
        build = self._values.get(kind)
        if build is None or self.depth >= DEEPEST:
            return self.opaque(node)
        self.depth += 1
        value = build(node)
        self.depth -= 1
        return value

    def opaque(self, node: ast.AST) -> r.OpaqueValue:
        self.scope.opaque = True
        start, end = self.range(node)
        return r.OpaqueValue(start, end, self.excerpt(start, end), names_inside(node))

    def _name(self, node: ast.Name) -> r.Name:
        # The most frequent node by far: what `range` and `_read` do is written out.
        lines = self.lines
        start = lines[node.lineno] + node.col_offset
        end = lines[node.end_lineno] + node.end_col_offset  # type: ignore[index,operator]
        name = node.id
        scope = self.scope
        if scope.bound.get(name, _UNBOUND) is not None and not self.adrift:
            scope.pending.append(AttributeChain(name, start, end, ()))
        return r.Name(start, end, name)

    def _read(self, root: str, start: int, end: int, tokens: tuple[tuple[int, int, str], ...]) -> None:
        scope = self.scope
        # A local of which nothing is known so far: only an own method can be meant.
        if scope.bound.get(root, _UNBOUND) is None and root != scope.self_name:
            return
        if not self.adrift:
            scope.pending.append(AttributeChain(root, start, end, tokens))

    def _attribute(self, node: ast.Attribute) -> Value:
        """Iterates, since chains are the longest of all left spines."""
        spine = [node]
        base = node.value
        while type(base) is ast.Attribute:
            spine.append(base)
            base = base.value
        if self.depth + len(spine) > DEEPEST:
            return self.opaque(node)
        if type(base) is ast.Name:
            start, end = self.range(base)
            value: Value = r.Name(start, end, base.id)
        else:
            self.depth += len(spine)
            value = self.value(base)
            self.depth -= len(spine)
            start, end = self.range(base)
        root_end = end
        tokens: list[tuple[int, int, str]] = []
        data, lines = self.data, self.lines
        for member in reversed(spine):
            name = member.attr
            before = end
            begin = lines[member.lineno] + member.col_offset
            end = lines[member.end_lineno] + member.end_col_offset  # type: ignore[index,operator]
            at = 0
            if data[end - len(name) : end] == name.encode():
                tokens.append((end - len(name), end, name))
            else:
                at = self._last_name(before, end)
                tokens.append((at, end, name))
            value = r.Member(begin, end, value, name, False, at)
        if type(base) is ast.Name:
            self._read(base.id, start, root_end, tuple(tokens))
        return value

    def _last_name(self, start: int, end: int) -> int:
        """Where the name that ends at `end` starts; Python normalises names, so its length says nothing."""
        found = _WORD.match(self.source.slice(start, end)[::-1])
        width = len(found[0].encode(self.source.codec)) if found else end - start
        return end - width

    def _call(self, node: ast.Call) -> r.Call:
        start, end = self.range(node)
        function = node.func
        callee = self.value(function)
        if type(function) is ast.Attribute:
            self.scope.mentions.add(function.attr)
        elif type(function) is ast.Name:
            self.scope.mentions.add(function.id)
        args = [self.value(arg) for arg in node.args]
        for keyword in node.keywords:
            args.extend(self._keywords(keyword))
        return r.Call(start, end, callee, tuple(args))

    def _keywords(self, node: ast.keyword) -> list[Value]:
        """A keyword, or those of a dict that is spread out: they stand where that stands."""
        start, end = self.range(node)
        if node.arg is not None:
            width = self.width_of_name(node.arg, start, end)
            return [r.Pair(start, end, r.Name(start, start + width, node.arg), self.value(node.value))]
        keywords = self.scope.keywords(node.value)
        if keywords is None:
            return [r.Unary(start, end, "spread2", self.value(node.value))]
        given = [(name, self.value(value)) for name, value in keywords]
        if isinstance(node.value, ast.Name):
            given = [(name, msgspec.structs.replace(value, start=start, end=end)) for name, value in given]
        return [r.Pair(start, end, r.Name(start, end, name), value) for name, value in given]

    def width_of_name(self, name: str, start: int, end: int) -> int:
        """How many bytes the name has that starts at `start`."""
        if self.data.startswith(name.encode(), start):
            return len(name.encode())
        found = _WORD.match(self.source.slice(start, end))
        return len(found[0].encode(self.source.codec)) if found else end - start

    def _constant(self, node: ast.Constant) -> r.Literal:
        start, end = self.range(node)
        kind: Literal["bool", "null", "int", "float", "str", "other"] = _LITERALS.get(type(node.value), "other")
        written = self.excerpt(start, end)
        if (
            isinstance(node.value, str) and end - start > _MOST_TEXT and _DECLARES_C.search(node.value)
        ):  # what `cdef` is given
            written = self.source.slice(start, min(end, start + 4 * _MOST_DECLARED))[:_MOST_DECLARED]
        return r.Literal(start, end, kind, _PLAIN_PREFIX.sub("", written) if kind == "str" else written)

    def _subscript(self, node: ast.Subscript) -> r.Index:
        base = self.value(node.value)
        inside = node.slice
        many = type(inside) is ast.Tuple and inside.elts and self._is_bare(inside)
        indexes = [self.value(index) for index in inside.elts] if many else [self.value(inside)]  # type: ignore[attr-defined]
        return r.Index(*self.range(node), base, tuple(indexes))

    def _is_bare(self, node: ast.Tuple) -> bool:
        """`a[i, j]`, not `a[(i, j)]`: the parentheses of a tuple are part of its range."""
        return node.col_offset == node.elts[0].col_offset and node.lineno == node.elts[0].lineno

    def _binary(self, node: ast.BinOp) -> r.Binary:
        left = self.value(node.left)
        return r.Binary(*self.range(node), _BINARY[type(node.op)], left, self.value(node.right))

    def _unary(self, op: str, node: ast.expr, operand: ast.expr) -> r.Unary:
        return r.Unary(*self.range(node), op, self.value(operand))

    def _boolean(self, node: ast.BoolOp) -> Value:
        op = _BINARY[type(node.op)]
        return self._joined(op, [self.value(part) for part in node.values], *self.range(node))

    def _compare(self, node: ast.Compare) -> Value:
        """`a < b < c` is `a < b && b < c`. A chain inside of `b` is opaque the second time, else each level would be
        twice as large as the one below."""
        left, parts = self.value(node.left), list[Value]()
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            before = self.chains
            right = self.value(comparator)
            parts.append(_compared(left.start, right.end, _BINARY[type(op)], left, right))
            is_last = len(parts) == len(node.ops)
            left = right if is_last or self.chains == before else self.opaque(comparator)
        self.chains += len(parts) > 1
        return self._joined("&&", parts, *self.range(node))

    def _joined(self, op: str, parts: list[Value], start: int, end: int) -> Value:
        """A balanced tree, which means the same as a chain and stays flat."""
        if len(parts) == 1:
            only = parts[0]
            return msgspec.structs.replace(only, start=start, end=end) if isinstance(only, r.Binary) else only
        half = (len(parts) + 1) // 2
        left = self._joined(op, parts[:half], start, parts[half - 1].end) if half > 1 else parts[0]
        right = self._joined(op, parts[half:], parts[half].start, end) if len(parts) - half > 1 else parts[-1]
        return r.Binary(start, end, op, left, right, "python")

    def _aggregate(self, kind: Literal["tuple", "list", "set"], node: ast.Tuple | ast.List | ast.Set) -> r.Aggregate:
        items = tuple([self.value(item) for item in node.elts[:_MOST_ITEMS]])
        return r.Aggregate(*self.range(node), kind, items, len(node.elts) > _MOST_ITEMS)

    def _dict(self, node: ast.Dict) -> r.Aggregate:
        items = [self._item(key, value) for key, value in zip(node.keys[:_MOST_ITEMS], node.values, strict=False)]
        return r.Aggregate(*self.range(node), "dict", tuple(items), len(node.keys) > _MOST_ITEMS)

    def _item(self, key: ast.expr | None, value: ast.expr) -> Value:
        if key is None:
            start, end = self.range(value)
            return r.Unary(start, end, "spread2", self.value(value))
        first = self.value(key)
        second = self.value(value)
        return r.Pair(first.start, second.end, first, second)

    def _slice(self, node: ast.Slice) -> r.Aggregate:
        start, end = self.range(node)
        none = r.Literal(start, start, "null", "")
        parts = [none if part is None else self.value(part) for part in (node.lower, node.upper, node.step)]
        return r.Aggregate(start, end, "slice", tuple(parts))

    def _conditional(self, node: ast.IfExp) -> r.Conditional:
        condition = self.value(node.test)
        return r.Conditional(*self.range(node), condition, self.value(node.body), self.value(node.orelse), "python")

    def _walrus(self, node: ast.NamedExpr) -> r.Assign:
        value = self.value(node.value)
        return r.Assign(*self.range(node), self.target(node.target, self.bound_to(node.value)), ":=", value)

    def _yield(self, node: ast.Yield) -> r.Unary:
        self.scope.generator = True
        start, end = self.range(node)
        value = r.Literal(end, end, "null", "") if node.value is None else self.value(node.value)
        return r.Unary(start, end, "yield", value)

    def _yield_from(self, node: ast.YieldFrom) -> r.Unary:
        self.scope.generator = True
        return self._unary("yield from", node, node.value)

    def lambda_(self, node: ast.Lambda) -> Value:
        raise NotImplementedError

    # --- comprehensions and f-strings -----------------------------------------------------------

    def _comprehension(
        self, kind: _Comprehended, node: ast.expr, element: ast.expr, value: ast.expr | None = None
    ) -> Value:
        pending = self.scope.pending
        clauses: list[r.Clause] = []
        local: set[str] = set()
        before = 0
        for number, generator in enumerate(node.generators):  # type: ignore[attr-defined]
            iterable = self.value(generator.iter)
            if number == 0:  # it alone is read outside of the comprehension's own scope
                before = len(pending)
            target = self._local_target(generator.target, local)
            conditions = tuple([self.value(condition) for condition in generator.ifs])
            end = conditions[-1].end if conditions else iterable.end
            clauses.append(r.Clause(target.start, end, target, iterable, conditions))
        made = self.value(element) if value is None else self._item(element, value)
        pending[before:] = [chain for chain in pending[before:] if chain.root not in local]
        return r.Comprehension(*self.range(node), kind, made, tuple(clauses))

    def _dict_comprehension(self, node: ast.DictComp) -> Value:
        return self._comprehension("dict", node, node.key, node.value)

    def _local_target(self, node: ast.expr, local: set[str]) -> Value:
        """A target whose names live in the comprehension only."""
        local.update(
            name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
        )
        return self.value(node)

    def _fstring(self, node: ast.JoinedStr) -> r.Aggregate:
        parts = [part for part in node.values if not isinstance(part, ast.Constant)]
        items: list[Value] = []
        for part in parts[:_MOST_ITEMS]:
            items.append(self._inserted(getattr(part, "value", part), node))
            specification = getattr(part, "format_spec", None)
            if isinstance(specification, ast.JoinedStr) and any(
                not isinstance(inner, ast.Constant) for inner in specification.values
            ):
                items.append(self._inserted(specification, node))
        return r.Aggregate(*self.range(node), "fstring", tuple(items), len(parts) > _MOST_ITEMS)

    def _inserted(self, part: ast.expr, whole: ast.JoinedStr) -> Value:
        adrift = not _FSTRINGS_ARE_PLACED and not self.adrift and not self._placed(part, whole)
        if adrift:
            _move(part, whole)
        self.adrift += adrift
        value = self.value(part)
        self.adrift -= adrift
        return value

    def _placed(self, part: ast.expr, whole: ast.JoinedStr) -> bool:
        """Every node lies inside of the string, and every name is where the tree says."""
        first, last = self.range(whole)
        for node in ast.walk(part):
            if not isinstance(node, ast.expr) or isinstance(node, (ast.JoinedStr, ast.FormattedValue)):
                continue
            if node.lineno >= len(self.lines) or (node.end_lineno or 0) >= len(self.lines):
                return False
            start, end = self.range(node)
            if not first <= start <= end <= last:
                return False
            if isinstance(node, ast.Name) and self.source.slice(start, end) != node.id:
                return False
            if isinstance(node, ast.Attribute) and not self.source.slice(start, end).endswith(node.attr):
                return False
            if isinstance(node, ast.Constant) and not self._is_literal(node, start, end):
                return False
        return True

    def _is_literal(self, node: ast.Constant, start: int, end: int) -> bool:
        try:
            return bool(ast.literal_eval(self.source.slice(start, end).strip()) == node.value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return False

    # --- targets ------------------------------------------------------------------------------

    def target(self, node: ast.expr, to: Bound = None) -> Value:
        """A place that gets a value: binds names, notes the write, declares attributes of `self`."""
        scope = self.scope
        match node:
            case ast.Name(id=name):
                start, end = self.range(node)
                scope.mentions.add("=" + name)
                scope.bind(name, to)
                return r.Name(start, end, name)
            case ast.Attribute(attr=name, value=base):
                scope.mentions.add("=" + name)
                value = self.value(node)
                if scope.owner is not None and isinstance(base, ast.Name) and base.id == scope.self_name != "":
                    start = value.name_start if isinstance(value, r.Member) else value.start
                    scope.owner.declare(name, start, value.end, "", static=False)
                return value
            case ast.Subscript():
                value = self.value(node)
                match value:
                    case r.Index(base=r.Name(text=name)) | r.Index(base=r.Member(name=name)):
                        scope.mentions.add("=" + name)
                return value
            case ast.Tuple(elts=parts) | ast.List(elts=parts) if self.depth < DEEPEST:
                self.depth += 1
                items = tuple([self.target(part) for part in parts[:_MOST_ITEMS]])
                self.depth -= 1
                kind: Literal["tuple", "list"] = "tuple" if isinstance(node, ast.Tuple) else "list"
                return r.Aggregate(*self.range(node), kind, items, len(parts) > _MOST_ITEMS)
            case ast.Starred(value=inner):
                return r.Unary(*self.range(node), "spread", self.target(inner))
        for name in names_inside(node):
            scope.bind(name)
        return self.opaque(node)

    def bound_to(self, node: ast.expr) -> Bound:
        """What a name refers to that is assigned this expression, where that is a plain copy."""
        path: list[str] = []
        while isinstance(node, ast.Attribute) and len(path) < DEEPEST:
            path.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            return AttributeAlias(node.id, tuple(reversed(path)))
        if isinstance(node, ast.Constant) and node.value is None:
            return Weak()
        return None

    # --- annotations --------------------------------------------------------------------------

    def annotation(self, node: ast.expr | None, declared: tuple[int, int] | None = None) -> str:
        """The text of an annotation; `declared` is the range of the name that has this type."""
        if node is None:
            return ""
        pending = self.scope.pending
        before = len(pending)
        self.value(node)
        elements = _elements(node)
        named, many = _declared_type(node if elements is None else elements), elements is not None
        if isinstance(named, ast.Constant):
            self._quoted(named, declared, many)
        elif named is not None and declared is not None:
            _, end = self.range(named)
            for number in range(len(pending) - 1, before - 1, -1):
                chain = pending[number]
                if (chain.tokens[-1][1] if chain.tokens else chain.end) == end:
                    pending[number] = chain._replace(declared=declared, many=many)
                    break
        return self.text(node)

    def _quoted(self, node: ast.Constant, declared: tuple[int, int] | None, many: bool) -> None:
        """`"ir.Module"`: a dotted name in quotes of any kind."""
        start, end = self.range(node)
        dotted = node.value
        if not isinstance(dotted, str) or not dotted.isascii() or not _DOTTED.match(dotted):
            return
        quotes, inside, behind = self.source.slice(start, end).partition(dotted)
        if not inside or not _QUOTES.fullmatch(quotes) or not quotes.endswith(behind):
            return  # spelled with escapes, or in pieces
        at = start + len(quotes)
        places: list[tuple[int, int, str]] = []
        for part in dotted.split("."):
            places.append((at, at + len(part), part))
            at += len(part) + 1
        (first, last, root), *tokens = places
        self.scope.pending.append(AttributeChain(root, first, last, tuple(tokens), (), declared, many))


_QUOTES = re.compile(r"""[rRuU]?(?:'{1,3}|"{1,3})""")
_SEQUENCES = frozenset(
    ["list", "List", "Sequence", "MutableSequence", "Iterable", "Iterator", "Collection", "deque", "Deque"]
).union(["set", "Set", "frozenset", "FrozenSet", "AbstractSet", "MutableSet"])


def _compared(start: int, end: int, operator: str, left: Value, right: Value) -> r.Binary:
    """`x is None` also where `None is x` is written."""
    if operator in ("==", "!=", "is", "is not") and isinstance(left, r.Literal) and not isinstance(right, r.Literal):
        left, right = right, left
    return r.Binary(start, end, operator, left, right)


def _elements(node: ast.expr) -> ast.expr | None:
    """What the elements of an annotated sequence are: `T` of `list[T]`, `tuple[T, ...]`, `Sequence[T] | None`."""
    for _ in range(8):
        match node:
            case ast.BinOp(op=ast.BitOr(), left=inner, right=ast.Constant(value=None)):
                node = inner
            case ast.BinOp(op=ast.BitOr(), left=ast.Constant(value=None), right=inner):
                node = inner
            case ast.Subscript(
                value=ast.Name(id="tuple" | "Tuple") | ast.Attribute(attr="tuple" | "Tuple"),
                slice=ast.Tuple(elts=[inner, ast.Constant(value=value)]),
            ) if value is ...:
                return inner
            case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=inner):
                if name in _SEQUENCES:
                    return inner
                if name not in ("Optional", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly"):
                    return None
                node = inner
            case _:
                return None
    return None


def _declared_type(node: ast.expr) -> ast.Name | ast.Attribute | ast.Constant | None:
    """The one class an annotation names, apart from None: `T`, `Optional[T]`, `T | None`, `Final[T]`, `"T"`."""
    for _ in range(8):
        match node:
            case ast.Name() | ast.Attribute() | ast.Constant(value=str()):
                return node
            case ast.BinOp(op=ast.BitOr(), left=inner, right=ast.Constant(value=None)):
                node = inner
            case ast.BinOp(op=ast.BitOr(), left=ast.Constant(value=None), right=inner):
                node = inner
            case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=inner):
                if name == "Annotated" and isinstance(inner, ast.Tuple) and inner.elts:
                    inner = inner.elts[0]
                elif name not in ("Optional", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly"):
                    return None
                node = inner
            case _:
                return None
    return None


def _move(part: ast.expr, whole: ast.JoinedStr) -> None:
    for node in ast.walk(part):
        if isinstance(node, (ast.expr, ast.keyword, ast.arg)):
            node.lineno, node.col_offset = whole.lineno, whole.col_offset
            node.end_lineno, node.end_col_offset = whole.end_lineno, whole.end_col_offset


def names_inside(node: ast.AST | Sequence[ast.AST]) -> tuple[str, ...]:
    """The first identifiers inside, sorted."""
    found: set[str] = set()
    for part in [node] if isinstance(node, ast.AST) else node:
        for inner in ast.walk(part):
            if isinstance(inner, ast.Name):
                found.add(inner.id)
            elif isinstance(inner, ast.Attribute):
                found.add(inner.attr)
            if len(found) >= _MOST_NAMES:
                return tuple(sorted(found))
    return tuple(sorted(found))


__all__ = ["PythonValues", "Symbol", "names_inside"]
