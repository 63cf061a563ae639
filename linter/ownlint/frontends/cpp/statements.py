"""Statements: from nodes to `records.Statement`.

`T x(a);` is a function declaration to a parser without types; in a body whose "parameters" can be read as
arguments it is taken for the variable it nearly always is.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from tree_sitter import Node

from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.frontends.cpp import grammar as g
from ownlint.frontends.cpp.preprocess import BEFORE_TYPE, Loose, OverwrittenMacro, Prepared
from ownlint.frontends.cpp.values import LIMIT, UNNAMED, CppValues

Out = list[r.Statement]


class Declarator(NamedTuple):
    """The name's node, what the declarator adds to the type, and the node that makes it a function."""

    name: Node | None
    suffix: str
    function: Node | None
    binding: Node | None = None


class Specifiers(NamedTuple):
    words: tuple[str, ...]
    type: str
    type_node: Node | None
    attributes: tuple[r.Annotation, ...]

    @property
    def one_a_thread(self) -> bool:
        return not _ONE_A_THREAD.isdisjoint(self.words)


_ONE_A_THREAD = frozenset({"thread_local", "__thread"})
_IS_POINTER = re.compile(r"\*(?:\s*(?:const|volatile))*\Z")
_CLEANUPS = frozenset({"cleanup", "__cleanup__", "gnu::cleanup", "gnu::__cleanup__", BEFORE_TYPE})


class BuildQuestions:
    """What a function, from `start` to `end`, asks of the build; in `first`, how each question is put first."""

    def __init__(self, asked: Mapping[int, str], start: int = 0, end: int = 0) -> None:
        self.start, self.end = start, end
        self.first: dict[str, str] = {}
        self._at = sorted(at for at in asked if start <= at < end)
        self._words = [frozenset(_MACROS.findall(asked[at])) - _NO_MACROS for at in self._at]
        self._span: dict[str, tuple[int, int]] = {}
        """From where to where something is asked about a macro."""
        for at, words in zip(self._at, self._words, strict=True):
            self.first.setdefault(asked[at].removeprefix("!"), asked[at])
            self._span.update((word, (self._span.get(word, (at, at))[0], at)) for word in words)

    def beside(self, start: int, end: int) -> bool:
        """Whether of a macro that is asked about between the two offsets something is asked elsewhere, too."""
        spans = (self._span[w] for words in self._words[slice(*map(self._index, (start, end)))] for w in words)
        return any(first < start or last >= end for first, last in spans)

    def _index(self, offset: int) -> int:
        return bisect_left(self._at, offset)


