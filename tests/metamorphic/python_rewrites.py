"""Ways to write the same in Python."""

from __future__ import annotations

import ast
import io
import itertools
import keyword
import re
import tokenize
from collections.abc import Iterator

from rewriting import Edit, Rewrite, Rewriter

REWRITES: list[Rewrite] = []

Edits = Iterator[Edit]
Function = ast.FunctionDef | ast.AsyncFunctionDef


def means_the_same(rewriter: Rewriter) -> Rewriter:
    REWRITES.append(Rewrite("python-" + rewriter.__name__.replace("_", "-"), "python", rewriter))
    return rewriter


class Text:
    """A module: its tree, its tokens, and places in bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.lines = [0]
        for match in re.finditer(rb"\n", data):
            self.lines.append(match.end())
        try:
            self.tree: ast.Module = ast.parse(data)
        except SyntaxError:  # of a newer Python than this one
            self.tree = ast.Module([], [])
        self.tokens = list(_tokens(data.decode())) if self.tree.body else []
        self.parents: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node

    def start(self, node: ast.AST) -> int:
        return self.lines[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        return self.lines[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def place(self, row: int, column: int) -> int:
        """Of a token: its column counts characters."""
        start = self.lines[row - 1]
        stop = self.lines[row] if row < len(self.lines) else len(self.data)
        return start + len(self.data[start:stop].decode()[:column].encode())

    def indent(self, node: ast.AST) -> bytes:
        line = self.data[self.lines[node.lineno - 1] :]  # type: ignore[attr-defined]
        return line[: len(line) - len(line.lstrip(b" \t"))]

    def first_of_line(self, node: ast.stmt) -> bool:
        at = self.start(node)
        return self.data[self.lines[node.lineno - 1] : at].strip() == b""

    def line_end(self, node: ast.AST) -> int:
        """Behind the line on which the node ends, its newline included."""
        at = self.data.find(b"\n", self.end(node))
        return len(self.data) if at < 0 else at + 1

    def bodies(self) -> Iterator[list[ast.stmt]]:
        for node in ast.walk(self.tree):
            for name in ("body", "orelse", "finalbody"):
                body = getattr(node, name, None)
                if isinstance(body, list) and body:
                    yield body

    def whole_lines(self, *kinds: type[ast.stmt]) -> Iterator[ast.stmt]:
        """Statements of these kinds that have their lines for themselves; no docstring, no `__future__`."""
        for body in self.bodies():
            for statement in body:
                if not isinstance(statement, kinds) or not self.first_of_line(statement):
                    continue
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                    continue
                rest = self.data[self.end(statement) : self.line_end(statement)].strip()
                if not rest or rest.startswith(b"#"):
                    yield statement


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    return tokenize.generate_tokens(io.StringIO(text).readline)


_LAYOUT = (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER)


# --- layout ---------------------------------------------------------------------------------------


def _strings(text: Text) -> list[tuple[int, int]]:
    return [(text.place(*t.start), text.place(*t.end)) for t in text.tokens if t.type == tokenize.STRING]


@means_the_same
def comments_on_lines(data: bytes) -> Edits:
    text = Text(data)
    for token in text.tokens:
        if token.type == tokenize.NEWLINE and token.string:
            at = text.place(*token.start)
            yield Edit(at, at, b'  # it\'s "as" before (')


@means_the_same
def comments_and_blank_lines_between(data: bytes) -> Edits:
    text = Text(data)
    for statement in text.whole_lines(ast.stmt):
        at = text.lines[_first_line(statement) - 1]
        yield Edit(at, at, b"\n# as before\n\n")


def _first_line(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(one.lineno for one in decorators)])


def _joints(text: Text) -> Iterator[tuple[tokenize.TokenInfo, tokenize.TokenInfo, int]]:
    """Neighbours in one logical line, and how many brackets are open between them."""
    depth = 0
    in_string = 0
    for left, right in zip(text.tokens, text.tokens[1:], strict=False):
        if left.type == tokenize.OP:
            depth += (left.string in "([{") - (left.string in ")]}")
        if left.type not in _LAYOUT and right.type not in _LAYOUT and not in_string:
            yield left, right, depth


@means_the_same
def continued_lines(data: bytes) -> Edits:
    text = Text(data)
    for left, right, depth in _joints(text):
        if not depth and left.end[0] == right.start[0]:
            at = text.place(*left.end)
            yield Edit(at, at, b" \\\n  ")


@means_the_same
def a_token_a_line(data: bytes) -> Edits:
    text = Text(data)
    for left, right, depth in _joints(text):
        if depth and left.string != "." and right.string not in "([":  # where formatters would
            at = text.place(*left.end)
            yield Edit(at, at, b"  # in between\n")


@means_the_same
def carriage_returns(data: bytes) -> Edits:
    return (Edit(match.start(), match.start(), b"\r") for match in re.finditer(rb"\n", data))


@means_the_same
def byte_order_mark(data: bytes) -> Edits:
    yield Edit(0, 0, b"\xef\xbb\xbf")


@means_the_same
def tabs(data: bytes) -> Edits:
    text = Text(data)
    inside = _strings(text)
    for match in re.finditer(rb"^(?:    )+", data, re.MULTILINE):
        if not any(start < match.start() < end for start, end in inside):
            yield Edit(match.start(), match.end(), b"\t" * (len(match[0]) // 4))


@means_the_same
def no_last_newline(data: bytes) -> Edits:
    yield Edit(len(data.rstrip()), len(data), b"")


@means_the_same
def semicolons(data: bytes) -> Edits:
    """Simple statements that follow one another stand on one line."""
    text = Text(data)
    simple = (
        ast.Expr,
        ast.Assign,
        ast.AugAssign,
        ast.AnnAssign,
        ast.Return,
        ast.Delete,
        ast.Raise,
        ast.Assert,
        ast.Pass,
    )
    for body in text.bodies():
        for one, other in itertools.pairwise(body):
            if not isinstance(one, simple) or not isinstance(other, simple) or not text.first_of_line(other):
                continue
            between = data[text.end(one) : text.start(other)]
            if not between.strip():
                yield Edit(text.end(one), text.start(other), b"; ")


# --- code around ----------------------------------------------------------------------------------


_UNRELATED = b"""
def %b_count(numbers):
    total = 0
    for number in numbers:
        total += number
    return total


