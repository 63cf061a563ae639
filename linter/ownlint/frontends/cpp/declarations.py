"""Namespaces, classes, functions, fields, variables, aliases: from nodes to the skeleton of a `File`.

`Function.owner` is the class's whole path for a method written in its class (`a::B` in `namespace a`), and
the qualifier as written for one outside (`B` of `void B::f()`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

import msgspec
from tree_sitter import Node

from ownlint.facts import records as r
from ownlint.frontends.cpp import grammar as g
from ownlint.frontends.cpp.hidden import told_apart
from ownlint.frontends.cpp.preprocess import OverwrittenMacro, Prepared
from ownlint.frontends.cpp.statements import CppStatements, Declarator, Out, Specifiers, ends_in_cast
from ownlint.frontends.cpp.values import Mentions, unbroken, whole

Access = Literal["", "public", "protected", "private"]
Words = tuple[str, ...]

_NESTING = 60
_NEAR = 2000
"""Classes and namespaces nested deeper than this are not read."""


class _Members(NamedTuple):
    """What a class collects while its body is read."""

    path: str
    fields: list[r.Field]
    destructor: list[str]
    macros: list[r.Annotation]


_WORD = re.compile(r"\w+")


class _Prefix(NamedTuple):
    """What stands around a declaration: the words of enclosing `template <...>`, `friend`, `extern "C"`."""

    words: Words = ()
    template: str = ""
    start: int = -1


_PLAIN = _Prefix()


class Declarations(CppStatements):
    def __init__(self, prepared: Prepared, data: bytes) -> None:
        super().__init__(prepared)
        self.data = data
        self.source = prepared.source
        self.assumed = prepared.names
        self.opened = dict(prepared.opened)
        self.comments = prepared.comments
        self.comment_starts = [start for start, _ in prepared.comments]
        self.marks = prepared.marks
        self.mark_starts = [mark.start for mark in prepared.marks]
        self.used_marks: set[int] = set()
        self.functions: list[r.FunctionRecord | None] = []
        self.classes: list[r.ClassRecord] = []
        self.variables: list[r.Variable] = []
        self.aliases: list[r.Alias] = []
        self.scope = ""
        self.members: _Members | None = None
        self.access: Access = ""
        self.current = -1
        self.nesting = 0
        self.salvaged = 0
        """Bytes that the parser could not place, and of which something was read all the same."""

    # --- walking ---

    def walk(self, nodes: Iterable[Node], prefix: _Prefix = _PLAIN) -> None:
        for node in nodes:
            if node.is_named:
                read = _READERS.get(node.kind_id)
                if read is not None:
                    read(self, node, prefix)

    def salvage(self, node: Node, prefix: _Prefix) -> None:
        """Inside of what the parser could not place there may still stand whole declarations."""
        if self.nesting < _NESTING:
            self.nesting += 1
            for child in node.children:
                before = self.yielded()
                self.walk((child,))
                if child.kind_id != g.ERROR and self.yielded() > before:
                    self.salvaged += child.end_byte - child.start_byte - g.unplaced(child)
            self.nesting -= 1

    def yielded(self) -> int:
        """How many facts there are."""
        return len(self.functions) + len(self.classes) + len(self.variables) + len(self.aliases)

    def inside(self, node: Node, prefix: _Prefix) -> None:
        if self.nesting < _NESTING:
            self.nesting += 1
            self.walk(node.children, prefix)
            self.nesting -= 1

    def namespace(self, node: Node, prefix: _Prefix) -> None:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if body is None or self.nesting > _NESTING:
            return
        outer = self.scope
        if name is not None:
            written = "".join(self.text(name.start_byte, name.end_byte).replace("inline ", "").split())
            self.scope = f"{outer}::{written}" if outer else written
        self.nesting += 1
        self.walk(body.children)
        self.nesting -= 1
        self.scope = outer

    def linkage(self, node: Node, prefix: _Prefix) -> None:
        body = node.child_by_field_name("body")
        if body is None:
            return
        words = _Prefix((*prefix.words, 'extern "C"'), prefix.template, node.start_byte)
        if body.kind_id == g.DECLARATIONS:
            self.nesting += 1
            if self.nesting <= _NESTING:
                self.walk(body.children, _Prefix(words.words))
            self.nesting -= 1
        else:
            self.walk((body,), words)

    def template(self, node: Node, prefix: _Prefix) -> None:
        children = self.children(node)
        written = ""
        for child in children:
            if child.kind_id == _TEMPLATE_PARAMETERS:
                written = self.written(child.start_byte + 1, child.end_byte - 1)
        words = prefix.words if "template" in prefix.words else (*prefix.words, "template")
        start = prefix.start if prefix.start >= 0 else node.start_byte
        if self.nesting < _NESTING:
            self.nesting += 1
            self.walk(children, _Prefix(words, written, start))
            self.nesting -= 1

    def friend(self, node: Node, prefix: _Prefix) -> None:
        self.walk(self.children(node), _Prefix((*prefix.words, "friend"), prefix.template, node.start_byte))

    def access_specifier(self, node: Node, prefix: _Prefix) -> None:
        word = self.text(node.start_byte, node.end_byte).split()
        if word and word[0] in ("public", "protected", "private"):
            self.access = word[0]  # type: ignore[assignment]

    # --- annotations and comments ---

    def annotations(self, start: int, end: int) -> tuple[r.Annotation, ...]:
        """The attribute-like macros of a header: those in its range and those right before it."""
        found = []
        for index in self._mark_range(start, end):
            if index not in self.used_marks:
                self.used_marks.add(index)
                found.append(_annotation(self.marks[index]))
        return tuple(found)

    def marks_of(self, start: int, end: int) -> Iterator[OverwrittenMacro]:
        """The same as they were found, whatever they belong to."""
        return (self.marks[index] for index in self._mark_range(start, end))

    def _mark_range(self, start: int, end: int) -> range:
        if not self.marks:
            return range(0)
        low = bisect_left(self.mark_starts, start)
        high = bisect_left(self.mark_starts, end)
        while low and self._stands_before(self.marks[low - 1], start):
            low -= 1
            start = self.marks[low].start
        return range(low, high)

    def _stands_before(self, mark: OverwrittenMacro, start: int) -> bool:
        return start - mark.end < _NEAR and not self.source[mark.start : start].strip()

    def comment_of(self, start: int, end: int) -> str:
        """The comment behind a declaration on its line, else those directly above it."""
        index = bisect_left(self.comment_starts, end)
        if index < len(self.comments):
            first, last = self.comments[index]
            if first - end < 200 and not self.data[end:first].strip(b" \t;,"):
                return self.comment_text(first, last)
        index = bisect_right(self.comment_starts, start) - 1
        found: list[str] = []
        while index >= 0 and len(found) < 8:
            first, last = self.comments[index]
            between = self.data[last:start]
            line = self.data.rfind(b"\n", 0, first) + 1
            if between.strip() or between.count(b"\n") != 1 or self.data[line:first].strip():
                break
            found.append(self.comment_text(first, last))
            start = first
            index -= 1
        return " ".join(reversed(found))[:200].strip()

    def comment_text(self, start: int, end: int) -> str:
        text = self.data[start : min(end, start + 800)].decode("utf-8", "replace")
        lines = [line.strip().lstrip("/*!<").removesuffix("*/").strip() for line in text.splitlines()]
        return " ".join(" ".join(lines).split())[:200]

    # --- classes ---

    def class_(self, node: Node, prefix: _Prefix) -> None:
        """A class with a body; a mere mention of one is nothing."""
        body = node.child_by_field_name("body")
        if body is None or self.nesting > _NESTING:
            return
        name = ""
        base_clause: Node | None = None
        found: tuple[r.Annotation, ...] = ()
        for child in self.children(node):
            kind = child.kind_id
            if kind == g.ATTRIBUTE_DECLARATION:
                found += self.attributes(child)
            elif kind == g.BASES:
                base_clause = child
            elif kind in _CLASS_NAMES and not name:
                name = self.spelled(child)
        start = prefix.start if prefix.start >= 0 else node.start_byte
        found += self.annotations(start, body.start_byte)
        word = "union" if node.kind_id == g.UNION else "struct" if node.kind_id == g.STRUCT else "class"
        outer_scope, outer_members, outer_access = self.scope, self.members, self.access
        path = f"{outer_scope}::{name}" if outer_scope and name else name or outer_scope
        anonymous = not name and outer_members is not None
        self.scope = path
        if not anonymous:
            self.members = _Members(path, [], [], [])
        self.access = ("private" if word == "class" else "public") if not anonymous else outer_access
        position = len(self.classes)
        members = self.members
        assert members is not None
        before = len(members.fields)
        self.nesting += 1
        self.walk(body.children)
        self.nesting -= 1
        if anonymous and word == "union":
            members.fields[before:] = [
                msgspec.structs.replace(field, overlaid=True) for field in members.fields[before:]
            ]
        self.scope, self.members, self.access = outer_scope, outer_members, outer_access
        if anonymous:
            return  # its members are those of the class around
        bases = self.bases(base_clause, "private" if word == "class" else "public") if base_clause else ()
        scope, _, last = name.rpartition("::")
        self.classes.insert(
            position,
            r.ClassRecord(
                start,
                node.end_byte,
                last,
                f"{outer_scope}::{scope}" if scope and outer_scope else scope or outer_scope,
                word,  # type: ignore[arg-type]
                tuple(members.fields),
                bases,
                found + tuple(members.macros),
                members.destructor[0] if members.destructor else "implicit",  # type: ignore[arg-type]
                prefix.template,
                self.current,
                self.access if self.members is not None else "",
            ),
        )

    def bases(self, node: Node, default: Access) -> tuple[r.Base, ...]:
        found: list[r.Base] = []
        access: Access = default
        virtual = False
        for child in self.children(node):
            kind = child.kind_id
            if kind == g.ACCESS:
                access = self.text(child.start_byte, child.end_byte)  # type: ignore[assignment]
            elif kind == g.VIRTUAL_WORD:
                virtual = True
            elif (kind in g.TYPES or kind == g.QUALIFIED) and (name := self.spelled(child)):
                found.append(r.Base(child.start_byte, child.end_byte, name, access, virtual))
                access, virtual = default, False
        return tuple(found)

    def enum(self, node: Node, prefix: _Prefix) -> None:
        body = node.child_by_field_name("body")
        if body is None:
            return
        name = node.child_by_field_name("name")
        word = "enum"
        for child in self.children(node):
            if not child.is_named and self.text(child.start_byte, child.end_byte) in ("class", "struct"):
                word = "enum class"
        fields = []
        for child in body.children:
            if child.kind_id == g.ENUMERATOR:
                parts = child.children
                value = self.value(parts[-1]) if len(parts) > 2 else None
                first = parts[0]
                fields.append(
                    r.Field(
                        child.start_byte,
                        child.end_byte,
                        self.text(first.start_byte, first.end_byte),
                        "",
                        True,
                        value=value,
                    )
                )
        named = self.spelled(name)
        start, end = node.start_byte, node.end_byte
        self.classes.append(
            r.ClassRecord(
                start,
                end,
                named.rpartition("::")[2],
                self.scope,
                word,  # type: ignore[arg-type]
                tuple(fields),
                annotations=self.annotations(start, body.start_byte),
                parent=self.current,
                access=self.access if self.members is not None else "",
            )
        )

    # --- members and variables ---

    def declaration_outside(self, node: Node, prefix: _Prefix) -> None:
        """A declaration in a namespace or a class: functions, fields, variables."""
        if node.has_error:
            self.children = unbroken
        specifiers, rest = self.specifiers(node)
        type_node = specifiers.type_node
        if type_node is not None:
            if type_node.kind_id in g.CLASSES:
                self.class_(type_node, prefix)
            elif type_node.kind_id == g.ENUM:
                self.enum(type_node, prefix)
        start = prefix.start if prefix.start >= 0 else node.start_byte
        end = node.end_byte
        index = 0
        first = True
        while index < len(rest):
            child = rest[index]
            index += 1
            kind = child.kind_id
            if not child.is_named or kind == g.BITFIELD:
                continue
            value_node: Node | None = None
            stop = index
            while stop < len(rest) and rest[stop].kind_id != g.COMMA and rest[stop].kind_id != g.SEMICOLON:
                if rest[stop].is_named and rest[stop].kind_id != g.BITFIELD:
                    value_node = rest[stop]
                stop += 1
            bits = any(one.kind_id == g.BITFIELD for one in rest[index:stop])
            index = stop
            declarator = self.declarator(child)
            begin = start if first else child.start_byte
            first = False
            if declarator.name is None and declarator.binding is None:
                continue
            if ends_in_cast(declarator.name):
                self.function(node, specifiers, declarator, prefix, None, value_node, ())
            elif self.is_macro(child, declarator, specifiers.type):
                self.class_macro(child, declarator, specifiers.type)
            elif declarator.function is not None and kind != g.INIT_DECLARATOR:
                self.function(node, specifiers, declarator, prefix, None, value_node, ())
            else:
                self.variable(child, begin, end, specifiers, declarator, value_node, prefix, bits)
        self.children = whole if not node.has_error else self.children
        self.hoisted.clear()

    def is_macro(self, node: Node, declarator: Declarator, type_: str) -> bool:
        """`Q_DISABLE(x);`, `FOO(x) int y;` in a class: neither a method nor a field."""
        if declarator.name is None:
            return False
        if node.kind_id == g.PARENTHESIZED_DECLARATOR:
            return type_.isupper() and len(type_) > 2
        name = self.text(declarator.name.start_byte, declarator.name.end_byte)
        own = self.members.path.rpartition("::")[2] if self.members is not None else ""
        return not type_ and name.isupper() and not name.startswith("~") and len(name) > 2 and name != own

    def class_macro(self, node: Node, declarator: Declarator, type_: str) -> None:
        """`DISALLOW_COPY(T);` among a class's members says something about the class."""
        if self.members is None or declarator.name is None:
            return
        inside = self.written(declarator.name.start_byte, declarator.name.end_byte)
        name, arguments = (type_, inside) if node.kind_id == g.PARENTHESIZED_DECLARATOR else (inside, "")
        if not arguments:
            arguments = self.written(declarator.name.end_byte, node.end_byte).strip("() ")
        self.members.macros.append(r.Annotation(node.start_byte, node.end_byte, name, arguments))

    def variable(
        self,
        node: Node,
        start: int,
        end: int,
        specifiers: Specifiers,
        declarator: Declarator,
        value_node: Node | None,
        prefix: _Prefix,
        bits: bool,
    ) -> None:
        value: r.Value | None = None
        if node.kind_id == g.INIT_DECLARATOR:
            value = self.initialised(node, specifiers, specifiers.type_node)[1]
        elif value_node is not None:
            value = self.value(value_node)
        annotations = specifiers.attributes + self.annotations(start, end)
        static, local = "static" in specifiers.words, specifiers.one_a_thread
        type_ = specifiers.type + declarator.suffix
        for name in self.declared_names(declarator):
            if self.members is not None and "friend" not in prefix.words:
                comment = self.comment_of(start, end) if self.comments else ""
                kept = static or local
                self.members.fields.append(
                    r.Field(start, end, name, type_, kept, self.access, annotations, value, comment, local, bits)
                )
            else:
                plain, scope = name, self.scope
                if declarator.name is not None and ("::" in name or "<" in name):
                    qualifier, _, plain = self.spelled(declarator.name).rpartition("::")
                    scope = f"{scope}::{qualifier}" if scope and qualifier else qualifier or scope
                    if not plain:
                        continue
                self.variables.append(r.Variable(start, end, plain, scope, type_, static, annotations, value, local))

    # --- aliases ---

    def alias(self, node: Node, prefix: _Prefix) -> None:
        name = node.child_by_field_name("name")
        type_ = node.child_by_field_name("type")
        if name is not None and type_ is not None:
            target = self.written(type_.start_byte, type_.end_byte)
            self.add_alias(node, self.text(name.start_byte, name.end_byte), target, "type")

    def typedef(self, node: Node, prefix: _Prefix) -> None:
        specifiers, rest = self.specifiers(node)
        type_node = specifiers.type_node
        anonymous, own = False, ""
        if type_node is not None and (type_node.kind_id in g.CLASSES or type_node.kind_id == g.ENUM):
            anonymous = type_node.child_by_field_name("name") is None
            before = len(self.classes)
            self.walk((type_node,), prefix)
            if anonymous and len(self.classes) > before:
                anonymous = self.name_class(before, rest)
                own = self.classes[before].name
        for child in rest:
            if not child.is_named:
                continue
            declarator = self.declarator(child)
            names = self.declared_names(declarator)
            target = (specifiers.type or own) + declarator.suffix
            if declarator.function is not None or "(*)" in declarator.suffix:
                target = self.written(node.start_byte, node.end_byte).removeprefix("typedef ").rstrip(";")
                if names and "(*" not in target:  # `typedef int (reader)(int);`, of which pointers are made later
                    target = _unnamed(target, names[0])
            if names and not anonymous:
                self.add_alias(node, names[0], target, "type")
            anonymous = False

    def name_class(self, index: int, rest: list[Node]) -> bool:
        """`typedef struct {...} S;` names the struct `S`."""
        first = next((child for child in rest if child.is_named), None)
        if first is None or first.kind_id != g.TYPE_IDENTIFIER:
            return False
        c = self.classes[index]
        name = self.text(first.start_byte, first.end_byte)
        self.classes[index] = msgspec.structs.replace(c, name=name)
        return True

    def using(self, node: Node, prefix: _Prefix) -> None:
        target: Node | None = None
        opens = False
        for child in self.children(node):
            if child.is_named:
                target = child
            elif child.end_byte - child.start_byte == 9:
                opens = True
        if target is None:
            return
        written = self.written(target.start_byte, target.end_byte)
        if opens:
            self.add_alias(node, "", written, "open")
        else:
            self.add_alias(node, self.spelled(target).rpartition("::")[2], written, "using")

    def namespace_alias(self, node: Node, prefix: _Prefix) -> None:
        named = [child for child in self.children(node) if child.is_named]
        if len(named) == 2:
            target = "".join(self.text(named[1].start_byte, named[1].end_byte).split())
            self.add_alias(node, self.text(named[0].start_byte, named[0].end_byte), target, "namespace")

    def add_alias(
        self, node: Node, name: str, target: str, kind: Literal["type", "namespace", "open", "using"]
    ) -> None:
        if not target or bool(name) == (kind == "open"):
            return  # a part of it was made up by the parser
        access: Access = self.access if self.members is not None else ""
        self.aliases.append(r.Alias(node.start_byte, node.end_byte, name, self.scope, target, kind, access))

    def macro_call(self, node: Node, prefix: _Prefix) -> None:
        """`REGISTER(name, [] {...});` among declarations: the lambdas in it are functions of the file."""
        if node.child_count:
            self.children = unbroken if node.has_error else whole
            self.depth, depth = 0, self.depth
            self.value(node.children[0])
            self.hoisted.clear()
            self.depth = depth

    # --- functions ---

    def definition(self, node: Node, prefix: _Prefix) -> None:
        broken = node.has_error
        self.children = unbroken if broken else whole
        specifiers, rest = self.specifiers(node)
        body: Node | None = None
        initializers: Node | None = None
        clause = ""
        declarator: Declarator | None = None
        for child in rest:
            kind = child.kind_id
            if kind == g.COMPOUND or kind == g.TRY:
                body = child
            elif kind == g.FIELD_INITIALIZERS:
                initializers = child
            elif kind == g.DEFAULT_CLAUSE:
                clause = "default"
            elif kind == g.DELETE_CLAUSE:
                clause = "delete"
            elif kind == g.PURE_CLAUSE:
                clause = "pure"
            elif child.is_named and declarator is None:
                declarator = self.declarator(child)
        named = declarator.name if declarator is not None else None
        if declarator is None or named is None or (declarator.function is None and not ends_in_cast(named)):
            self.misread(node, specifiers, body, prefix)
        else:
            extra = (clause,) if clause else ()
            self.function(node, specifiers, declarator, prefix, body, initializers, extra)
        self.children = unbroken if broken else whole

    def misread(self, node: Node, specifiers: Specifiers, body: Node | None, prefix: _Prefix) -> None:
        """A class that was taken for a function's type, or for a function: what it holds is declared."""
        if specifiers.type_node is not None and specifiers.type_node.kind_id in g.CLASSES:
            self.class_(specifiers.type_node, prefix)
        if body is not None and self.nesting < _NESTING:
            self.nesting += 1
            self.walk(body.children)
            self.nesting -= 1

    def function(
        self,
        node: Node,
        specifiers: Specifiers,
        declarator: Declarator,
        prefix: _Prefix,
        body: Node | None,
        extra_node: Node | None,
        extra: Words,
    ) -> None:
        assert declarator.name is not None
        name, qualifier, name_start = self.function_name(declarator.name)
        index = len(self.functions)
        self.functions.append(None)
        friend = "friend" in prefix.words or "friend" in specifiers.words
        start = prefix.start if prefix.start >= 0 else node.start_byte
        scope, owner = self.scope, ""
        if friend and self.members is not None:
            scope = self.scope.rpartition("::")[0]
        elif self.members is not None:
            owner = self.members.path
        if qualifier:
            owner = qualifier
            scope = f"{scope}::{qualifier}" if scope else qualifier
        kind = _kind(name, owner, declarator)
        words = [*prefix.words, *specifiers.words, *extra]
        parameters, trailing, attributes = self.header(declarator, words)
        result = trailing or (specifiers.type + declarator.suffix if kind != "conversion" else "")
        if kind == "function" and owner:
            kind = "method"
        initializers: tuple[r.Initializer, ...] = ()
        if extra_node is not None and extra_node.kind_id != g.FIELD_INITIALIZERS:
            if self.text(extra_node.start_byte, extra_node.end_byte) == "0":
                words.append("pure")
            extra_node = None
        annotations = specifiers.attributes + attributes
        annotations += self.annotations(start, body.start_byte if body is not None else node.end_byte)
        encoded, opaque = _NO_BODY, False
        mentions: Words = ()
        if body is not None:
            outer = self.own_class, self.method
            self.own_class, self.method = "" if friend else owner.rpartition("::")[2], node
            statements, initializers, mentions, opaque = self.body(index, body, extra_node)
            self.own_class, self.method = outer
            encoded, mentions = _encoded(statements, parameters, mentions)
        defined = body is not None or "default" in extra
        access: Access = self.access if self.members is not None and not friend else ""
        if kind == "destructor" and self.members is not None and not friend:
            self.members.destructor.append(
                "deleted"
                if "delete" in extra
                else "defaulted"
                if "default" in extra
                else "defined"
                if body is not None
                else "declared"
            )
        self.functions[index] = r.FunctionRecord(
            start,
            node.end_byte,
            name,
            scope,
            owner if not friend else "",
            kind,
            result,
            parameters,
            name_start,
            defined,
            tuple(sorted(_QUALIFIERS.intersection(words))),
            annotations,
            initializers,
            access,
            self.current,
            mentions,
            encoded,
            opaque,
            prefix.template,
        )

    def function_name(self, node: Node) -> tuple[str, str, int]:
        """Last part, what stands before it, and where the last part starts."""
        kind = node.kind_id
        if kind == g.IDENTIFIER or kind == g.FIELD_IDENTIFIER:
            if node.start_byte in self.assumed:
                return self.assumed[node.start_byte], "", node.start_byte
            return self.text(node.start_byte, node.end_byte), "", node.start_byte
        parts: list[str] = []
        for _ in range(100):
            kind = node.kind_id
            if kind == g.QUALIFIED:
                children = self.children(node)
                if len(children) > 2:
                    parts.append(self.plain(children[0]))
                node = children[-1]
            elif kind in (g.TEMPLATE_FUNCTION, g.TEMPLATE_METHOD, g.DEPENDENT_NAME, g.TEMPLATE_TYPE):
                node = next((c for c in self.children(node) if c.is_named), node)
                if node.kind_id == kind:
                    break
            else:
                break
        start, end = node.start_byte, node.end_byte
        if node.kind_id == g.OPERATOR_CAST:
            inner: Node | None = node
            while inner is not None and inner.kind_id != g.ABSTRACT_FUNCTION:
                inner = inner.children[-1] if inner.children else None
            end = inner.start_byte if inner is not None else end
        text = self.written(start, end)
        if text.startswith("operator") and node.kind_id == g.OPERATOR_NAME:
            rest = text[8:].strip()
            text = f"operator {rest}" if rest[:1].isalpha() else "operator" + rest.replace(" ", "")
        elif text.startswith("~"):
            text = "~" + text[1:].strip()
        return text, "::".join(parts), start

    def header(
        self, declarator: Declarator, words: list[str]
    ) -> tuple[tuple[r.Parameter, ...], str, tuple[r.Annotation, ...]]:
        """Parameters, trailing result and attributes; adds what else follows the parameters to `words`."""
        node = declarator.function
        if node is None and declarator.name is not None:
            node = declarator.name
            for _ in range(100):
                if node.kind_id == g.ABSTRACT_FUNCTION or not node.children:
                    break
                node = node.children[-1]
        if node is None:
            return (), "", ()
        parameters: tuple[r.Parameter, ...] = ()
        trailing = ""
        attributes: tuple[r.Annotation, ...] = ()
        for child in self.children(node):
            kind = child.kind_id
            if kind == g.PARAMETERS:
                parameters = self.parameters(child)
            elif kind == g.TRAILING_RETURN:
                trailing = self.written(child.start_byte + 2, child.end_byte)
            elif kind == _NOEXCEPT:
                words.append("noexcept")
            elif kind in (g.TYPE_QUALIFIER, _REF_QUALIFIER, g.VIRTUAL_SPECIFIER):
                words.append(self.text(child.start_byte, child.end_byte))
            elif kind == g.ATTRIBUTE_DECLARATION:
                attributes += self.attributes(child)
        return parameters, trailing, attributes

    def parameters(self, node: Node) -> tuple[r.Parameter, ...]:
        found: list[r.Parameter] = []
        for child in self.children(node):
            kind = child.kind_id
            if kind == g.PARAMETER or kind == g.OPTIONAL_PARAMETER or kind == g.VARIADIC_PARAMETER:
                found.append(self.parameter(child))
            elif not child.is_named and child.end_byte - child.start_byte == 3:
                found.append(r.Parameter(child.start_byte, child.end_byte, "", "...", spread="*"))
        if len(found) == 1 and found[0].type == "void" and not found[0].name:
            return ()
        return tuple(found)

    def parameter(self, node: Node) -> r.Parameter:
        specifiers, rest = self.specifiers(node)
        name, suffix = "", ""
        default: r.Value | None = None
        assigned = False
        for child in rest:
            if child.kind_id == g.EQUALS:
                assigned = True
            elif assigned and child.is_named:
                default = self.value(child)
            elif child.is_named and not name:
                declarator = self.declarator(child)
                suffix = declarator.suffix
                if declarator.function is not None:
                    suffix += self.written(
                        self.children(declarator.function)[1].start_byte, declarator.function.end_byte
                    )
                names = self.declared_names(declarator)
                name = names[0] if names else ""
                if not names and child.kind_id == g.VARIADIC_DECLARATOR:
                    suffix = "..."
        start, end = node.start_byte, node.end_byte
        annotations = specifiers.attributes
        if self.marks:
            annotations += self.annotations(start, self.until_comma(end))
        spread: Literal["", "*"] = "*" if node.kind_id == g.VARIADIC_PARAMETER else ""
        return r.Parameter(start, end, name, specifiers.type + suffix, default, spread, False, annotations)

    def until_comma(self, end: int) -> int:
        """Where the blanks behind a parameter end: a macro that stood there belongs to it."""
        source = self.source
        while end < len(source) and source[end] in b" \t\r\n":
            end += 1
        return end

    def body(
        self, index: int, node: Node, initializers: Node | None
    ) -> tuple[r.Body, tuple[r.Initializer, ...], Words, bool]:
        """Reads a body as function number `index`, with nothing left of the function around it."""
        outer = (
            self.current, self.mentions, self.hoisted, self.broken, self.depth, self.members, self.access, self.children
        )  # fmt: skip
        self.current, self.mentions, self.hoisted, self.broken, self.depth = index, Mentions(), [], False, 0
        self.members, self.access = None, ""
        has_error = node.has_error
        self.children = unbroken if has_error else whole
        entries: tuple[r.Initializer, ...] = ()
        statements: r.Body
        if initializers is not None:
            entries = self.initializers(initializers)
        if node.kind_id == g.TRY:
            for child in self.children(node):
                if child.kind_id == g.FIELD_INITIALIZERS:
                    entries = self.initializers(child)
            statements = (self.try_block(node),)
        else:
            statements = self.block(node)
        broken = self.broken or (has_error and _really_broken(node))
        mentions = tuple(sorted(self.mentions))
        (
            self.current, self.mentions, self.hoisted, self.broken, self.depth, self.members, self.access, self.children
        ) = outer  # fmt: skip
        return statements, entries, mentions, broken

    def initializers(self, node: Node) -> tuple[r.Initializer, ...]:
        found = []
        for child in self.children(node):
            if child.kind_id == g.FIELD_INITIALIZER:
                parts = self.children(child)
                name = self.spelled(parts[0]) if parts else ""
                if not name:
                    continue
                args: tuple[r.Value, ...] = ()
                for part in parts[1:]:
                    if part.kind_id == g.ARGUMENTS or part.kind_id == g.INITIALIZER_LIST:
                        args = self.listed(part)
                self.mentions.add_written(name.rpartition("::")[2])
                found.append(r.Initializer(child.start_byte, child.end_byte, name, args))
        return tuple(found)

    # --- inside of bodies ---

    def lambda_(self, node: Node) -> r.Value:
        start, end = node.start_byte, node.end_byte
        captures: tuple[r.Capture, ...] = ()
        parameters: tuple[r.Parameter, ...] = ()
        words: list[str] = []
        result = ""
        body: Node | None = None
        attributes: tuple[r.Annotation, ...] = ()
        index = len(self.functions)
        self.functions.append(None)
        for child in self.children(node):
            kind = child.kind_id
            if kind == _CAPTURES:
                captures = self.captures(child)
            elif kind == g.ABSTRACT_FUNCTION:
                parameters, result, attributes = self.header(Declarator(None, "", child), words)
            elif kind == g.COMPOUND:
                body = child
            elif kind == _TEMPLATE_PARAMETERS:
                words.append("template")
        encoded, opaque = _NO_BODY, False
        mentions: Words = ()
        outer_scope = self.scope
        annotations = attributes
        if body is not None:
            annotations += self.annotations(start, body.start_byte)
            depth = self.depth
            statements, _, mentions, opaque = self.body_of_lambda(index, body)
            self.depth = depth
            encoded, mentions = _encoded(statements, parameters, mentions)
        self.scope = outer_scope
        self.functions[index] = r.FunctionRecord(
            start,
            end,
            "<lambda>",
            self.scope,
            "",
            "lambda",
            result,
            parameters,
            start,
            body is not None,
            tuple(sorted(_QUALIFIERS.intersection(words))),
            annotations,
            (),
            "",
            self.current,
            mentions,
            encoded,
            opaque,
        )
        return r.Lambda(start, end, index, captures)

    def body_of_lambda(self, index: int, node: Node) -> tuple[r.Body, tuple[r.Initializer, ...], Words, bool]:
        """Lambdas in lambdas nest the reader, if not the records."""
        if self.nesting > _NESTING:
            start, end = node.start_byte, node.end_byte
            return (r.Opaque(start, end, self.line(start, end), self.names(node)),), (), (), True
        self.nesting += 4
        read = self.body(index, node, None)
        self.nesting -= 4
        return read

    def captures(self, node: Node) -> tuple[r.Capture, ...]:
        found: list[r.Capture] = []
        reference = star = False
        for child in self.children(node):
            start, end = child.start_byte, child.end_byte
            kind = child.kind_id
            text = self.text(start, end)
            if not child.is_named:
                reference = text == "&" or (reference and text not in ",[")
                star = text == "*"
            elif kind == _DEFAULT_CAPTURE:
                found.append(r.Capture(start, end, text, text == "&"))
            elif kind == _CAPTURE_INITIALIZER:
                captured = self.captured_value(child)
                found += () if captured is None else (captured,)
            elif kind == _THIS:
                found.append(r.Capture(start, end, "*this" if star else "this", not star))
            elif kind == g.PARAMETER_PACK:
                found.append(r.Capture(start, end, text.rstrip(". \n"), reference))
            else:
                found.append(r.Capture(start, end, text, reference))
        return tuple(found)

    def captured_value(self, node: Node) -> r.Capture | None:
        children = self.children(node)
        reference = any(not c.is_named and self.text(c.start_byte, c.end_byte) == "&" for c in children)
        named = [c for c in children if c.is_named]
        start, end = node.start_byte, node.end_byte
        if not named or named[0].start_byte == named[0].end_byte:
            return None
        name = self.text(named[0].start_byte, named[0].end_byte)
        return r.Capture(start, end, name, reference, self.value(named[-1]) if len(named) > 1 else None)

    def declared_in_body(self, node: Node, out: Out) -> None:
        """A class, an alias or the like that is local to a function; or a function, which is none of its own."""
        kind = node.kind_id
        if kind in g.CLASSES or kind == g.ENUM or kind == g.FUNCTION_DEFINITION:
            if node.child_by_field_name("body") is None:
                return
            outer = (self.members, self.access, self.children, self.hoisted, self.mentions, self.depth, self.current)
            self.members, self.access, self.hoisted, self.mentions, self.depth = None, "", [], Mentions(), 0
            if kind == g.FUNCTION_DEFINITION:
                self.current = -1
            self.walk((node,))
            self.members, self.access, self.children, self.hoisted, self.mentions, self.depth, self.current = outer
            if kind != g.FUNCTION_DEFINITION:
                written = self.spelled(node.child_by_field_name("name"))
                out.append(r.Nested(node.start_byte, node.end_byte, written))
            return
        read = _READERS.get(kind)
        if read is not None:
            children = self.children
            read(self, node, _PLAIN)
            self.children = children