class CppStatements(CppValues):
    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared.source, prepared.thrown, prepared.empties, prepared.launched)
        self.taken = prepared.taken
        self.loose = prepared.loose
        self.asked = prepared.asked
        self.questions = BuildQuestions({})

    # --- to be supplied by those who know declarations ---

    def declared_in_body(self, node: Node, out: Out) -> None:
        raise NotImplementedError

    def marks_of(self, start: int, end: int) -> Iterator[OverwrittenMacro]:
        raise NotImplementedError

    def cleanup(self, specifiers: Specifiers, start: int, end: int) -> str:
        """The function that an attribute of a local calls where it ends, or the macro before its type that may stand
        for such an attribute; empty for none."""
        said: tuple[r.Annotation | OverwrittenMacro, ...] = (*specifiers.attributes, *self.marks_of(start, end))
        return next((one.arguments for one in said if one.name in _CLEANUPS), "")

    # --- blocks ---

    def block(self, node: Node) -> r.Body:
        """The statements of `{ ... }`, or the one statement that stands in its place."""
        out: Out = []
        if node.kind_id == g.COMPOUND:
            self.depth += 1
            self.statements(node.children, out)
            if self.loose:
                self.insert_loose(node, out)
            self.depth -= 1
            self.join_values(out)
        else:
            self.statement(node, out)
        return tuple(out)

    def join_values(self, out: Out) -> None:
        """`T* p; ... p = e;` as `T* p = e;`, where the first that is said of `p` is that it is assigned, in the block
        that declares it: old C wants it so, and a pointer that has no value yet cannot be asked for."""
        for index, declared in enumerate(out):
            if not isinstance(declared, r.Declare) or declared.value is not None or not _is_plain_pointer(declared):
                continue
            name = declared.names[0]
            for at in range(index + 1, min(index + _NEAR_STATEMENTS, len(out))):
                statement = out[at]
                if statement.end - declared.end > _NEAR_BYTES:
                    break
                value = _assigned_to(name, statement)
                words = _SAID.findall(self.text(statement.start, statement.end))
                said = [before for before, word in words if word == name]
                if value is not None and said.count("") == 1:  # `.name` is a member of another
                    moved = r.Declare(statement.start, statement.end, declared.names, declared.type, value)
                    out[at] = moved
                    self.mentions.declare_written(name)
                    out[index] = _NOTHING
                if said:
                    break
        if any(statement is _NOTHING for statement in out):
            out[:] = [statement for statement in out if statement is not _NOTHING]

    def statements(self, nodes: Iterable[Node], out: Out) -> None:
        statement = self.statement
        for node in nodes:
            if node.is_named:
                statement(node, out)

    def statement(self, node: Node, out: Out) -> None:
        read = _READERS.get(node.kind_id)
        if read is None or self.depth > LIMIT:
            self.unknown(node, out)
            return
        self.depth += 1
        if self.hoisted:
            outer = self.hoisted
            self.hoisted = []
            read(self, node, out)
            self.hoisted = outer
        else:
            read(self, node, out)
        self.depth -= 1

    def flush(self, out: Out) -> None:
        """Puts the pieces of a long chain before the statement that holds its end."""
        if self.hoisted:
            out.extend(self.hoisted)
            self.hoisted.clear()

    def unknown(self, node: Node, out: Out) -> None:
        """Something that is not a statement; a value on its own (a macro's argument) is evaluated."""
        if node.kind_id in _IGNORED:
            return
        start, end = node.start_byte, node.end_byte
        self.broken = True
        out.append(r.Opaque(start, end, self.line(start, end), self.names(node)))

    def insert_loose(self, node: Node, out: Out) -> None:
        """Macros that stand alone in this block, but in no statement of it."""
        start, end = node.start_byte, node.end_byte
        for macro in self.loose:
            if start < macro.start < end and not any(s.start <= macro.start < s.end for s in out):
                index = next((i for i, s in enumerate(out) if s.start > macro.start), len(out))
                out.insert(index, r.Evaluate(macro.start, macro.end, self.loose_value(macro)))

    def loose_value(self, macro: Loose) -> r.Value:
        name = r.Name(macro.start, macro.start + len(macro.name), macro.name)
        self.mentions.add(macro.name)
        args: tuple[r.Value, ...] = ()
        if macro.arguments:
            words = tuple(sorted(set(_WORD.findall(macro.arguments))))[:64]
            args = (r.OpaqueValue(name.end, macro.end, " ".join(macro.arguments.split())[:120], words),)
        return r.Call(macro.start, macro.end, name, args, "macro")

    # --- simple statements ---

    def evaluate(self, node: Node, out: Out) -> None:
        children = self.children(node)
        if len(children) < 1 or not children[0].is_named:
            return
        if children[0].kind_id == _ASM:
            self.unknown(node, out)
            return
        value = self.value(children[0])
        self.flush(out)
        start, end = node.start_byte, node.end_byte
        if self.taken and start in self.taken:
            taken = self.taken[start]
            callee = r.Name(taken.name_start, taken.name_start + len(taken.name), taken.name)
            self.mentions.add(taken.name)
            if isinstance(value, r.Assign):
                value = r.Assign(
                    value.start,
                    value.end,
                    value.target,
                    value.op,
                    r.Call(taken.start, taken.end, callee, (value.value,), "macro"),
                )
            out.append(r.Evaluate(taken.start, taken.end, value))
        elif value.__class__ is r.Unary and value.op == "throw":
            out.append(r.Leave(start, end, "throw", value.value))
        else:
            out.append(_declared_by_macro(start, end, value) or r.Evaluate(start, end, value))

    def co_yield(self, node: Node, out: Out) -> None:
        start, end = node.start_byte, node.end_byte
        value = self.value(self.children(node)[1])
        self.flush(out)
        out.append(r.Evaluate(start, end, r.Unary(start, end, "yield", value)))

    def return_(self, node: Node, out: Out) -> None:
        self.leave("return", node, out)

    def throw(self, node: Node, out: Out) -> None:
        self.leave("throw", node, out)

    def leave(self, kind: Literal["return", "throw"], node: Node, out: Out) -> None:
        value = None
        for child in self.children(node)[1:]:
            if child.is_named:
                value = self.value(child)
                break
        self.flush(out)
        out.append(r.Leave(node.start_byte, node.end_byte, kind, value))

    def break_(self, node: Node, out: Out) -> None:
        out.append(r.Leave(node.start_byte, node.end_byte, "break"))

    def continue_(self, node: Node, out: Out) -> None:
        out.append(r.Leave(node.start_byte, node.end_byte, "continue"))

    def goto(self, node: Node, out: Out) -> None:
        label = ""
        for child in self.children(node)[1:]:
            if child.is_named:
                label = self.text(child.start_byte, child.end_byte)
        out.append(r.Leave(node.start_byte, node.end_byte, "goto", None, label))

    def labeled(self, node: Node, out: Out) -> None:
        children = self.children(node)
        if not children:
            self.unknown(node, out)
            return
        first = children[0]
        out.append(r.Label(first.start_byte, first.end_byte, self.text(first.start_byte, first.end_byte)))
        self.statements(children[1:], out)

    def attributed(self, node: Node, out: Out) -> None:
        self.statements([c for c in self.children(node) if c.kind_id != g.ATTRIBUTE_DECLARATION], out)

    def compound(self, node: Node, out: Out) -> None:
        if (start := self.deferred_at(node)) >= 0:
            end = node.end_byte
            out.append(r.Opaque(start, end, self.line(start, end), self.names(node)))
            return
        self.add_block(node, self.block(node), out)

    def deferred_at(self, node: Node) -> int:
        """Where the statement begins whose block a macro takes for an expression, so that it runs nobody knows when:
        `AT_EXIT { close(p); };`; -1 for any other block."""
        start, end = node.start_byte, node.end_byte
        before = bisect_left(self.loose, start, key=lambda one: one.start) - 1
        if before < 0 or not self.text(end, end + _CLOSE).lstrip().startswith(";"):
            return -1
        taking = self.loose[before]
        # Where nothing stands between, the brackets may be those of `RETRY(a(); return b;)`.
        is_beside = taking.arguments is None and taking.end < start and not self.text(taking.end, start).strip()
        return taking.start if is_beside else -1

    def add_block(self, node: Node, body: r.Body, out: Out) -> None:
        """What runs once, in its place: the block itself where something in it may live no longer than it, else its
        statements."""
        if any(_may_declare(statement) for statement in body):
            out.append(r.Block(node.start_byte, node.end_byte, body))
        else:
            out.extend(body)

    # --- control ---

    def condition(self, node: Node) -> tuple[tuple[r.Statement, ...], r.Value]:
        """What runs before the test of `if (...)`, and the test."""
        before: Out = []
        test: r.Value | None = None
        if node.kind_id == g.PARENTHESIZED:
            test = self.value(node)
            self.flush(before)
            return tuple(before), test
        for child in self.children(node):
            if not child.is_named:
                continue
            kind = child.kind_id
            if kind == _INIT_STATEMENT:
                self.statements(self.children(child), before)
            elif kind == g.DECLARATION:
                test = self.condition_declaration(child, before)
            else:
                test = self.value(child)
                self.flush(before)
        if test is None:
            test = r.OpaqueValue(node.start_byte, node.end_byte, self.line(node.start_byte, node.end_byte))
        return tuple(before), test

    def condition_declaration(self, node: Node, out: Out) -> r.Value:
        """`auto* p = f()` as a condition: declares `p`, tests `p`."""
        specifiers, rest = self.specifiers(node)
        value: r.Value | None = None
        declarator = Declarator(None, "", None)
        for child in rest:
            kind = child.kind_id
            if kind == g.INIT_DECLARATOR:
                parts = self.children(child)
                declarator = self.declarator(parts[0])
                value = self.value(parts[-1])
            elif child.is_named and declarator.name is None and declarator.binding is None:
                declarator = self.declarator(child)
            elif child.is_named:
                value = self.value(child)
        self.flush(out)
        names = self.declared_names(declarator)
        start, end = node.start_byte, node.end_byte
        if not names:
            return self.opaque(node)
        out.append(r.Declare(start, end, names, specifiers.type + declarator.suffix, value))
        named = declarator.name or declarator.binding
        assert named is not None
        return r.Name(named.start_byte, named.end_byte, names[0])

    def if_(self, node: Node, out: Out) -> None:
        constant = False
        before: tuple[r.Statement, ...] = ()
        test: r.Value | None = None
        then: r.Body | None = None
        other: r.Body = ()
        for child in self.children(node)[1:]:
            if not child.is_named:
                if child.end_byte - child.start_byte == 9:
                    constant = True
                continue
            kind = child.kind_id
            if test is None:
                before, test = self.condition(child)
            elif kind == _ELSE:
                inner: Out = []
                for part in self.children(child):
                    if part.is_named:
                        inner.extend(self.block(part))
                other = tuple(inner)
            elif then is None:
                then = self.block(child)
        if test is None:
            self.unknown(node, out)
            return
        if _is_constant(test, True):
            self.add_block(node, (*before, *(then or ())), out)
            return
        out.append(r.Branch(node.start_byte, node.end_byte, test, then or (), other, before, constant))

    def while_(self, node: Node, out: Out) -> None:
        children = [child for child in self.children(node) if child.is_named]
        if len(children) < 2:
            self.unknown(node, out)
            return
        before, test = self.condition(children[0])
        body = self.block(children[-1])
        out.append(r.Loop(node.start_byte, node.end_byte, "while", body, before, test))

    def do(self, node: Node, out: Out) -> None:
        children = [child for child in self.children(node) if child.is_named]
        if len(children) < 2:
            self.unknown(node, out)
            return
        body = self.block(children[0])
        before, test = self.condition(children[-1])
        if _is_constant(test, False) and not _leaves_loop(body):
            self.add_block(node, body, out)  # runs once: a block that a macro likes to be
            return
        out.append(r.Loop(node.start_byte, node.end_byte, "do", (*body, *before), (), test))

    def for_(self, node: Node, out: Out) -> None:
        before: Out = []
        first = node.child_by_field_name("initializer")
        if first is not None:
            if first.kind_id in _READERS:
                self.statement(first, before)
            else:
                before.append(r.Evaluate(first.start_byte, first.end_byte, self.value(first)))
        test = node.child_by_field_name("condition")
        step = node.child_by_field_name("update")
        body = node.child_by_field_name("body")
        condition = self.value(test) if test is not None else None
        update = self.value(step) if step is not None else None
        self.flush(before)
        inner = self.block(body) if body is not None else ()
        out.append(r.Loop(node.start_byte, node.end_byte, "for", inner, tuple(before), condition, update))

    def range(self, node: Node, out: Out) -> None:
        before: Out = []
        first = node.child_by_field_name("initializer")
        if first is not None:
            self.statements(self.children(first), before)
        right = node.child_by_field_name("right")
        body = node.child_by_field_name("body")
        if right is None or body is None:
            self.unknown(node, out)
            return
        specifiers, rest = self.specifiers(node)
        target: r.Value | None = None
        suffix = ""
        for child in rest:
            if child.start_byte >= right.start_byte:
                break
            if child.is_named and child.kind_id != _INIT_STATEMENT:
                declarator = self.declarator(child)
                suffix = declarator.suffix
                if declarator.binding is not None:
                    names = tuple(self.name(c) for c in self.children(declarator.binding) if c.is_named)
                    bound = declarator.binding
                    target = r.Aggregate(bound.start_byte, bound.end_byte, "tuple", names)
                elif declarator.name is not None:
                    target = self.name(declarator.name)
        if target is None:
            self.broken = True
            start, end = node.start_byte, right.start_byte
            target = r.OpaqueValue(start, end, self.line(start, end))
        iterable = self.value(right)
        self.flush(before)
        inner = self.block(body)
        out.append(
            r.Loop(
                node.start_byte,
                node.end_byte,
                "range",
                inner,
                tuple(before),
                target=target,
                type=specifiers.type + suffix,
                iterable=iterable,
            )
        )

    def switch(self, node: Node, out: Out) -> None:
        children = [child for child in self.children(node) if child.is_named]
        if len(children) != 2:
            self.unknown(node, out)
            return
        before, test = self.condition(children[0])
        cases: list[r.Case] = []
        self.cases(children[1].children, cases)
        switch = r.Switch(node.start_byte, node.end_byte, test, tuple(cases))
        if before:
            out.append(r.Block(node.start_byte, node.end_byte, (*before, switch)))
        else:
            out.append(switch)

    def cases(self, nodes: Iterable[Node], cases: list[r.Case]) -> None:
        for node in nodes:
            if not node.is_named:
                continue
            if node.kind_id == _CASE:
                cases.append(self.case(node))
            elif node.kind_id in g.PREPROC or node.kind_id in g.PREPROC_ELSE:
                self.cases(node.children, cases)
            else:
                # A statement the grammar left outside belongs to the case before; the first is a macro with a label.
                more: Out = []
                self.statement(node, more)
                if not cases:
                    match more:
                        case [r.Evaluate(value=r.Call(callee=r.Name() as name))]:
                            cases.append(r.Case(node.start_byte, node.end_byte, (name,), tuple(more)))
                    continue
                last = cases[-1]
                cases[-1] = r.Case(last.start, max(last.end, node.end_byte), last.values, (*last.body, *more))

    def case(self, node: Node) -> r.Case:
        values: list[r.Value] = []
        body: Out = []
        labelled = False
        for child in node.children:
            if not child.is_named:
                if self.text(child.start_byte, child.end_byte) == ":":
                    labelled = True
            elif labelled:
                self.statement(child, body)
            elif child.kind_id != g.ERROR:
                value = self.value(child)
                if isinstance(value, r.Unary) and value.op == "spread":
                    value = value.value
                values.append(value)
            else:  # `case 1 ... 3`: the grammar knows the first alone
                values.extend(self.value(part) for part in child.children if part.is_named)
        return r.Case(node.start_byte, node.end_byte, tuple(values), tuple(body))

    def try_(self, node: Node, out: Out) -> None:
        out.append(self.try_block(node))

    def try_block(self, node: Node) -> r.Try:
        body: r.Body = ()
        handlers: list[r.Handler] = []
        for child in self.children(node):
            if child.kind_id == g.COMPOUND:
                body = self.block(child)
            elif child.kind_id == _CATCH:
                handlers.append(self.handler(child))
        return r.Try(node.start_byte, node.end_byte, body, tuple(handlers))

    def handler(self, node: Node) -> r.Handler:
        type_, name, body = "", "", ()
        inner: r.Body = body
        for child in self.children(node):
            if child.kind_id == g.PARAMETERS:
                for parameter in self.children(child):
                    if parameter.is_named:
                        specifiers, rest = self.specifiers(parameter)
                        type_ = specifiers.type
                        for part in rest:
                            declarator = self.declarator(part)
                            type_ += declarator.suffix
                            if declarator.name is not None:
                                name = self.text(declarator.name.start_byte, declarator.name.end_byte)
            elif child.kind_id == g.COMPOUND:
                inner = self.block(child)
        return r.Handler(node.start_byte, node.end_byte, type_, name, inner)

    def conditional_group(self, node: Node, out: Out) -> None:
        """`#if` in a body, all sides whole: ways of a branch that the build decides. Where the function asks about the
        same macros elsewhere, one side counts, or nothing where there is no other: what is done twice under one
        question is done in one build."""
        asked = self.asked.get(node.start_byte, "")
        alternative = node.child_by_field_name("alternative")
        if asked and alternative is not None:
            questions = self.questions_around(node)
            if not questions.beside(node.start_byte, node.end_byte):
                self.ways(node, out)
                return
            first = questions.first[asked.removeprefix("!")]
            node = node if first == asked else alternative
        elif asked and self.questions_around(node).first[asked.removeprefix("!")] != asked:
            return  # without an `#else`, and asks the contrary of what was asked first
        self.statements(self.side(node), out)

    def ways(self, node: Node, out: Out) -> None:
        """A side of a conditional, and what its other sides come to."""
        start = node.start_byte
        asked = self.asked.get(start)
        if asked is None:  # `#else`
            self.statements(self.side(node), out)
            return
        test: r.Value = r.Literal(start, start + 3, "build", asked.removeprefix("!"))
        if asked.startswith("!"):
            test = r.Unary(start, start + 3, "!", test)
        then: Out = []
        self.statements(self.side(node), then)
        other: Out = []
        alternative = node.child_by_field_name("alternative")
        if alternative is not None and self.depth > LIMIT:
            self.unknown(alternative, other)
        elif alternative is not None:
            self.depth += 1
            self.ways(alternative, other)
            self.depth -= 1
        out.append(r.Branch(start, node.end_byte, test, tuple(then), tuple(other)))

    def questions_around(self, node: Node) -> BuildQuestions:
        """What the whole function around asks of the build."""
        if not self.questions.start <= node.start_byte < self.questions.end:
            around: Node = node
            parent: Node | None = node
            while parent is not None:
                if parent.kind_id == g.FUNCTION_DEFINITION:
                    around = parent
                parent = parent.parent
            self.questions = BuildQuestions(self.asked, around.start_byte, around.end_byte)
        return self.questions

    @staticmethod
    def side(node: Node) -> list[Node]:
        """What stands between a directive and the next of its conditional."""
        row = node.start_point[0]
        return [
            child
            for child in node.children
            if child.is_named and child.start_point[0] > row and child.kind_id not in g.PREPROC_ELSE
        ]

    # --- declarations ---

    def specifiers(self, node: Node) -> tuple[Specifiers, list[Node]]:
        """What stands before the declarators, and the rest, from the first declarator on."""
        words: list[str] = []
        pieces: list[str] = []
        attributes: tuple[r.Annotation, ...] = ()
        type_node: Node | None = None
        children = self.children(node)
        if children and children[0].kind_id in _SIMPLE_TYPES:
            first = children[0]
            if first.kind_id == g.QUALIFIED and ends_in_cast(first):
                return Specifiers((), "", None, ()), children
            if len(children) == 1 or children[1].kind_id not in _MORE:  # the common case: `T x`
                written = self.written(first.start_byte, first.end_byte)
                return Specifiers((), written, first, ()), children[1:]
        index = 0
        for index, child in enumerate(children):
            kind = child.kind_id
            if kind == g.TYPE_QUALIFIER:
                word = self.text(child.start_byte, child.end_byte)
                if word in ("const", "volatile"):
                    pieces.append(word)
                else:
                    words.append(word)
            elif kind in g.TYPES:
                if type_node is not None or (kind == g.QUALIFIED and ends_in_cast(child)):
                    break
                type_node = child
                pieces.append(self.type_text(child))
            elif kind in _SPECIFIERS:
                if kind == g.ATTRIBUTE_DECLARATION:
                    attributes += self.attributes(child)
                else:
                    words.append(self.text(child.start_byte, child.end_byte))
            elif child.is_named and kind in _SKIPPED_SPECIFIERS:
                continue
            elif not child.is_named and index < 4 and type_node is None and kind != _OPEN:
                word = self.text(child.start_byte, child.end_byte)
                if word.isidentifier() and word != "for":
                    words.append(word)
            elif kind == _INIT_STATEMENT or (not child.is_named and type_node is None):
                continue
            else:
                break
        else:
            index += 1
        pieces.sort(key=lambda piece: piece not in ("const", "volatile"))  # `T const` is `const T`
        return Specifiers(tuple(words), " ".join(pieces), type_node, attributes), children[index:]

    def type_text(self, node: Node) -> str:
        if node.kind_id in g.CLASSES or node.kind_id == g.ENUM:
            name = node.child_by_field_name("name")
            body = node.child_by_field_name("body")
            if body is not None:
                return self.written(name.start_byte, name.end_byte) if name is not None else ""
        return self.written(node.start_byte, node.end_byte)

    def attributes(self, node: Node) -> tuple[r.Annotation, ...]:
        found = []
        for child in self.children(node):
            if child.kind_id == g.ATTRIBUTE:
                start, end = child.start_byte, child.end_byte
                name, _, arguments = self.written(start, end).partition("(")
                found.append(r.Annotation(start, end, name.strip(), arguments.rpartition(")")[0].strip()))
        return tuple(found)

    def declarator(self, node: Node) -> Declarator:
        suffix = sizes = ""
        function: Node | None = None
        for _ in range(200):
            kind = node.kind_id
            if kind in _DECLARED:
                return Declarator(node, suffix + sizes, function)
            if kind == g.STRUCTURED_BINDING:
                return Declarator(None, suffix + sizes, None, node)
            children = self.children(node)
            if not children:
                break
            if kind == g.POINTER_DECLARATOR or kind == g.REFERENCE_DECLARATOR:
                if function is not None:
                    # A pointer to a function: a variable.
                    suffix += "(*)"
                    function = None
                else:
                    suffix += self.text(children[0].start_byte, children[0].end_byte)
                for child in children[1:-1]:
                    if child.kind_id == g.TYPE_QUALIFIER:
                        suffix += " " + self.text(child.start_byte, child.end_byte)
                node = children[-1]
            elif kind == g.ARRAY_DECLARATOR:
                sizes = self.written(children[0].end_byte, node.end_byte) + sizes
                node = children[0]
            elif kind == g.FUNCTION_DECLARATOR:
                if function is None:
                    function = node
                node = children[0]
            elif kind == g.PARENTHESIZED_DECLARATOR:
                node = children[-2] if len(children) > 2 else children[-1]
            elif kind == g.VARIADIC_DECLARATOR:
                suffix += "..."
                node = children[-1]
            elif kind == g.ATTRIBUTED_DECLARATOR or kind == g.INIT_DECLARATOR:
                node = children[0]
            elif kind in _ABSTRACT:
                suffix += self.written(node.start_byte, node.end_byte)
                break
            else:
                break
        return Declarator(None, suffix + sizes, function)

    def declared_names(self, declarator: Declarator) -> tuple[str, ...]:
        """None of them is empty: what the parser made up is left out."""
        nodes: Iterable[Node] = ()
        if declarator.name is not None:
            nodes = (declarator.name,)
        elif declarator.binding is not None:
            nodes = (child for child in self.children(declarator.binding) if child.is_named)
        return tuple([text for node in nodes if (text := self.text(node.start_byte, node.end_byte))])

    def declaration(self, node: Node, out: Out) -> None:
        specifiers, rest = self.specifiers(node)
        type_node = specifiers.type_node
        if type_node is not None and (type_node.kind_id in g.CLASSES or type_node.kind_id == g.ENUM):
            self.declared_in_body(type_node, out)
        one_a_thread = specifiers.one_a_thread
        static = not {"static", "extern"}.isdisjoint(specifiers.words) or one_a_thread
        node_start, node_end = node.start_byte, node.end_byte
        first = True
        for child in rest:
            if not child.is_named:
                continue
            start = node_start if first else child.start_byte
            first = False
            declarator, value = self.initialised(child, specifiers, type_node)
            self.flush(out)
            names = self.declared_names(declarator)
            cleanup = self.cleanup(specifiers, node_start, value.start if value is not None else node_end)
            if not names:
                if declarator.function is None:
                    self.unknown(child, out)
                continue
            if declarator.function is not None and value is None:
                continue  # a local function declaration
            type_ = specifiers.type + declarator.suffix
            if self.taken and start in self.taken:
                taken = self.taken[start]
                callee = r.Name(taken.name_start, taken.name_start + len(taken.name), taken.name)
                self.mentions.add(taken.name)
                args = (value,) if value is not None else ()
                made = r.Call(taken.start, taken.end, callee, args, "macro")
                out.append(r.Declare(taken.start, taken.end, names, type_, made, cleanup, one_a_thread, static))
            else:
                out.append(r.Declare(start, node_end, names, type_, value, cleanup, one_a_thread, static))

    def initialised(
        self, node: Node, specifiers: Specifiers, type_node: Node | None
    ) -> tuple[Declarator, r.Value | None]:
        """One declarator of a declaration and the value its variable starts with."""
        if node.kind_id == g.INIT_DECLARATOR:
            parts = self.children(node)
            declarator = self.declarator(parts[0])
            if len(parts) > 2:
                return declarator, self.value(parts[-1])
            if len(parts) == 2:
                inside = [child for child in self.children(parts[1]) if child.is_named]
                if _IS_POINTER.search(declarator.suffix) and len(inside) == 1:
                    return declarator, self.value(inside[0])  # `T* p{q}` is `T* p = q`
                return declarator, self.constructed(node, specifiers.type + declarator.suffix, type_node, parts[1])
            return declarator, None
        declarator = self.declarator(node)
        function = declarator.function
        if function is not None and type_node is not None:
            parts = self.children(function)
            args = self.arguments(parts[1]) if len(parts) == 2 and parts[0].kind_id == g.IDENTIFIER else None
            if args is not None:
                callee, template = self.type_name(type_node)
                value = r.Call(node.start_byte, node.end_byte, callee, args, "construct", template)
                return declarator, value
        return declarator, None

    def constructed(self, node: Node, type_: str, type_node: Node | None, arguments: Node) -> r.Value:
        """`T x(a)`, `T x{a}`."""
        if type_node is None or type_node.kind_id == g.ENUM or type_node.kind_id in g.CLASSES:
            callee = r.Name(node.start_byte, node.start_byte, type_ or UNNAMED)
            template = ""
        else:
            callee, template = self.type_name(type_node)
        return r.Call(node.start_byte, node.end_byte, callee, self.listed(arguments), "construct", template)

    def arguments(self, node: Node) -> tuple[r.Value, ...] | None:
        """Parameters that can be read as arguments; None when they are parameters indeed."""
        args: list[r.Value] = []
        for child in self.children(node):
            if not child.is_named:
                continue
            value = self.argument(child) if child.kind_id == g.PARAMETER else None
            if value is None:
                return None
            args.append(value)
        return tuple(args) or None

    def argument(self, node: Node) -> r.Value | None:
        """`a`, `a::b`, `f(x)`, `a * b`, `a[i]` in the guise of a parameter."""
        children = self.children(node)
        if not 0 < len(children) < 3 or children[0].kind_id not in _EXPRESSION_LIKE:
            return None
        first = children[0]
        value, template = self.named(first)
        if value is None:
            return None
        if len(children) == 1:
            if first.kind_id == g.TEMPLATE_TYPE:
                return None
            return self.constant(first) or value
        second = children[1]
        start, end = node.start_byte, node.end_byte
        if second.kind_id == g.ABSTRACT_FUNCTION:
            parts = self.children(second)
            if len(parts) != 1:
                return None
            if len(self.children(parts[0])) == 2:
                inner: tuple[r.Value, ...] | None = ()
            else:
                inner = self.arguments(parts[0])
            if inner is None:
                return None
            if template and (cast := self.named_cast(start, end, value, inner, template)) is not None:
                return cast
            self.mentions.add(value.text.rpartition("::")[2])
            return r.Call(start, end, value, inner, "call", template)
        if second.kind_id == g.ABSTRACT_ARRAY:
            indexes = self.values(second)
            return r.Index(start, end, value, indexes) if indexes else None
        if second.kind_id == g.POINTER_DECLARATOR or second.kind_id == g.REFERENCE_DECLARATOR:
            parts = self.children(second)
            right = self.factor(parts[1]) if len(parts) == 2 else None
            if right is None:
                return None
            if self.text(first.end_byte, parts[0].start_byte) and self.text(parts[0].end_byte, parts[1].start_byte):
                return r.Binary(start, end, self.text(parts[0].start_byte, parts[0].end_byte), value, right)
        return None

    def factor(self, node: Node) -> r.Value | None:
        """`b`, `b::c`, `f(x)`, `b[i]` in the guise of what a parameter `a *b` declares."""
        start, end = node.start_byte, node.end_byte
        if node.kind_id == g.IDENTIFIER or node.kind_id == g.QUALIFIED:
            return self.named(node)[0]
        children = self.children(node)
        on = self.factor(children[0]) if children else None
        if node.kind_id == g.ARRAY_DECLARATOR and on is not None:
            indexes = self.values(node)[1:]
            return r.Index(start, end, on, indexes) if indexes else None
        if node.kind_id != g.FUNCTION_DECLARATOR or not isinstance(on, r.Name) or len(children) != 2:
            return None
        inner = self.arguments(children[1]) if len(self.children(children[1])) > 2 else ()
        if inner is None:
            return r.OpaqueValue(start, end, self.line(start, end), self.names(node)) if on.text == "sizeof" else None
        if on.text == "sizeof":
            return r.Unary(start, end, "sizeof", inner[0]) if inner else None
        self.mentions.add(on.text.rpartition("::")[2])
        return r.Call(start, end, on, inner, "call", "")

    def block_macro(self, node: Node, out: Out) -> None:
        """`FOR_EACH(x, y) { ... }`: a call of something unknown, then a block."""
        children = self.children(node)
        body = children[-1]
        head = next((c for c in children if c.kind_id == g.FUNCTION_DECLARATOR), None)
        if head is None or body.kind_id != g.COMPOUND:
            self.declared_in_body(node, out)
            return
        parts = self.children(head)
        if parts and parts[0].kind_id == g.QUALIFIED and node.child_by_field_name("type") is not None:
            self.unknown(node, out)  # a function of the file: before it stands a brace that was not understood
            self.declared_in_body(node, out)
            return
        name = self.named(parts[0])[0] if parts else None
        if name is None:
            self.unknown(node, out)
            return
        self.mentions.add(name.text.rpartition("::")[2])
        args: list[r.Value] = []
        for child in self.children(parts[1]) if len(parts) > 1 else ():
            if child.is_named:
                start, end = child.start_byte, child.end_byte
                value = self.argument(child) if child.kind_id == g.PARAMETER else None
                args.append(value or r.OpaqueValue(start, end, self.line(start, end), self.names(child)))
        start, end = head.start_byte, head.end_byte
        out.append(r.Evaluate(start, end, r.Call(start, end, name, tuple(args), "macro")))
        out.append(r.Block(body.start_byte, body.end_byte, self.block(body)))

    def nested(self, node: Node, out: Out) -> None:
        self.declared_in_body(node, out)