class %bPoint:
    x = 0
    y = 0

"""


def _behind_imports(text: Text) -> int:
    """The start of the line below the last import at the top, or below the docstring."""
    at = 0
    for statement in text.tree.body:
        docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not docstring and not isinstance(statement, ast.Import | ast.ImportFrom):
            break
        at = text.line_end(statement)
    return at


@means_the_same
def code_before(data: bytes) -> Edits:
    at = _behind_imports(Text(data))
    yield Edit(at, at, _UNRELATED % (b"before", b"Before"))


@means_the_same
def much_code_before(data: bytes) -> Edits:
    at = _behind_imports(Text(data))
    yield Edit(at, at, b"".join(b"def prelude_%d(a):\n    return a + %d\n\n\n" % (n, n) for n in range(130)))


@means_the_same
def code_behind(data: bytes) -> Edits:
    yield Edit(len(data), len(data), b"\n" + _UNRELATED % (b"behind", b"Behind"))


@means_the_same
def a_header_before(data: bytes) -> Edits:
    text = Text(data)
    has_docstring = text.tree.body and isinstance(text.tree.body[0], ast.Expr)
    yield Edit(
        0,
        0,
        b"#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n" + (b"" if has_docstring else b'"""What is here."""\n'),
    )


# --- statements -----------------------------------------------------------------------------------


_SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Delete, ast.Raise)


def _under(data: bytes, head: bytes, tail: bytes, *kinds: type[ast.stmt]) -> Edits:
    """Each statement below a line of its own; only those on one line, which strings do not cross."""
    text = Text(data)
    for statement in text.whole_lines(*kinds):
        if statement.lineno == statement.end_lineno:
            indent = text.indent(statement)
            at = text.start(statement)
            yield Edit(at, at, head + b"\n" + indent + b"    ")
            if tail:
                end = text.line_end(statement)
                last = b"" if data[end - 1 : end] == b"\n" else b"\n"
                yield Edit(end, end, last + indent + tail + b"\n")


@means_the_same
def statements_under_if_true(data: bytes) -> Edits:
    return _under(data, b"if True:", b"", *_SIMPLE)


@means_the_same
def statements_in_try_finally(data: bytes) -> Edits:
    return _under(data, b"try:", b"finally: pass", *_SIMPLE)


@means_the_same
def statements_in_null_context(data: bytes) -> Edits:
    made = list(_under(data, b"with contextlib.nullcontext():", b"", *_SIMPLE))
    at = _behind_imports(Text(data))
    return iter([Edit(at, at, b"import contextlib\n"), *made])


@means_the_same
def branches_exchanged(data: bytes) -> Edits:
    """`if c: A else: B` as `if not (c): B else: A`."""
    text = Text(data)
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.If) or not node.orelse or isinstance(node.orelse[0], ast.If):
            continue
        if any(isinstance(one, ast.If) for half in (node.body, node.orelse) for top in half for one in ast.walk(top)):
            continue
        yes = (text.lines[node.body[0].lineno - 1], text.line_end(node.body[-1]))
        no = (text.lines[node.orelse[0].lineno - 1], text.line_end(node.orelse[-1]))
        if text.first_of_line(node.body[0]) and text.first_of_line(node.orelse[0]) and data[no[1] - 1 : no[1]] == b"\n":
            yield Edit(text.start(node.test), text.start(node.test), b"not (")
            yield Edit(text.end(node.test), text.end(node.test), b")")
            yield Edit(*yes, b"", no)
            yield Edit(*no, b"", yes)


@means_the_same
def docstrings_added(data: bytes) -> Edits:
    text = Text(data)
    for node in ast.walk(text.tree):
        if (
            isinstance(node, Function | ast.ClassDef)
            and not ast.get_docstring(node)
            and text.first_of_line(node.body[0])
        ):
            first = node.body[0]
            at = text.lines[_first_line(first) - 1]
            yield Edit(at, at, text.indent(first) + b'"""It\'s said (here."""\n')