def _annotation(mark: OverwrittenMacro) -> r.Annotation:
    return r.Annotation(mark.start, mark.end, mark.name, mark.arguments)


def _kind(
    name: str, owner: str, declarator: Declarator
) -> Literal["function", "method", "constructor", "destructor", "conversion"]:
    if name.startswith("~"):
        return "destructor"
    if declarator.function is None:
        return "conversion"
    if not owner:
        return "function"
    return "constructor" if owner.rpartition("::")[2] == name else "method"


def _encoded(body: r.Body, parameters: tuple[r.Parameter, ...], mentions: Words) -> tuple[msgspec.Raw, Words]:
    """A body in which one name is one place, and what it mentions."""
    body, made = told_apart(body, (parameter.name for parameter in parameters))
    if made:
        said = {before + new for new, old in made.items() for before in ("", "=") if before + old in mentions}
        mentions = tuple(sorted({*mentions, *said}))
    return r.encode_body(body), mentions


def _really_broken(node: Node) -> bool:
    """Whether an error stands in the range; `MACRO(x)` without a semicolon is none, though the parser says so."""
    return next(g.gaps(node), None) is not None


_QUALIFIERS = frozenset(
    {"const", "static", "virtual", "override", "final", "noexcept", "inline", "constexpr", "consteval", "explicit"}
    | {"default", "delete", "pure", "friend", "template", "mutable", "volatile", "extern", 'extern "C"', "&", "&&"}
)
_NO_BODY = r.encode_body(())
_NOEXCEPT = g.kind("noexcept")
_REF_QUALIFIER = g.kind("ref_qualifier")
_TEMPLATE_PARAMETERS = g.kind("template_parameter_list")
_CAPTURES = g.kind("lambda_capture_specifier")
_DEFAULT_CAPTURE = g.kind("lambda_default_capture")
_CAPTURE_INITIALIZER = g.kind("lambda_capture_initializer")
_THIS = g.kind("this")
_CLASS_NAMES = g.kinds("type_identifier", "template_type", "qualified_identifier")