def ends_in_cast(node: Node | None) -> bool:
    """`A::operator bool`: the name of a function, not of a type."""
    for _ in range(50):
        if node is None or node.kind_id != g.QUALIFIED:
            break
        node = node.children[-1]
    return node is not None and node.kind_id == g.OPERATOR_CAST


_SIMPLE_TYPES = g.TYPES - g.CLASSES - {g.ENUM}
_MORE = _SIMPLE_TYPES | g.kinds("type_qualifier", "storage_class_specifier", "attribute_specifier")
_WORD = re.compile(r"[A-Za-z_]\w*")
_ASM = g.kind("gnu_asm_expression")
_INIT_STATEMENT = g.kind("init_statement")
_ELSE = g.kind("else_clause")
_CASE = g.kind("case_statement")
_CATCH = g.kind("catch_clause")
_OPEN = g.kind("(", False)
_MACROS = re.compile(r"[A-Za-z_]\w*")
_NO_MACROS = frozenset({"if", "ifdef", "defined"})

_IGNORED = g.kinds("static_assert_declaration", "comment", "preproc_call", "preproc_def", "attribute_declaration")
_SPECIFIERS = g.kinds("storage_class_specifier", "attribute_declaration", "explicit_function_specifier")
_SKIPPED_SPECIFIERS = g.kinds("attribute_specifier", "ms_declspec_modifier", "ms_call_modifier", "alignas_qualifier")
_DECLARED = g.kinds(
    "identifier",
    "field_identifier",
    "type_identifier",
    "qualified_identifier",
    "operator_name",
    "destructor_name",
    "operator_cast",
    "template_function",
    "template_method",
    "dependent_name",
    "primitive_type",
)
_ABSTRACT = g.kinds(
    "abstract_function_declarator",
    "abstract_pointer_declarator",
    "abstract_reference_declarator",
    "abstract_array_declarator",
    "abstract_parenthesized_declarator",
)
_EXPRESSION_LIKE = g.kinds("type_identifier", "qualified_identifier", "template_type", "dependent_type")