@means_the_same
def assigned_by_walrus(data: bytes) -> Edits:
    text = Text(data)
    for node in text.whole_lines(ast.Assign):
        assert isinstance(node, ast.Assign)
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and _in_function(text, node):
            target, value = node.targets[0], node.value
            bare = isinstance(value, ast.Tuple | ast.Yield | ast.YieldFrom | ast.Starred)
            if not bare and not data[text.end(target) : text.start(value)].strip(b" =(\n"):
                yield Edit(text.start(node), text.start(node), b"(")
                yield Edit(text.end(target), data.index(b"=", text.end(target)), b" :")
                at = text.end(node)
                yield Edit(at, at, b")")


def _in_function(text: Text, node: ast.AST) -> Function | None:
    at = text.parents.get(node)
    while at is not None and not isinstance(at, ast.ClassDef | ast.Lambda):
        if isinstance(at, Function):
            return at
        at = text.parents.get(at)
    return None


@means_the_same
def annotated_assignments(data: bytes) -> Edits:
    text = Text(data)
    for node in text.whole_lines(ast.Assign):
        assert isinstance(node, ast.Assign)
        function = _in_function(text, node)
        if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name) or function is None:
            continue
        if node.targets[0].id in _declared_elsewhere(function) or isinstance(node.value, ast.Tuple):
            continue
        at = text.end(node.targets[0])
        yield Edit(at, at, b": object")


def _declared_elsewhere(function: Function) -> set[str]:
    found = (node for node in ast.walk(function) if isinstance(node, ast.Global | ast.Nonlocal))
    return {name for node in found for name in node.names}


@means_the_same
def several_withs(data: bytes) -> Edits:
    """`with a, b:` as two."""
    text = Text(data)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.With) and len(node.items) == 2 and node.lineno == node.body[0].lineno - 1:
            first, second = node.items
            end = text.end(first.optional_vars or first.context_expr)
            start = text.start(second.context_expr)
            if data[end:start].strip() == b"," and node.end_lineno is not None:
                indent = text.indent(node)
                yield Edit(end, start, b":\n" + indent + b"  with ")


# --- expressions ----------------------------------------------------------------------------------

_VALUES = (
    ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.BinOp, ast.Compare, ast.Constant, ast.BoolOp, ast.UnaryOp,
    ast.IfExp, ast.Lambda, ast.List, ast.Dict, ast.ListComp,
)  # fmt: skip


def _in_parentheses(text: Text, *found: ast.expr | None) -> Edits:
    for node in found:
        if isinstance(node, _VALUES):
            yield Edit(text.start(node), text.start(node), b"(")
            yield Edit(text.end(node), text.end(node), b")")


@means_the_same
def parentheses_round_assigned(data: bytes) -> Edits:
    text = Text(data)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.NamedExpr):
            yield from _in_parentheses(text, node.value)


@means_the_same
def parentheses_round_returned(data: bytes) -> Edits:
    text = Text(data)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Return | ast.Yield | ast.Await):
            yield from _in_parentheses(text, node.value)


