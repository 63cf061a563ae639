"""Expressions: from nodes to `records.Value`.

Trees stay shallow, whatever the source nests: below `LIMIT` levels stands an `OpaqueValue`. Three shapes
that are long in honest code are not lost to that:

* a chain `a + b + c ...` (one precedence, more than `WIDE` operands) is balanced: the same operands in
  the same order, in a tree of logarithmic depth;
* a chain `x.def(...).def(...)...` of more than `CHAIN` links is cut into several: each piece but the last
  becomes a statement of its own (`Evaluate`) before the statement it stands in, and the next piece's
  receiver is `Name("<chain>")`, whose range is that of the piece before. In order, they are all there;
* an initialiser list keeps its first 64 items.

`new (place) T(a)` is a `Call` of kind `construct` whose first argument is `Pair(Name("<placement>"), place)`
(`new (std::nothrow) T` stays a `new`). `new T[n]` names the type `T[]` and has `n` as first argument;
`delete[] p` has the callee `delete[]`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from operator import attrgetter

from tree_sitter import Node

from ownlint.facts import records as r
from ownlint.frontends.cpp import grammar as g
from ownlint.frontends.cpp.spelling import spelled

LIMIT = 120
CHAIN = 40
WIDE = 24
ITEMS = 64
UNNAMED = "<unnamed>"
"""Stands for the type that `struct {...} x{1};` constructs."""

_CASTS = frozenset({"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast", "bit_cast", "std::bit_cast"})
_OPERATORS = {"and": "&&", "or": "||", "bitand": "&", "bitor": "|", "xor": "^", "not_eq": "!="}
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "<<": 3, ">>": 3, "&&": 4, "||": 5, "|": 6, "&": 7, "^": 8}
_PLAIN_NAME = re.compile(r"[\w:~]+").fullmatch
_FREE_NAMES = re.compile(r"(?<![\w:.>])[A-Za-z_]\w*+(?!::)")
_NAMES = g.kinds("identifier", "field_identifier", "type_identifier", "namespace_identifier")


whole: Callable[[Node], list[Node]] = attrgetter("children")
"""The children of a node in whose range nothing is broken."""


def unbroken(node: Node) -> list[Node]:
    """The children of a node, without what the parser skipped or made up."""
    return [child for child in node.children if child.kind_id != g.ERROR and not child.is_missing]


class Mentions(set[str]):
    """The words of a body, see `records.Function.mentions`."""

    def __init__(self) -> None:
        super().__init__()
        self._written: Counter[str] = Counter()

    def add_written(self, name: str) -> None:
        self.add("=" + name)
        self._written[name] += 1

    def declare_written(self, name: str) -> None:
        """One of its assignments turned out to be what the name begins with."""
        self._written[name] -= 1
        if not self._written[name]:
            self.discard("=" + name)


_QUALIFIED = re.compile(r"(?:(\w+)\s*::\s*)?(\w+)")


class CppValues:
    """Reads values; what a body collects on the way (`mentions`, `hoisted`) is kept by the function reader."""

    def __init__(
        self, source: bytes, thrown: frozenset[int], empties: frozenset[int], launched: frozenset[int]
    ) -> None:
        self.text = _reader(source)
        self.launched = launched
        self.thrown = thrown
        self.empties = empties
        self.opened: dict[str, str] = {}
        """The full name of what the file names by `using std::x;`."""
        self.own_class = ""
        """The class whose method is read, by its last name."""
        self.method: Node | None = None
        """Its definition."""
        self._bare: tuple[Node | None, frozenset[str]] = None, frozenset()
        self.assumed: dict[int, str] = {}
        """What stands for something longer: the text of the name at that offset."""
        self.children: Callable[[Node], list[Node]] = unbroken
        self.depth = 0
        self.repeated = 0
        """How many values were given a second place in the tree."""
        self.mentions = Mentions()
        self.hoisted: list[r.Statement] = []
        self.broken = False

    # --- to be supplied by those who know functions and statements ---

    def lambda_(self, node: Node) -> r.Value:
        raise NotImplementedError

    # --- dispatch ---

    def value(self, node: Node) -> r.Value:
        kind = node.kind_id
        if kind == g.IDENTIFIER:
            return self.name(node)
        read = _READERS.get(kind)
        if read is None or self.depth > LIMIT:
            return self.opaque(node)
        self.depth += 1
        value = read(self, node)
        self.depth -= 1
        return value

    def values(self, node: Node) -> tuple[r.Value, ...]:
        """The items of `(a, b)`, `{a, b}`, `[a, b]`."""
        value = self.value
        return tuple([value(child) for child in self.children(node) if child.is_named])

    def again(self, node: Node, value: r.Value, before: int) -> r.Value:
        """`value`, which was read of `node`, for a second place in the tree. What has such a second place inside of
        it, so that `repeated` was less `before`, is opaque there: each level would be twice as large as the one below.
        """
        self.repeated += 1
        if self.repeated == before + 1:
            return value
        start, end = node.start_byte, node.end_byte
        return r.OpaqueValue(start, end, self.line(start, end), self.names(node))

    def opaque(self, node: Node) -> r.OpaqueValue:
        start, end = node.start_byte, node.end_byte
        self.broken = True
        return r.OpaqueValue(start, end, self.line(start, end), self.names(node))

    def names(self, node: Node) -> tuple[str, ...]:
        """The identifiers inside, at most 64, in order of the alphabet."""
        found: set[str] = set()
        stack = [node]
        steps = 0
        while stack and steps < 2000 and len(found) < ITEMS:
            steps += 1
            node = stack.pop()
            if node.kind_id in _NAMES:
                found.add(self.text(node.start_byte, node.end_byte)[:120])
            elif node.named_child_count:
                stack.extend(node.children[:200])
        return tuple(sorted(found))

    def line(self, start: int, end: int, limit: int = 120) -> str:
        """Source text on one line."""
        text = self.text(start, min(end, start + 4 * limit))
        if "\n" in text or "  " in text or "\t" in text:
            text = " ".join(text.split())
        return text[:limit]

    def written(self, start: int, end: int) -> str:
        """A type (or the like), spaced in the usual way, with the full names of what `using std::x;` brought in."""
        text = self.text(start, end)
        if self.assumed and "_T" in text:
            text = self.assumed.get(start + len(text) - len(text.lstrip()), text)
        text = spelled(text.strip())
        return self.brought(text) if self.opened else text

    def brought(self, text: str) -> str:
        return _FREE_NAMES.sub(lambda match: self.opened.get(match[0], match[0]), text)

    # --- names ---

    def name(self, node: Node) -> r.Name | r.OpaqueValue:
        """Opaque where the parser made up a name that is not there."""
        start, end = node.start_byte, node.end_byte
        text = self.assumed.get(start) or self.text(start, end)
        if not text:
            return self.opaque(node)
        return r.Name(start, end, self.opened.get(text, text) if self.opened else text)

    def named(self, node: Node) -> tuple[r.Name | None, str]:
        """A possibly qualified name without template arguments, and those of its last part; None where the parser made
        up the last part (`a::`).

        The range ends with the last name, so that this token is found from the end.
        """
        name, template = self._named(node)
        return (name if name.text and not name.text.endswith("::") else None), template

    def spelled(self, node: Node | None) -> str:
        """The text of `named`; empty where there is none."""
        name = self.named(node)[0] if node is not None else None
        return name.text if name is not None else ""

    def _named(self, node: Node) -> tuple[r.Name, str]:
        start, end = node.start_byte, node.end_byte
        if node.kind_id == g.TYPE_IDENTIFIER and start in self.assumed:
            return r.Name(start, end, self.assumed[start]), ""
        text = self.text(start, end)
        if _PLAIN_NAME(text):
            return r.Name(start, end, self.without_class(_without_root(text))), ""
        template = ""
        parts: list[str] = []
        steps = 0
        while True:
            steps += 1
            kind = node.kind_id
            if kind == g.QUALIFIED and steps < 200:
                children = self.children(node)
                if len(children) > 2:
                    parts.append(self.plain(children[0]))
                else:
                    parts.append("")
                node = children[-1]
            elif kind == g.DEPENDENT_NAME or kind == g.DEPENDENT_TYPE:
                node = self.children(node)[-1]
            elif kind == g.TEMPLATE_FUNCTION or kind == g.TEMPLATE_TYPE or kind == g.TEMPLATE_METHOD:
                children = self.children(node)
                if len(children) > 1:
                    template = self.written(children[1].start_byte + 1, children[1].end_byte - 1)
                if children[0].kind_id in (g.TEMPLATE_TYPE, g.QUALIFIED) and steps < 200:
                    node = children[0]
                    continue
                node = children[0]
                break
            else:
                break
        end = node.end_byte
        last = self.text(node.start_byte, end)
        if "<" in last and not last.startswith("operator"):
            last = last.partition("<")[0]
        parts.append(" ".join(last.split()))
        full = self.without_class("::".join(parts))
        return r.Name(start, end, self.opened.get(full, full) if self.opened else _without_root(full)), template

    @property
    def bare(self) -> frozenset[str]:
        """The names that stand unqualified somewhere in the method that is read, of a parameter or a local, perhaps;
        nothing where it names no part of its own class."""
        if self.method is not None and self._bare[0] is not self.method:
            text = self.text(self.method.start_byte, self.method.end_byte)
            found = [match.groups() for match in _QUALIFIED.finditer(text)]
            names_own = any(scope == self.own_class for scope, _ in found)
            self._bare = self.method, frozenset(name for scope, name in found if names_own and scope is None)
        return self._bare[1]

    def without_class(self, text: str) -> str:
        """`Cache::size_`, said by a method of `Cache`, is `size_`: not where that may mean something else."""
        scope, _, last = text.rpartition("::")
        is_own = bool(scope) and scope == self.own_class != last and last not in self.bare
        return last if is_own else text

    def plain(self, node: Node) -> str:
        """`Foo` of `Foo<int>`."""
        text = self.text(node.start_byte, node.end_byte)
        return "".join(text.partition("<")[0].split())

    def qualified(self, node: Node) -> r.Value:
        return self.named(node)[0] or self.opaque(node)

    # --- calls, members, subscripts ---

    def postfix(self, node: Node) -> r.Value:
        """`a.b(c)[d].e(f)`, from the inside out."""
        kind = node.kind_id
        if kind == g.CALL:  # the common case: f(a)
            children = self.children(node)
            if len(children) == 2 and children[0].kind_id == g.IDENTIFIER:
                return self.call(node, self.name(children[0]), "", children[1])
        spine: list[tuple[int, Node, list[Node]]] = []
        while kind == g.CALL or kind == g.FIELD or kind == g.SUBSCRIPT:
            children = self.children(node)
            if len(children) < 2:
                break
            spine.append((kind, node, children))
            node = children[0]
            kind = node.kind_id
        template = ""
        value: r.Value
        if kind == g.TEMPLATE_FUNCTION or kind == g.QUALIFIED:
            name, template = self.named(node)
            value = name or self.opaque(node)
        elif kind == g.PRIMITIVE_TYPE or kind == g.TEMPLATE_TYPE:
            value = self.name(node)
        elif spine:
            value = self.value(node)
        else:
            return self.opaque(node)
        outer = self.depth
        levels = 0
        self.depth = outer + min(len(spine), 2 * CHAIN)
        for index in range(len(spine) - 1, -1, -1):
            kind, node, children = spine[index]
            levels += 1
            if levels > 2 * CHAIN and (kind == g.FIELD or levels > 2 * CHAIN + 1):
                levels = 1
                self.hoisted.append(r.Evaluate(value.start, value.end, value))
                value = r.Name(value.start, value.end, "<chain>")
            if kind == g.FIELD:
                is_called = index > 0 and spine[index - 1][0] == g.CALL
                value, template = self.member(node, children, value, is_called=is_called)
                continue
            if kind == g.CALL and children[1].start_byte in self.launched:
                for given in self.values(children[1]):  # it is launched with them, and they are not its arguments
                    self.hoisted.append(r.Evaluate(given.start, given.end, given))
                continue
            if kind == g.CALL and children[0].kind_id == g.PARENTHESIZED and _is_type(value):
                written, args = self.text(value.start, value.end), self.values(children[1])
                if len(args) == 1:
                    value = r.Cast(node.start_byte, node.end_byte, written, "c", args[0])
                    continue
            if kind == g.CALL:
                value = self.call(node, value, template, children[1])
            else:
                value = r.Index(node.start_byte, node.end_byte, value, self.values(children[1]))
            template = ""
        self.depth = outer
        return value

    def call(self, node: Node, callee: r.Value, template: str, arguments: Node) -> r.Value:
        args = self.values(arguments)
        start, end = node.start_byte, node.end_byte
        if callee.__class__ is r.Name:
            if template and (cast := self.named_cast(start, end, callee, args, template)) is not None:
                return cast
            self.mentions.add(callee.text.rpartition("::")[2])
        elif callee.__class__ is r.Member:
            self.mentions.add(callee.name)
        return r.Call(start, end, callee, args, "call", template)

    @staticmethod
    def named_cast(start: int, end: int, callee: r.Name, args: tuple[r.Value, ...], template: str) -> r.Cast | None:
        """`static_cast<T>(x)`, which is written like a call."""
        if callee.text not in _CASTS or len(args) != 1:
            return None
        return r.Cast(start, end, template, callee.text.rpartition("::")[2], args[0])

    def member(self, node: Node, children: list[Node], base: r.Value, *, is_called: bool) -> tuple[r.Value, str]:
        last = children[-1]
        kind = last.kind_id
        arrow = children[1].end_byte - children[1].start_byte == 2
        start, end = node.start_byte, node.end_byte
        if not arrow and isinstance(base, r.Unary) and base.op == "*":
            base, arrow = base.value, True  # `(*p).x` is `p->x`
        if kind == g.FIELD_IDENTIFIER:
            at = last.start_byte
            if at == end:
                return self.opaque(node), ""
            return r.Member(start, end, base, self.text(at, end), arrow, at), ""
        if kind == g.DESTRUCTOR_NAME and last.children:
            of = last.children[-1]
            spelled = f"~{self.text(of.start_byte, of.end_byte)}"  # `~ Node` is one name, too
            return r.Member(start, end, base, spelled, arrow, last.start_byte), ""
        name, template = self.named(last)
        if name is None:
            return self.opaque(node), ""
        if is_called and isinstance(base, r.Name) and base.text == "this" and "::" in name.text:
            return name, template  # `this->Base::run()` is `Base::run()`, and not what overrides it
        plain = name.text.rpartition("::")[2]
        at = name.end - len(plain.encode())
        return r.Member(start, name.end, base, plain, arrow, at), template

    # --- operators ---

    def parenthesized(self, node: Node) -> r.Value:
        steps = 0
        while node.kind_id == g.PARENTHESIZED:
            children = self.children(node)
            if len(children) < 3:
                return self.opaque(node)
            node = children[1]
            steps += 1
        if node.kind_id == g.IDENTIFIER:
            return self.name(node)
        return self.value(node)

    def binary(self, node: Node) -> r.Value:
        children = self.children(node)
        if len(children) != 3:
            return self.opaque(node)
        left, sign, right = children
        if left.kind_id == g.BINARY:
            return self.spine(node)
        value = self.value(left)
        operator = self.text(sign.start_byte, sign.end_byte)
        return _compared(value.start, node.end_byte, _OPERATORS.get(operator, operator), value, self.value(right))

    def spine(self, node: Node) -> r.Value:
        """`a + b - c`: operands of one precedence, left to right, without recursion."""
        rights: list[tuple[str, Node, int]] = []
        rank = 0
        while node.kind_id == g.BINARY:
            children = self.children(node)
            if len(children) != 3:
                break
            operator = self.text(children[1].start_byte, children[1].end_byte)
            operator = _OPERATORS.get(operator, operator)
            own = _PRECEDENCE.get(operator, 0)
            if rights and (own != rank or not rank):
                break
            rank = own
            rights.append((operator, children[2], node.end_byte))
            node = children[0]
        value = self.value(node)
        rights.reverse()
        if len(rights) <= WIDE:
            self.depth += len(rights)
            for operator, right, end in rights:
                value = _compared(value.start, end, operator, value, self.value(right))
            self.depth -= len(rights)
            return value
        self.depth += len(rights).bit_length()
        operands = [value, *(self.value(right) for _, right, _ in rights)]
        self.depth -= len(rights).bit_length()
        return _balanced(operands, [operator for operator, _, _ in rights], 0, len(operands))

    def assignment(self, node: Node) -> r.Value:
        children = self.children(node)
        if len(children) != 3:
            return self.opaque(node)
        target_end = children[0].end_byte
        if target_end == children[1].start_byte and self.text(target_end - 1, target_end) == ">":
            return self.opaque(node)  # `a < b && c >= (d)`, which the grammar reads as a template that is assigned to
        target = self.value(children[0])
        self.assigned(target)
        operator = self.text(children[1].start_byte, children[1].end_byte)
        return r.Assign(node.start_byte, node.end_byte, target, operator, self.value(children[2]))

    def assigned(self, target: r.Value) -> None:
        """Mentions the last part of a place that gets a value; for `m[k] = v` that is `m`."""
        for _ in range(LIMIT):
            match target:
                case r.Name(text=text):
                    self.mentions.add_written(text.rpartition("::")[2])
                case r.Member(name=name):
                    self.mentions.add_written(name)
                case r.Index(base=inner) | r.Unary(value=inner) | r.Cast(value=inner):
                    target = inner
                    continue
            return

    def update(self, node: Node) -> r.Value:
        children = self.children(node)
        if len(children) != 2:
            return self.opaque(node)
        operand, sign = children if children[0].is_named else reversed(children)
        before = self.repeated
        target = self.value(operand)
        self.assigned(target)
        operator = self.text(sign.start_byte, sign.end_byte)
        return r.Assign(node.start_byte, node.end_byte, target, operator, self.again(operand, target, before))

    def unary(self, node: Node) -> r.Value:
        children = self.children(node)
        if len(children) != 2:
            return self.opaque(node)
        start = node.start_byte
        operator = self.text(start, children[0].end_byte)
        if start in self.thrown:
            operator = "throw"
        elif operator == "not":
            operator = "!"
        elif operator == "compl":
            operator = "~"
        value = self.value(children[1])
        if operator in ("-", "+") and children[1].kind_id == g.NUMBER and value.__class__ is r.Literal:
            return r.Literal(start, node.end_byte, value.kind, operator + value.text)  # as `-1` without a blank is
        return r.Unary(start, node.end_byte, operator, value)

    def co_await(self, node: Node) -> r.Value:
        return r.Unary(node.start_byte, node.end_byte, "co_await", self.value(self.children(node)[-1]))

    def sizeof(self, node: Node) -> r.Value:
        start, end = node.start_byte, node.end_byte
        for child in self.children(node):
            if child.is_named:
                if child.kind_id == g.TYPE_DESCRIPTOR:
                    written = self.written(child.start_byte, child.end_byte)
                    if not written:
                        break
                    inner: r.Value = r.Name(child.start_byte, child.end_byte, written)
                else:
                    inner = self.value(child)
                return r.Unary(start, end, "sizeof", inner)
        return self.opaque(node)

    def cast(self, node: Node) -> r.Value:
        children = self.children(node)
        if len(children) != 4:
            return self.opaque(node)
        type_ = self.written(children[1].start_byte, children[1].end_byte)
        at = children[3].start_byte
        if not type_ or ("&&" in type_ and self.text(at, at + 2) == "&&"):
            return self.opaque(node)  # `(a && (b && c)) && d` is no cast of a label's address
        return r.Cast(node.start_byte, node.end_byte, type_, "c", self.value(children[3]))

    def conditional(self, node: Node) -> r.Value:
        children = self.children(node)
        start, end = node.start_byte, node.end_byte
        if len(children) == 4 and not children[2].is_named:  # GNU: a ?: b
            before = self.repeated
            condition = self.value(children[0])
            then = self.again(children[0], condition, before)
            return r.Conditional(start, end, condition, then, self.value(children[3]))
        if len(children) != 5:
            return self.opaque(node)
        return r.Conditional(start, end, self.value(children[0]), self.value(children[2]), self.value(children[4]))

    def comma(self, node: Node) -> r.Value:
        start = node.start_byte
        operands: list[r.Value] = []
        steps: list[str] = []
        kind = node.kind_id
        while node.kind_id == kind:
            children = self.children(node)
            if len(children) != 3:
                return self.opaque(node)
            operands.append(self.value(children[0]))
            steps.append(",")
            node = children[2]
        operands.append(self.value(node))
        if len(operands) == 2:
            return r.Binary(start, node.end_byte, ",", operands[0], operands[1])
        return _balanced(operands, steps, 0, len(operands))

    def fold(self, node: Node) -> r.Value:
        start, end = node.start_byte, node.end_byte
        sides: list[r.Value] = []
        operator = ","
        for child in self.children(node):
            text = self.text(child.start_byte, child.end_byte)
            if text == "...":
                sides.append(r.Name(child.start_byte, child.end_byte, "..."))
            elif child.is_named:
                sides.append(self.value(child))
            elif text not in "()":
                operator = _OPERATORS.get(text, text)
        if len(sides) < 2:
            return self.opaque(node)
        value = sides[0]
        for side in sides[1:]:
            value = r.Binary(start, end, operator, value, side)
        return value

    def spread(self, node: Node) -> r.Value:
        return r.Unary(node.start_byte, node.end_byte, "spread", self.value(self.children(node)[0]))

    # --- making things ---

    def aggregate(self, node: Node) -> r.Value:
        children = [child for child in self.children(node) if child.is_named]
        cut = len(children) > ITEMS
        items = tuple([self.value(child) for child in children[:ITEMS]])
        return r.Aggregate(node.start_byte, node.end_byte, "init", items, cut)

    def designated(self, node: Node) -> r.Value:
        children = [child for child in self.children(node) if child.is_named]
        if len(children) < 2:
            return self.opaque(node)
        first = children[0]
        start, end = first.start_byte, children[-2].end_byte
        text = self.text(start, end)
        dotted = text.startswith(".")
        name = text[1:].strip() if dotted else text
        if not name:
            return self.opaque(node)
        key = r.Name(start + dotted, end, name)
        return r.Pair(node.start_byte, node.end_byte, key, self.value(children[-1]))

    def braced(self, node: Node) -> r.Value:
        """`T{a, b}`"""
        children = self.children(node)
        if len(children) != 2:
            if len(children) == 1 and children[0].kind_id == g.INITIALIZER_LIST:  # a default argument `= {}`
                return self.aggregate(children[0])
            if len(children) == 4:  # (T){...}
                return self.cast(node)
            return self.opaque(node)
        callee, template = self.type_name(children[0])
        return r.Call(node.start_byte, node.end_byte, callee, self.listed(children[1]), "construct", template)

    def listed(self, node: Node) -> tuple[r.Value, ...]:
        """Arguments in `()` or `{}`, the latter cut like any list."""
        children = [child for child in self.children(node) if child.is_named]
        return tuple([self.value(child) for child in children[:ITEMS]])

    def type_name(self, node: Node) -> tuple[r.Name, str]:
        """The name of a type that is constructed, and its template arguments; mentions it, too."""
        start, end = node.start_byte, node.end_byte
        named: Node | None = node
        if node.kind_id == g.TYPE_DESCRIPTOR or node.kind_id == g.PLACEHOLDER or node.kind_id == g.PRIMITIVE_TYPE:
            name, template = r.Name(start, end, self.written(start, end) or UNNAMED), ""
        else:
            if node.kind_id in g.CLASSES or node.kind_id == g.ENUM:
                named = node.child_by_field_name("name")
            found, template = self.named(named) if named is not None else (None, "")
            name = found or r.Name(start, start, UNNAMED)
        self.mentions.add(name.text.rpartition("::")[2])
        return name, template

    def new(self, node: Node) -> r.Value:
        start, end = node.start_byte, node.end_byte
        callee: r.Name | None = None
        template = ""
        args: tuple[r.Value, ...] = ()
        placement: tuple[r.Value, ...] = ()
        for child in self.children(node):
            kind = child.kind_id
            if kind == g.ARGUMENTS or kind == g.INITIALIZER_LIST:
                if callee is None:
                    placement = self.values(child)
                else:
                    args += self.listed(child)
            elif kind in g.TYPES or kind == g.TYPE_DESCRIPTOR:
                callee, template = self.type_name(child)
            elif kind == _NEW_DECLARATOR and callee is not None:
                callee = r.Name(callee.start, callee.end, callee.text + "[]")
                for inner in self.children(child):
                    if inner.is_named:
                        args += (self.value(inner),)
                        break
        if callee is None:
            return self.opaque(node)
        placed = [p for p in placement if not (isinstance(p, r.Name) and p.text.endswith("nothrow"))]
        if placed:
            first = placed[0]
            pair = r.Pair(first.start, first.end, r.Name(first.start, first.start, "<placement>"), first)
            return r.Call(start, end, callee, (pair, *args), "construct", template)
        return r.Call(start, end, callee, args, "new", template)

    def delete(self, node: Node) -> r.Value:
        children = self.children(node)
        start = node.start_byte
        array = any(self.text(c.start_byte, c.end_byte) == "[" for c in children[:-1] if not c.is_named)
        word = "delete[]" if array else "delete"
        self.mentions.add("delete")
        return r.Call(start, node.end_byte, r.Name(start, start + 6, word), (self.value(children[-1]),), "delete")

    # --- literals ---

    def string(self, node: Node) -> r.Value:
        start, end = node.start_byte, node.end_byte
        if node.type == "concatenated_string":  # however the pieces stand below one another
            pieces = [one for one in node.named_children if one.type != "comment"]
            text = " ".join(self.text(one.start_byte, min(one.end_byte, one.start_byte + 480)) for one in pieces[:60])
        else:
            text = self.text(start, min(end, start + 480))
        return r.Literal(start, end, "str", text[:120])

    def number(self, node: Node) -> r.Value:
        start, end = node.start_byte, node.end_byte
        if end - start == 1:
            if start in self.empties:
                return r.Aggregate(start, start + 2, "init", ())
            return r.Literal(start, end, "int", self.text(start, end))
        text = self.text(start, min(end, start + 120))
        floating = "." in text or (not text.startswith(("0x", "0X")) and ("e" in text or "E" in text))
        return r.Literal(start, end, "float" if floating else "int", text)

    def bool(self, node: Node) -> r.Value:
        start, end = node.start_byte, node.end_byte
        return r.Literal(start, end, "bool", self.text(start, end))

    def constant(self, node: Node) -> r.Value | None:
        """What a word means that the parser took for the name of a type."""
        text = self.text(node.start_byte, node.end_byte)
        if text in ("true", "false"):
            return self.bool(node)
        return self.null(node) if text in ("nullptr", "NULL") else None

    def null(self, node: Node) -> r.Value:
        start, end = node.start_byte, node.end_byte
        return r.Literal(start, end, "null", self.text(start, end))

    def char(self, node: Node) -> r.Value:
        start, end = node.start_byte, node.end_byte
        return r.Literal(start, end, "char", self.text(start, min(end, start + 120)))

    def other(self, node: Node) -> r.Value:
        start, end = node.start_byte, node.end_byte
        return r.Literal(start, end, "other", self.text(start, min(end, start + 480))[:120])


def _without_root(name: str) -> str:
    """`std::move` of `::std::move`; `::close` stays: it may be told apart from a method."""
    return name[2:] if name.startswith("::") and "::" in name[2:] else name


def _compared(start: int, end: int, operator: str, left: r.Value, right: r.Value) -> r.Binary:
    """`p == nullptr` also where `nullptr == p` is written."""
    if operator in ("==", "!=") and left.__class__ is r.Literal and right.__class__ is not r.Literal:
        left, right = right, left
    return r.Binary(start, end, operator, left, right)


def _balanced(operands: list[r.Value], operators: list[str], low: int, high: int) -> r.Value:
    """`operands[low:high]` with `operators[i]` between `i` and `i + 1`, split in the middle."""
    if high - low == 1:
        return operands[low]
    middle = (low + high) // 2
    left = _balanced(operands, operators, low, middle)
    right = _balanced(operands, operators, middle, high)
    return r.Binary(left.start, right.end, operators[middle - 1], left, right)


def _reader(source: bytes) -> Callable[[int, int], str]:
    """Text between two byte offsets; files in ASCII, which most are, are cut without decoding again."""
    text = source.decode("latin-1")
    if source.isascii():
        return lambda start, end: text[start:end]

    def decode(start: int, end: int) -> str:
        piece = text[start:end]
        return piece if piece.isascii() else piece.encode("latin-1").decode("utf-8", "replace")

    return decode


_NEW_DECLARATOR = g.kind("new_declarator")

_READERS: dict[int, Callable[[CppValues, Node], r.Value]] = {
    g.kind(name): reader
    for name, reader in (
        ("field_identifier", CppValues.name),
        ("type_identifier", CppValues.name),
        ("namespace_identifier", CppValues.name),
        ("primitive_type", CppValues.name),
        ("this", CppValues.name),
        ("operator_name", CppValues.name),
        ("destructor_name", CppValues.name),
        ("qualified_identifier", CppValues.qualified),
        ("template_function", CppValues.qualified),
        ("template_type", CppValues.qualified),
        ("template_method", CppValues.qualified),
        ("dependent_name", CppValues.qualified),
        ("call_expression", CppValues.postfix),
        ("field_expression", CppValues.postfix),
        ("subscript_expression", CppValues.postfix),
        ("parenthesized_expression", CppValues.parenthesized),
        ("binary_expression", CppValues.binary),
        ("assignment_expression", CppValues.assignment),
        ("update_expression", CppValues.update),
        ("unary_expression", CppValues.unary),
        ("pointer_expression", CppValues.unary),
        ("co_await_expression", CppValues.co_await),
        ("sizeof_expression", CppValues.sizeof),
        ("alignof_expression", CppValues.sizeof),
        ("cast_expression", CppValues.cast),
        ("conditional_expression", CppValues.conditional),
        ("comma_expression", CppValues.comma),
        ("fold_expression", CppValues.fold),
        ("parameter_pack_expansion", CppValues.spread),
        ("initializer_list", CppValues.aggregate),
        ("initializer_pair", CppValues.designated),
        ("compound_literal_expression", CppValues.braced),
        ("new_expression", CppValues.new),
        ("delete_expression", CppValues.delete),
        ("lambda_expression", lambda self, node: self.lambda_(node)),
        ("string_literal", CppValues.string),
        ("raw_string_literal", CppValues.string),
        ("concatenated_string", CppValues.string),
        ("number_literal", CppValues.number),
        ("char_literal", CppValues.char),
        ("true", CppValues.bool),
        ("false", CppValues.bool),
        ("null", CppValues.null),
        ("user_defined_literal", CppValues.other),
    )
}


def _is_type(value: r.Value) -> bool:
    """Whether a name in parentheses is a type by the habit of C: `(size_t)(x)` is a cast and no call."""
    return isinstance(value, r.Name) and value.text.endswith("_t")