def _may_declare(statement: r.Statement) -> bool:
    """Whether it is a declaration, a macro or something unread that can hold one, or a temporary that is all of its
    statement: that one's end is meant."""
    match statement:
        case r.Declare() | r.Nested() | r.Opaque() | r.Label() | r.Evaluate(value=r.Call(kind="construct")):
            return True
        case r.Evaluate(value=r.Name(text=name) | r.Call(callee=r.Name(text=name))):
            return name.isupper()
    return False


_SAID = re.compile(r"(?:(\.|->)\s*+)?(\w++)")
"""A word, and what makes it a member of another."""
_NEAR_STATEMENTS = 24
_NEAR_BYTES = 2_000
"""So far behind its declaration the assignment of a pointer is looked for."""
_CLOSE = 32
"""So far behind a block the semicolon of its statement is looked for."""
_NOTHING = r.Block(0, 0, ())


def _is_plain_pointer(declared: r.Declare) -> bool:
    single = len(declared.names) == 1 and declared.names[0].isidentifier()
    return single and declared.type.endswith("*") and not declared.static and not declared.cleanup


def _assigned_to(name: str, statement: r.Statement) -> r.Value | None:
    match statement:
        case r.Evaluate(value=r.Assign(op="=", target=r.Name(text=target), value=value)) if target == name:
            return value
    return None