@means_the_same
def parentheses_round_arguments(data: bytes) -> Edits:
    text = Text(data)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Call):
            yield from _in_parentheses(text, *node.args, *(one.value for one in node.keywords))


@means_the_same
def parentheses_round_receivers(data: bytes) -> Edits:
    text = Text(data)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Attribute | ast.Subscript) and not _in_pattern_or_decorator(text, node):
            yield from _in_parentheses(text, node.value)


@means_the_same
def parentheses_round_called(data: bytes) -> Edits:
    text = Text(data)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Call) and not _in_pattern_or_decorator(text, node):
            yield from _in_parentheses(text, node.func)


@means_the_same
def parentheses_round_conditions(data: bytes) -> Edits:
    text = Text(data)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
            yield from _in_parentheses(text, node.test)
        elif isinstance(node, ast.For):
            yield from _in_parentheses(text, node.iter)
        elif isinstance(node, ast.With) and len(node.items) == 1:
            yield from _in_parentheses(text, node.items[0].context_expr)


@means_the_same
def parentheses_round_statements(data: bytes) -> Edits:
    text = Text(data)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield from _in_parentheses(text, node.value)


def _in_pattern_or_decorator(text: Text, node: ast.AST) -> bool:
    child, at = node, text.parents.get(node)
    while at is not None and not isinstance(child, ast.stmt):
        if isinstance(at, ast.pattern) or (isinstance(at, Function | ast.ClassDef) and child in at.decorator_list):
            return True
        child, at = at, text.parents.get(at)
    return False


@means_the_same
def none_first(data: bytes) -> Edits:
    text = Text(data)
    for node in ast.walk(text.tree):
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            continue
        left, right = node.left, node.comparators[0]
        none = isinstance(right, ast.Constant) and right.value is None
        if none and isinstance(left, ast.Name | ast.Attribute | ast.Call):
            yield Edit(text.start(left), text.end(left), b"None")
            yield Edit(text.start(right), text.end(right), b"", (text.start(left), text.end(left)))


@means_the_same
def trailing_commas(data: bytes) -> Edits:
    text = Text(data)
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Call) and (node.args or node.keywords):
            end = text.end(node) - 1
            generator = len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp)
            if not generator and not data[:end].rstrip().endswith(b",") and data[end : end + 1] == b")":
                yield Edit(end, end, b",")


@means_the_same
def other_quotes(data: bytes) -> Edits:
    text = Text(data)
    for token in text.tokens:
        if token.type == tokenize.STRING and re.fullmatch(r'"[^"\'\\]*"', token.string):
            start = text.place(*token.start)
            yield Edit(start, text.place(*token.end), b"r'" + token.string[1:-1].encode() + b"'")


# --- names ----------------------------------------------------------------------------------------


def _stands(text: Text, name: ast.Name) -> bool:
    """Not so for what an f-string holds: before Python 3.12 its places are wrong."""
    return text.data[text.start(name) : text.end(name)] == name.id.encode()