_READERS: dict[int, Callable[[Declarations, Node, _Prefix], None]] = {
    g.kind(name): reader
    for name, reader in (
        ("namespace_definition", Declarations.namespace),
        ("linkage_specification", Declarations.linkage),
        ("template_declaration", Declarations.template),
        ("friend_declaration", Declarations.friend),
        ("access_specifier", Declarations.access_specifier),
        ("class_specifier", Declarations.class_),
        ("struct_specifier", Declarations.class_),
        ("union_specifier", Declarations.class_),
        ("enum_specifier", Declarations.enum),
        ("declaration", Declarations.declaration_outside),
        ("field_declaration", Declarations.declaration_outside),
        ("function_definition", Declarations.definition),
        ("expression_statement", Declarations.macro_call),
        ("alias_declaration", Declarations.alias),
        ("type_definition", Declarations.typedef),
        ("using_declaration", Declarations.using),
        ("namespace_alias_definition", Declarations.namespace_alias),
        ("preproc_if", Declarations.inside),
        ("preproc_ifdef", Declarations.inside),
        ("preproc_else", Declarations.inside),
        ("preproc_elif", Declarations.inside),
        ("preproc_elifdef", Declarations.inside),
        ("declaration_list", Declarations.inside),
        ("field_declaration_list", Declarations.inside),
    )
}
_READERS[g.ERROR] = Declarations.salvage


def _unnamed(target: str, name: str) -> str:
    """`int(int)` of `int (reader)(int)` and of `int reader(int)`."""
    for word in _WORD.finditer(target):
        if word[0] == name:
            before, after = target[: word.start()].rstrip(), target[word.end() :].lstrip()
            if before.endswith("(") and after.startswith(")"):
                before, after = before[:-1].rstrip(), after[1:].lstrip()
            return before + after
    return target