def _is_constant(test: r.Value, truth: bool) -> bool:
    """Whether the condition is written as that truth: `true`, `1`, `(0)`."""
    if not isinstance(test, r.Literal) or test.kind not in ("bool", "int"):
        return False
    return test.text in (("true", "1") if truth else ("false", "0"))


def _declared_by_macro(start: int, end: int, value: r.Value) -> r.Declare | None:
    """`NAME(Item) *it = make();`, where a macro makes the name of the type: a product cannot be assigned to."""
    match value:
        case r.Binary(op="*", left=r.Call(kind="call", callee=r.Name()) as written, right=declared):
            pass
        case _:
            return None
    match declared:
        case r.Name(text=name):
            return r.Declare(start, end, (name,), f"{text(written)}*")
        case r.Assign(op="=", target=r.Name(text=name), value=initial):
            return r.Declare(start, end, (name,), f"{text(written)}*", initial)
    return None


def _leaves_loop(body: Iterable[r.Statement]) -> bool:
    """Whether a `break` or `continue` in the body of a loop is about this loop, or may be: a label stands in it."""
    for statement in body:
        match statement:
            case r.Leave(kind="break" | "continue") | r.Label():
                return True
            case r.Loop():
                continue
            case r.Switch(cases=cases):
                inner: Iterable[r.Statement] = (one for case in cases for one in case.body)
            case r.Branch(then=then, other=other):
                inner = (*then, *other)
            case r.Block(body=inner):
                pass
            case r.Try(body=tried, handlers=handlers):
                inner = (*tried, *(one for handler in handlers for one in handler.body))
            case _:
                continue
        if _leaves_loop(inner):
            return True
    return False