def _locals_of(function: Function) -> set[str]:
    """Names that the function binds by assignment; none that a nested function or class could see."""
    nested = [
        node
        for node in ast.walk(function)
        if isinstance(node, Function | ast.Lambda | ast.ClassDef) and node is not function
    ]
    used_inside = {one.id for node in nested for one in ast.walk(node) if isinstance(one, ast.Name)}
    used_inside |= {node.name for node in nested if not isinstance(node, ast.Lambda)}
    stored = {
        node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    other = set(_declared_elsewhere(function)) | {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
    for node in ast.walk(function):
        if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            other.add(node.name)
        elif isinstance(node, ast.alias):
            other.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.MatchMapping) and node.rest:
            other.add(node.rest)
    return stored - used_inside - other


@means_the_same
def renamed_locals(data: bytes) -> Edits:
    text = Text(data)
    for function in (node for node in ast.walk(text.tree) if isinstance(node, Function)):
        names = {name: b"x%d" % n for n, name in enumerate(sorted(_locals_of(function)), 1)}
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in names and _stands(text, node):
                yield Edit(text.start(node), text.end(node), names[node.id])


@means_the_same
def renamed_parameters(data: bytes) -> Edits:
    """Of functions of the module that no call gives an argument by name."""
    text = Text(data)
    given = {word.arg for node in ast.walk(text.tree) if isinstance(node, ast.Call) for word in node.keywords}
    for function in text.tree.body:
        if not isinstance(function, Function) or function.decorator_list:
            continue
        if any(
            isinstance(node, Function | ast.Lambda | ast.ClassDef) and node is not function
            for node in ast.walk(function)
        ):
            continue
        stored = _declared_elsewhere(function)
        arguments = function.args
        names = {
            one.arg: b"p%d" % n
            for n, one in enumerate([*arguments.posonlyargs, *arguments.args], 1)
            if one.arg not in given and one.arg not in stored and one.arg not in ("self", "cls")
        }
        for one in [*arguments.posonlyargs, *arguments.args]:
            if one.arg in names:
                yield Edit(text.start(one), text.start(one) + len(one.arg.encode()), names[one.arg])
        for node in ast.walk(function):
            if (
                isinstance(node, ast.Name)
                and node.id in names
                and data[text.start(node) : text.end(node)] == node.id.encode()
            ):
                yield Edit(text.start(node), text.end(node), names[node.id])


def _imported_at_top(text: Text) -> Iterator[tuple[ast.Import | ast.ImportFrom, ast.alias]]:
    """Imports of the module whose names nothing else in it binds."""
    bound = {
        node.id for node in ast.walk(text.tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    bound |= {node.arg for node in ast.walk(text.tree) if isinstance(node, ast.arg)}
    bound |= {node.name for node in ast.walk(text.tree) if isinstance(node, Function | ast.ClassDef)}
    everywhere = [a for n in ast.walk(text.tree) if isinstance(n, ast.Import | ast.ImportFrom) for a in n.names]
    names = [(alias.asname or alias.name).partition(".")[0] for alias in everywhere]
    exported = any(isinstance(n, ast.Name) and n.id == "__all__" for n in ast.walk(text.tree))
    for node in text.tree.body:
        if (
            isinstance(node, ast.Import | ast.ImportFrom)
            and not exported
            and getattr(node, "module", "") != "__future__"
        ):
            for alias in node.names:
                name = (alias.asname or alias.name).partition(".")[0]
                if alias.name != "*" and name not in bound and names.count(name) == 1:
                    yield node, alias


def _uses(text: Text, name: str) -> list[ast.Name]:
    found = [node for node in ast.walk(text.tree) if isinstance(node, ast.Name) and node.id == name]
    return [node for node in found if text.data[text.start(node) : text.end(node)] == name.encode()]


def _quoted(text: Text, name: str) -> bool:
    """Whether the name stands in a string, perhaps an annotation."""
    strings = (node.value for node in ast.walk(text.tree) if isinstance(node, ast.Constant))
    return any(isinstance(value, str) and re.search(rf"\b{re.escape(name)}\b", value) for value in strings)


@means_the_same
def renamed_imports(data: bytes) -> Edits:
    """`import numpy as _m1`, `from functools import partial as _m2`."""
    text = Text(data)
    for count, (_, alias) in enumerate(_imported_at_top(text), 1):
        name = alias.asname or alias.name
        if "." in name or _quoted(text, name) or not _uses(text, name):  # unused: it is there for other files
            continue
        yield Edit(text.start(alias), text.end(alias), alias.name.encode() + b" as _m%d" % count)
        for node in _uses(text, name):
            yield Edit(text.start(node), text.end(node), b"_m%d" % count)


@means_the_same
def imports_assigned(data: bytes) -> Edits:
    """`import numpy as _m1`, then `np = _m1`."""
    text = Text(data)
    for count, (node, alias) in enumerate(_imported_at_top(text), 1):
        name = alias.asname or alias.name
        if "." in name or len(node.names) > 1:
            continue
        yield Edit(text.start(alias), text.end(alias), alias.name.encode() + b" as _m%d" % count)
        at = text.line_end(node)
        yield Edit(at, at, b"%b = _m%d\n" % (name.encode(), count))


@means_the_same
def modules_for_names(data: bytes) -> Edits:
    """`import functools as _m1` and `_m1.partial` for `from functools import partial`."""
    text = Text(data)
    for count, (node, alias) in enumerate(_imported_at_top(text), 1):
        name = alias.asname or alias.name
        if not isinstance(node, ast.ImportFrom) or node.level or len(node.names) > 1 or _quoted(text, name):
            continue
        uses = _uses(text, name)  # without any it is there for other files
        if not uses or any(isinstance(text.parents[use], ast.MatchClass) for use in uses):
            continue
        yield Edit(text.start(node), text.end(node), f"import {node.module} as _m{count}".encode())
        for use in uses:
            yield Edit(text.start(use), text.end(use), f"_m{count}.{alias.name}".encode())


@means_the_same
def names_for_modules(data: bytes) -> Edits:
    """`from functools import partial as _partial` for `functools.partial`."""
    text = Text(data)
    for node, alias in _imported_at_top(text):
        name = alias.asname or alias.name
        uses = _uses(text, name)
        if not isinstance(node, ast.Import) or "." in name or len(node.names) > 1 or _quoted(text, name):
            continue
        around = [text.parents[use] for use in uses]
        if not uses or not all(isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load) for one in around):
            continue
        wanted = sorted({one.attr for one in around if isinstance(one, ast.Attribute)})
        if any(keyword.iskeyword(one) for one in wanted):
            continue
        listed = ", ".join(f"{one} as _{name}_{one}" for one in wanted)
        yield Edit(text.start(node), text.end(node), f"from {alias.name} import {listed}".encode())
        for one in around:
            assert isinstance(one, ast.Attribute)
            yield Edit(text.start(one), text.end(one), f"_{name}_{one.attr}".encode())


@means_the_same
def submodules_from_packages(data: bytes) -> Edits:
    """`from jax import numpy as jnp` for `import jax.numpy as jnp`."""
    text = Text(data)
    for node, alias in _imported_at_top(text):
        package, _, module = alias.name.rpartition(".")
        if isinstance(node, ast.Import) and package and alias.asname and len(node.names) == 1:
            yield Edit(text.start(node), text.end(node), f"from {package} import {module} as {alias.asname}".encode())


@means_the_same
def dotted_modules_named(data: bytes) -> Edits:
    """`import a.b as _m1` for `import a.b`, where all uses spell `a.b`."""
    text = Text(data)
    for count, (node, alias) in enumerate(_imported_at_top(text), 1):
        if (
            not isinstance(node, ast.Import)
            or alias.asname
            or alias.name.count(".") != 1
            or _quoted(text, alias.name.partition(".")[0])
        ):
            continue
        package, _, module = alias.name.partition(".")
        around = [text.parents[use] for use in _uses(text, package)]
        if all(isinstance(one, ast.Attribute) and one.attr == module for one in around):
            yield Edit(text.start(alias), text.end(alias), f"{alias.name} as _m{count}".encode())
            for one in around:
                yield Edit(text.start(one), text.end(one), f"_m{count}".encode())


# --- order ----------------------------------------------------------------------------------------


def _whole(text: Text, node: ast.stmt) -> tuple[int, int]:
    return text.lines[_first_line(node) - 1], text.line_end(node)


def _permuted(text: Text, now: list[ast.stmt], then: list[ast.stmt]) -> Edits:
    for place, node in zip(now, then, strict=True):
        if place is not node:
            yield Edit(*_whole(text, place), b"", _whole(text, node))


@means_the_same
def functions_reversed(data: bytes) -> Edits:
    """Functions of the module, where nothing that runs at import stands behind the first of them."""
    text = Text(data)
    if not data.endswith(b"\n"):
        return
    run: list[ast.stmt] = []
    for node in [*text.tree.body, ast.Pass()]:
        plain = isinstance(node, Function) and not node.decorator_list and not _runs(node) and text.first_of_line(node)
        if plain:
            run.append(node)
        else:
            names = {one.name for one in run if isinstance(one, Function)}
            if len(names) == len(run) > 1:
                yield from _permuted(text, run, run[::-1])
            run = []


def _runs(function: ast.stmt) -> bool:
    assert isinstance(function, Function)
    return bool(function.args.defaults or [one for one in function.args.kw_defaults if one])


@means_the_same
def methods_reversed(data: bytes) -> Edits:
    text = Text(data)
    if not data.endswith(b"\n"):
        return
    for node in ast.walk(text.tree):
        if isinstance(node, ast.ClassDef):
            methods = [one for one in node.body if isinstance(one, Function) and not one.decorator_list]
            names = {one.name for one in node.body if isinstance(one, Function)}
            inner = any(isinstance(one, ast.ClassDef) for method in methods for one in ast.walk(method))
            once = len(names) == len([n for n in node.body if isinstance(n, Function)])
            if len(methods) > 1 and once and not inner and all(text.first_of_line(one) for one in methods):
                yield from _permuted(text, list(methods), list(methods[::-1]))