_READERS: dict[int, Callable[[CppStatements, Node, Out], None]] = {
    g.kind(name): reader
    for name, reader in (
        ("expression_statement", CppStatements.evaluate),
        ("declaration", CppStatements.declaration),
        ("compound_statement", CppStatements.compound),
        ("if_statement", CppStatements.if_),
        ("return_statement", CppStatements.return_),
        ("co_return_statement", CppStatements.return_),
        ("co_yield_statement", CppStatements.co_yield),
        ("throw_statement", CppStatements.throw),
        ("break_statement", CppStatements.break_),
        ("continue_statement", CppStatements.continue_),
        ("goto_statement", CppStatements.goto),
        ("labeled_statement", CppStatements.labeled),
        ("attributed_statement", CppStatements.attributed),
        ("while_statement", CppStatements.while_),
        ("do_statement", CppStatements.do),
        ("for_statement", CppStatements.for_),
        ("for_range_loop", CppStatements.range),
        ("switch_statement", CppStatements.switch),
        ("try_statement", CppStatements.try_),
        ("preproc_if", CppStatements.conditional_group),
        ("preproc_ifdef", CppStatements.conditional_group),
        ("function_definition", CppStatements.block_macro),
        ("alias_declaration", CppStatements.nested),
        ("type_definition", CppStatements.nested),
        ("using_declaration", CppStatements.nested),
        ("namespace_alias_definition", CppStatements.nested),
        ("class_specifier", CppStatements.nested),
        ("struct_specifier", CppStatements.nested),
        ("union_specifier", CppStatements.nested),
        ("enum_specifier", CppStatements.nested),
    )
}
