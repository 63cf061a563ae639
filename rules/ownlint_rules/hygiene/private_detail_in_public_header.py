"""A class is in a public header only because a private field has its type.

## What it reports

- a namespace-scope class that is only used as the type of private fields of one other class, in a header below
  `include/`
- in C, a struct to which only a pointer in another struct leads there, which only the header's own sources follow
- one in such a header that nothing else there says, and that only functions of the header's own source use
- with `--diff-base`, the same in any header that was there before the change and gets the class by it
- the same in any header, where the fields are pointers and nothing in the header needs the class to be complete
- with `--certainty possible`, the same in any header, whatever the fields are

## Why it is a bug

Every file that includes the header parses the class, and is recompiled when it changes, although only one class uses
it.

## Example

bad:

```cpp include/engine.h
struct Pending { int device = 0; };

class Engine {
 public:
  void Launch(int device);
 private:
  std::vector<Pending> pending_;
};
```

```cpp src/engine.cc
#include "engine.h"
void Engine::Launch(int device) { pending_.push_back(Pending{device}); }
```

```cpp src/main.cc
#include "engine.h"
void Run(Engine& engine) { engine.Launch(1); }
```

```text
include/engine.h:1: note: `Pending` is only used by the private member `Engine::pending_`, but is visible to every
    includer of this header
  help: nest it in the private section of `Engine`, or forward-declare it here and define it in the source file
```

good:

```cpp include/engine.h
class Engine {
 public:
  void Launch(int device);
 private:
  struct Pending { int device = 0; };
  std::vector<Pending> pending_;
};
```

```cpp src/engine.cc
#include "engine.h"
void Engine::Launch(int device) { pending_.push_back(Pending{device}); }
```

```cpp src/main.cc
#include "engine.h"
void Run(Engine& engine) { engine.Launch(1); }
```

## How to fix it

Nest the class in the private section, or forward-declare it and define it in the source file.

## What it does not report

- templates and their parts as types of fields that hold them by value, base classes, exceptions, and what a `void*` may
  lead to
- classes that a public or protected member or a free function uses, also in the header's own source, or that two
  classes share
- classes of which two or more members are plain values: they cannot be forward-declared
- a class that a member is as a plain value, which the header has to define: it is `possible` unless a change adds it
- classes that an alias puts together, as for a `std::variant`
- namespaces and headers named `internal`, `detail` or similar
- headers that no other file includes, and names of several classes

## Known limitations

- Uses in files that were not analysed are not known.
- A name in the body of a macro does not count as a use.

## Source

a review of GPU command-buffer caching in XLA, where the entries of a cache stood before the executable's class.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property

from ownlint import (
    Certainty,
    Class,
    File,
    Finding,
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

_HEADER = re.compile(r"(.*)\.(?:h|hh|hpp|hxx)")
_NOT_PUBLIC = re.compile(
    r"(?:^|/)(?:test|tests|testing|third_party|vendor|vendored|external|internal|private|detail|details|impl)/|"
    r"[-_](?:internal|private|detail|details|impl|inl|p)\.\w+$"
)
_INTERNAL = re.compile(
    r"(?:^|::)_*(?:internal|detail|details|impl|priv|private)_*(?:::|$)|(?:_internal|_detail|_impl)(?:::|$)"
)
_FOR_OTHERS = re.compile(r"(?:^|/)(?:include|includes|public)/")
_THROWN = re.compile(r"(?:Error|Exception|Failure|_error|_exception)$")
_WORD = re.compile(r"\w+")
_HIDDEN = ("private",)
_OWNING = frozenset({"unique_ptr", "shared_ptr", "scoped_refptr", "intrusive_ptr"})
"""Class templates of what leads to an object that needs not be complete in the header."""
_Member = records.Field | records.FunctionRecord
_MOST_NAMED = 3
"""Private members that a message names."""


@rule(severity="note", of_change=True)
def private_detail_in_public_header(program: Program) -> Iterator[Finding]:
    classes = _Classes(program)
    for file in program.files.values():
        match = _HEADER.fullmatch(file.path)
        if match is None or file.language != "cpp" or _NOT_PUBLIC.search(file.path) or not file.classes:
            continue
        known = _classes_before(program, file)
        header = _Header(program, classes, file)
        is_public = known is not None or _is_for_others(file)
        is_included = _is_included(program, file, match[1])
        if (header.names or (is_public and header.tools)) and (is_included or _is_for_others(file)):
            others = [one for one in program.files.values() if one is not file and one.language == "cpp"]
            own = [one for one in others if _is_own(one.path, match[1])]
            seen_by = [one for one in others if one not in own]
            for cls, fields in header.details(seen_by, own):
                is_new = known is not None and cls.symbol not in known
                is_held = any(_is_value(field.type, cls.name) for _, field in fields)
                certainty = _sure(file, own, is_new or header.is_led_to(cls, fields))
                if is_held and not is_new:
                    certainty = because(
                        "possible", "the header has to define it in any case, since it is held by value"
                    )
                outer = header.outermost(fields[0][0])
                if header.is_shared(cls.name, outer) and not is_new:
                    certainty = because("possible", "another class of the header has it, too")
                using: list[tuple[Class, _Member]] = [*fields, *header.private_signatures(cls.name, outer)]
                help = _advice(outer, can_nest=not header.seen_by, can_move=not is_held)
                yield _found(cls, outer, using, certainty, help, is_c=bool(header.seen_by))
            for cls, users, kept in header.used_by_source(seen_by, own) if is_included and is_public else ():
                certainty = _sure(file, own, known is not None and cls.symbol not in known)
                yield _found_in_source(cls, own[0], users, kept, certainty)


def _classes_before(program: Program, file: File) -> frozenset[str] | None:
    """The classes that a header had before the change under review; None where it is not touched, or new."""
    earlier = program.earlier_paths.get(file.path)
    if earlier is None or program.before is None or (old := program.before.files.get(earlier)) is None:
        return None
    return frozenset(cls.symbol for cls in program.before.classes if cls.file is old)


def _sure(file: File, own: list[File], is_meant: bool) -> Certainty:
    """How sure a report is; `is_meant` where the change adds the class, or its owner already keeps it out of sight."""
    name = file.path.rpartition("/")[2]
    if not own:
        return because("possible", f"no source file belongs to `{name}`")
    if not is_meant and not _is_for_others(file):
        return because("possible", f"`{name}` may be internal, and no change under review adds the class")
    return because("unread-code", "code that was not analysed may use it")


def _is_for_others(file: File) -> bool:
    """Whether it lies where a project keeps what it installs."""
    return _FOR_OTHERS.search(file.path) is not None


def _is_value(written: str, name: str) -> bool:
    """Whether a member of that type is an object of the class itself."""
    kind = types.parse(written)
    return kind.last == name and kind.is_value


def _advice(outer: Class, *, can_nest: bool, can_move: bool) -> str:
    nested, moved = (
        f"nest it in the private section of `{outer.name}`",
        "forward-declare it here and define it in the source file",
    )
    if can_nest and can_move:
        return f"{nested}, or {moved}"
    return moved if can_move else nested


def _found(
    cls: Class, outer: Class, users: list[tuple[Class, _Member]], certainty: Certainty, help: str, *, is_c: bool
) -> Finding:
    record = cls.record
    named = [f"`{outer.name}{owner.symbol.removeprefix(outer.symbol)}::{member.name}`" for owner, member in users]
    shown = " and ".join(named) if len(named) <= _MOST_NAMED else f"{', '.join(named[:_MOST_NAMED])} and others"
    label = f"`{cls.name}` is used {'only ' * (len(users) == 1)}here"
    users_shown = shown if is_c else f"the private member{'s' * (len(users) > 1)} {shown}"
    return cls.finding(
        Span(record.start, record.start + 1) if record.end <= record.start else _head(record),
        f"`{cls.name}` is only used by {users_shown}, but is visible to every includer of this header",
        certainty=certainty,
        help=help,
        steps=tuple(owner.step(_place(member), label) for owner, member in users[:_MOST_NAMED]),
    )


def _found_in_source(
    cls: Class, source: File, users: list[Function | Class], kept: list[str], certainty: Certainty
) -> Finding:
    named = list(dict.fromkeys(f"`{name}`" for name in (*(user.name for user in users), *kept)))
    shown = " and ".join(named) if len(named) <= _MOST_NAMED else f"{', '.join(named[:_MOST_NAMED])} and others"
    name = source.path.rpartition("/")[2]
    return cls.finding(
        _head(cls.record),
        f"`{cls.name}` is only used by {shown} in `{name}`, but is visible to every includer of this header",
        certainty=certainty,
        help="define it in the source file",
        steps=tuple(user.step(_named_at(user), f"`{user.name}` uses it here") for user in users[:_MOST_NAMED]),
    )


def _named_at(user: Function | Class) -> Span:
    return user.record.name_span if isinstance(user, Function) else _head(user.record)


def _place(member: _Member) -> Span:
    return member.name_span if isinstance(member, records.FunctionRecord) else member.span


def _head(record: records.ClassRecord) -> Span:
    return Span(record.start, min(record.end, record.start + len(record.kind) + 1 + len(record.name)))


# --- what may be a detail -----------------------------------------------------------------------------


class _Classes:
    """All of a program, by file and by name."""

    def __init__(self, program: Program) -> None:
        self._by_file: dict[File, list[Class]] = {}
        for cls in program.classes:
            self._by_file.setdefault(cls.file, []).append(cls)
        self._named = Counter(cls.name for cls in program.classes)

    def of(self, file: File) -> list[Class]:
        """Those that stand in the file."""
        return self._by_file.get(file, [])

    def is_unique(self, cls: Class) -> bool:
        """Whether no other has its name."""
        return self._named[cls.name] == 1


class _Header:
    """What a header shows of its classes and of the other names for them, by name."""

    def __init__(self, program: Program, classes: _Classes, file: File) -> None:
        self.program = program
        self.file = file
        self.here = classes.of(file)
        self._classes = classes
        self.by_symbol = {cls.symbol: cls for cls in self.here}
        fields = [(cls.name, set(_WORD.findall(f.type))) for cls in self.here for f in cls.record.fields]
        aliases = [a for a in file.aliases if a.kind == "type" and (not a.access or a.scope in self.by_symbol)]
        fields += [(alias.name, set(_WORD.findall(alias.target))) for alias in aliases]
        said = {word for owner, words in fields for word in words if word != owner}
        self.candidates = {
            cls.name: cls
            for cls in self.here
            if cls.name in said and self._may_be_detail(cls) and classes.is_unique(cls)
        }
        self.names = self.candidates.keys() | {alias.name for alias in aliases if alias.name in said}
        """Of the candidates, and of the aliases at namespace scope that fields have for a type."""
        self.said: dict[File, tuple[str, bytes]] = {}
        self.seen_by: list[File] = []
        """In C, the files beside the header's own sources: a member that none of them names is as good as private."""
        self.private_methods = {
            (f.scope, f.name) for f in file.functions if f.owner and f.access in _HIDDEN and f.parent < 0
        }

    @cached_property
    def tools(self) -> dict[str, Class]:
        """By name: classes that nothing in the header says but themselves and signatures of private methods. What has a
        base, or is named as an exception, is there for those who ask for the base, or catch it."""
        found = {
            cls.name: cls
            for cls in self.here
            if cls.record.parent < 0
            and cls.record.kind in ("class", "struct")
            and not cls.record.bases
            and not _THROWN.search(cls.name)
            and self._around(cls) is None
            and not _INTERNAL.search(cls.record.scope)
        }
        for owner, written in self._sayings():
            for word in found.keys() & set(_NAMES.findall(written)):
                if word != owner:
                    del found[word]
        return {name: cls for name, cls in found.items() if self._classes.is_unique(cls)}

    def _sayings(self) -> Iterator[tuple[str, str]]:
        """What the header says of names, and in which of its classes; signatures of private methods are left out."""
        for cls in self.here:
            owner = self.outermost(cls).name
            yield from ((owner, field.type) for field in cls.record.fields)
            yield from ((owner, base.name) for base in cls.record.bases)
        for alias in self.file.aliases:
            around = self.by_symbol.get(alias.scope)
            yield (self.outermost(around).name if around is not None else ""), alias.target
        yield from (("", variable.type) for variable in self.file.variables)
        yield from (("", macro.body) for macro in self.file.macros)
        for function in self.file.functions:
            outer = function
            while outer.parent >= 0:
                outer = self.file.functions[outer.parent]
            home = self.by_symbol.get(outer.scope) if outer.owner else None
            owner = self.outermost(home).name if home is not None else ""
            yield owner, bytes(function.body).decode(errors="replace")
            if (outer.scope, outer.name) not in self.private_methods:
                yield owner, " ".join((function.result, *(p.type for p in function.parameters)))

    def used_by_source(
        self, others: list[File], own: list[File]
    ) -> Iterator[tuple[Class, list[Function | Class], list[str]]]:
        """Those of the tools that no other file says, and that functions of the header's one source use: methods of its
        other classes, functions that it declares, and those that no other header knows."""
        if len(own) != 1 or not self.tools:
            return
        source, program = own[0], self.program
        here = [program.index.function_at(source, number) for number in range(len(source.functions))]
        functions = [one for one in here if one is not None and one.parent is None]
        said = {word for macro in source.macros for word in _WORD.findall(macro.body)}
        for name, cls in self.tools.items():
            users: list[Function | Class] = [
                one
                for one in functions
                if not _is_part(one.record.owner, name) and any(_is_said_by(f, name) for f in _with_inner(one))
            ]
            users += [
                one
                for one in self._classes.of(source)
                if not _is_part(one.symbol, name)
                and any(name in _WORD.findall(field.type) for field in one.record.fields)
            ]
            kept = [one.name for one in source.variables if name in _WORD.findall(one.type)]
            if (
                name not in said
                and self._serves(name, users, kept, functions)
                and all(self._may_have_tools(user, name) for user in users if isinstance(user, Function))
                and not any(self._says(other, name) for other in others)
            ):
                yield cls, users, kept

    def _serves(self, name: str, users: list[Function | Class], kept: list[str], functions: list[Function]) -> bool:
        """Whether something else that the header declares has such a class in what it does: a method of another class,
        what is nested there, or a function; also by a variable, a class or a function of the source."""
        if _bare(name) == _bare(_stem(self.file.path)):
            return False  # what the header is for
        declared = {function.name for function in self.file.functions if not function.owner and function.parent < 0}
        others = {cls.name for cls in self.here if cls.name not in ("", name)}

        def is_ours(one: Function | Class) -> bool:
            scopes = one.record.owner if isinstance(one, Function) else one.record.scope
            return not others.isdisjoint(scopes.split("::")) or (isinstance(one, Function) and one.name in declared)

        local = [*kept, *(user.name for user in users)]
        return any(map(is_ours, users)) or any(
            is_ours(one) and _is_said_by(one.record, between) for between in local for one in functions
        )

    def _may_have_tools(self, user: Function, name: str) -> bool:
        """Whether what a function has of such a class is its own: it is no object that its caller may have filled, or
        may catch, and the function is the header's own, or the source's."""
        record = user.record
        if any(types.parse(p.type).name == "void" for p in record.parameters) or _throws(user, name):
            return False
        if record.owner:
            return True
        declared = (file for file, _ in self.program.index.records_called(user.name))
        return all(file is self.file or _HEADER.fullmatch(file.path) is None for file in declared)

    def details(self, others: list[File], own: list[File]) -> Iterator[tuple[Class, list[tuple[Class, records.Field]]]]:
        """Classes that are the type of private fields of one class, and shown neither here nor by what another file
        says, nor used by anything else in the header's own sources."""
        if not self.candidates:
            return
        is_c = bool(own) and all(one.is_c for one in own)
        self.seen_by = others if is_c else []
        hidden = self._unseen(self.names)
        if self.candidates.keys().isdisjoint(hidden):
            return
        hidden = self._unseen({name for name in hidden if not any(self._says(other, name) for other in others)})
        for name, cls in self.candidates.items():
            if name in hidden:
                fields = list(self._private_fields(name, hidden))
                if not fields or len({self.outermost(user).symbol for user, _ in fields}) != 1:
                    continue
                if len(fields) > 1 and all(types.parse(field.type).last == name for _, field in fields):
                    continue  # what several members are, as they are, is meant as a type of its own
                only_leads = all(self._leads_to(field.type, name) for _, field in fields)
                if cls.record.template and not only_leads:
                    continue  # it has to be complete
                parts = {self.candidates[one].symbol for one in hidden & self.candidates.keys()}
                parts.add(self.outermost(fields[0][0]).symbol)
                can_move = only_leads and not any(self._is_said_inline(field.name) for _, field in fields)
                helpers = self._helpers(own) if can_move else frozenset[str]()
                if can_move:  # classes of the sources can have it there, too
                    parts.update(f"{one.scope}::{one.name}".lstrip(":") for source in own for one in source.classes)
                if is_c or not any(_uses(source, name, parts, helpers) for source in own):
                    yield cls, fields

    def _leads_to(self, written: str, name: str) -> bool:
        """Whether a field of that type only leads to the class of that name: a pointer, an owning one, a container of
        such, or a name of the header's for one."""
        kind = types.parse(written)
        if kind.pointers or kind.last in _OWNING:
            return True
        meant = [
            *kind.arguments,
            *(alias.target for alias in self.file.aliases if alias.kind == "type" and alias.name == kind.last),
        ]
        return name not in _WORD.findall(kind.name) and all(
            self._leads_to(one, name) for one in meant if self._names(one, name) and kind.last not in _WORD.findall(one)
        )

    def _names(self, written: str, name: str) -> bool:
        """Whether a type is written with the name, or with one that the header has for what is."""
        words = _WORD.findall(written)
        return name in words or any(
            alias.kind == "type" and alias.name in words and name in _WORD.findall(alias.target)
            for alias in self.file.aliases
        )

    def is_led_to(self, cls: Class, fields: list[tuple[Class, records.Field]]) -> bool:
        """Whether the fields only lead to a class, and nothing in the header needs it complete: a declaration of it
        would do there. What a `unique_ptr` has is destroyed where its owner's destructor is defined. A class with a
        base may stand there for a tool that reads headers, as Qt's `moc` does."""
        return not cls.record.bases and all(
            self._leads_to(field.type, cls.name)
            and not self._is_said_inline(field.name)
            and ("unique_ptr" not in _WORD.findall(field.type) or user.record.destructor == "declared")
            for user, field in fields
        )

    def _is_said_inline(self, name: str) -> bool:
        """Whether a body in the header names the field, which needs its class complete there."""
        said = b'"%b"' % name.encode()
        return any(said in bytes(function.body) for function in self.file.functions)

    def _helpers(self, own: list[File]) -> frozenset[str]:
        """Names of free functions of the header's own sources that no header declares: they can have the class where it
        is then defined."""
        found = {f.name for source in own for f in source.functions if not f.owner and f.parent < 0}
        return frozenset(
            name
            for name in found
            if all(_HEADER.fullmatch(file.path) is None for file, _ in self.program.index.records_called(name))
        )

    def private_signatures(self, name: str, outer: Class) -> Iterator[tuple[Class, records.FunctionRecord]]:
        """Private methods of a class and of those nested in it, each once, that have the name in their signature."""
        seen: set[tuple[str, str]] = set()
        for function in self.file.functions:
            key = (function.scope, function.name)
            written = (function.result, *(parameter.type for parameter in function.parameters))
            owner = self.by_symbol.get(function.scope)
            if owner is None or self.outermost(owner) is not outer or key in seen or key not in self.private_methods:
                continue
            if any(name in _WORD.findall(text) for text in written):
                seen.add(key)
                yield owner, function

    def _may_be_detail(self, cls: Class) -> bool:
        record = cls.record
        return (
            record.parent < 0
            and record.kind in ("class", "struct", "enum class")
            and self._around(cls) is None
            and not _INTERNAL.search(record.scope)
        )

    def _around(self, cls: Class) -> Class | None:
        around = cls.symbol.rpartition("::")[0]
        return self.by_symbol.get(around) if around else None  # a class without a name goes by the empty one

    def outermost(self, cls: Class) -> Class:
        while (outer := self._around(cls)) is not None:
            cls = outer
        return cls

    def _is_field_hidden(self, cls: Class, field: records.Field) -> bool:
        return self._is_hidden(cls, field.access) or self._is_unnamed_in_c(field)

    def _is_unnamed_in_c(self, field: records.Field) -> bool:
        """Whether it is a pointer of a struct of C that only the header's own sources follow."""
        if not self.seen_by or not types.parse(field.type).pointers:
            return False
        return not self._is_said_inline(field.name) and not any(self._says(other, field.name) for other in self.seen_by)

    def _says(self, file: File, name: str) -> bool:
        """Whether a file says the name, in a declaration, a type or a body."""
        text, bodies = self._said_in(file)
        if name in text and name in _NAMES.findall(text):
            return True
        encoded = name.encode()
        said = (bytes(one.body) for one in file.functions) if encoded in bodies else ()
        return any(name in _NAMES.findall(one.decode(errors="replace")) for one in said if encoded in one)

    def _said_in(self, file: File) -> tuple[str, bytes]:
        """What a file says outside of bodies, and in them: each as one text, since many names are looked for."""
        # Read each time, so that whoever asks rests on them.
        functions, classes, aliases = file.functions, file.classes, file.aliases
        variables, macros = file.variables, file.macros
        if file not in self.said:
            texts = [text for one in functions for text in (one.result, one.scope, *(p.type for p in one.parameters))]
            texts += [said for record in classes for f in record.fields for said in _said_by_field(f)]
            texts += [base.name for record in classes for base in record.bases]
            texts += [alias.target for alias in aliases] + [variable.type for variable in variables]
            texts += [macro.body for macro in macros] + [record.name for record in classes]
            self.said[file] = "\n".join(texts), b"\n".join(bytes(one.body) for one in functions)
        return self.said[file]

    def _is_hidden(self, cls: Class, access: str) -> bool:
        """Whether what a class declares with this access can be named in no other class."""
        while access not in _HIDDEN:
            outer = self._around(cls)
            if outer is None:
                return False
            cls, access = outer, cls.record.access
        return True

    def _unseen(self, names: Iterable[str]) -> set[str]:
        """The names that nothing shows but private parts, and each other."""
        found = set(names)
        while found:
            shown = found.intersection(self._shown(found))
            if not shown:
                break
            found -= shown
        return found

    def _shown(self, unseen: set[str]) -> Iterator[str]:
        for cls in self.here:
            if self.outermost(cls).name in unseen:
                continue
            for field in cls.record.fields:
                if not self._is_field_hidden(cls, field) or self.outermost(cls).record.template:
                    yield from _WORD.findall(field.type)
            for base in cls.record.bases:
                yield from _WORD.findall(base.name)
        for alias in self.file.aliases:
            around = self.by_symbol.get(alias.scope)
            if alias.name in unseen or (around is not None and self.outermost(around).name in unseen):
                continue
            if around is None or not self._is_hidden(around, alias.access):
                yield from _WORD.findall(alias.target)
        for variable in self.file.variables:
            yield from _WORD.findall(variable.type)
        for function in self.file.functions:
            yield from self._shown_by(function, unseen)

    def _shown_by(self, function: records.FunctionRecord, unseen: set[str]) -> Iterator[str]:
        outer = function
        while outer.parent >= 0:
            outer = self.file.functions[outer.parent]
        owner = self.by_symbol.get(outer.scope) if outer.owner else None
        outermost = self.outermost(owner) if owner is not None else None
        if outermost is not None and outermost.name in unseen:
            return
        written = [word for p in function.parameters for word in _WORD.findall(p.type)]
        if _compares(outer) and not unseen.isdisjoint(written):
            return  # `a == b`, which goes wherever they go
        is_private = (outer.scope, outer.name) in self.private_methods
        if owner is None or not (is_private or function.parent >= 0 or self._is_hidden(owner, function.access)):
            yield from _WORD.findall(function.result)
            yield from written
        uses = outermost is not None and any(
            not unseen.isdisjoint(_WORD.findall(field.type))
            for cls in self.here
            if self.outermost(cls) is outermost
            for field in cls.record.fields
        )
        if not uses:
            body = bytes(function.body)
            yield from (name for name in unseen if b'"%b' % name.encode() in body)

    def is_shared(self, name: str, outer: Class) -> bool:
        """Whether a field of a further class says the name."""
        return any(
            name in _WORD.findall(field.type)
            for cls in self.here
            if self.outermost(cls) is not outer and self.outermost(cls).name != name
            for field in cls.record.fields
        )

    def _private_fields(self, name: str, unseen: set[str]) -> Iterator[tuple[Class, records.Field]]:
        """Private fields of other classes whose type says the name, also by another name for it. One for several of
        them, as for a variant, is a type of its own."""
        others = {
            alias.name
            for alias in self.file.aliases
            if alias.kind == "type" and {name} == self.candidates.keys() & set(_WORD.findall(alias.target))
        }
        for cls in self.here:
            for field in cls.record.fields if self.outermost(cls).name != name else ():
                if not {name, *others}.isdisjoint(_WORD.findall(field.type)) and (
                    self._is_field_hidden(cls, field) or self.outermost(cls).name not in unseen
                ):
                    yield cls, field


def _compares(function: records.FunctionRecord) -> bool:
    return function.name in (
        "operator==",
        "operator!=",
        "operator<",
        "operator>",
        "operator<=",
        "operator>=",
        "operator<=>",
    )


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def _bare(name: str) -> str:
    return name.replace("_", "").lower()


def _is_part(symbol: str, name: str) -> bool:
    """Whether it is the class itself, or in it."""
    return name in symbol.split("::")


def _with_inner(function: Function) -> Iterator[records.FunctionRecord]:
    yield function.record
    yield from (inner.record for inner in function.lambdas())


def _throws(function: Function, name: str) -> bool:
    return any(
        isinstance(statement, records.Leave)
        and statement.kind == "throw"
        and statement.value is not None
        and name in _WORD.findall(text(statement.value))
        for statement in function.statements
    )


# --- who uses it --------------------------------------------------------------------------------------


def _is_included(program: Program, file: File, stem: str) -> bool:
    """Whether a file includes the header, its own sources left out."""
    folder, _, name = file.path.rpartition("/")
    is_only = sum(path.rpartition("/")[2] == name for path in program.files) < 2
    return any(
        other is not file
        and not _is_own(other.path, stem)
        and (is_only or other.path.rpartition("/")[0] == folder or _may_be(file.path, target))
        for other, target in _including(program).get(name, ())
    )


def _may_be(path: str, target: str) -> bool:
    """Whether an `#include` may mean the file: one with folders says which they are."""
    written = target.lstrip("./")
    return "/" in written and (path == written or path.endswith("/" + written) or written.endswith("/" + path))


@questions.program_question
def _including(program: Program) -> dict[str, list[tuple[File, str]]]:
    """The files that include a header of that name, and how."""
    found: dict[str, list[tuple[File, str]]] = {}
    for file in program.files.values():
        for one in file.imports if file.language == "cpp" else ():
            found.setdefault(one.target.rpartition("/")[2], []).append((file, one.target))
    return found


def _uses(source: File, name: str, parts: set[str], helpers: frozenset[str]) -> bool:
    """Whether a source of the header says the name elsewhere than in these classes: in a free function that is none of
    the helpers, another class, a variable."""

    def is_part(symbol: str) -> bool:
        """A definition outside of its class may leave out the namespaces around it."""
        names = symbol.split("::")
        inner = {"::".join(names[:end]) for end in range(1, len(names) + 1)}
        return any(part == one or part.endswith(f"::{one}") for part in parts for one in inner if one)

    for function in source.functions:
        outer = function
        while outer.parent >= 0:
            outer = source.functions[outer.parent]
        is_helper = not outer.owner and outer.name in helpers
        if not is_part(outer.owner) and not is_helper and not _compares(outer) and _is_said_by(function, name):
            return True
    classes = [record for record in source.classes if not is_part(f"{record.scope}::{record.name}".lstrip(":"))]
    texts = [said for record in classes for f in record.fields for said in _said_by_field(f)]
    texts += [base.name for record in classes for base in record.bases]
    texts += [variable.type for variable in source.variables if not is_part(variable.scope)]
    return any(name in text and name in _NAMES.findall(text) for text in texts)


def _is_said_by(function: records.FunctionRecord, name: str) -> bool:
    written = " ".join((function.result, *(p.type for p in function.parameters)))
    if name in written and name in _NAMES.findall(written):
        return True
    body = bytes(function.body)
    return name.encode() in body and name in _NAMES.findall(body.decode(errors="replace"))


def _said_by_field(field: records.Field) -> Iterator[str]:
    """The types that a member says: its own, and those that its initialiser makes, or is made for."""
    yield field.type
    for inner in places.walk(field.value):
        match inner:
            case records.Call(template=made_for):
                yield made_for
            case records.Name(text=said) | records.Cast(type=said):
                yield said


def _is_own(path: str, stem: str) -> bool:
    """`engine_impl.cc` and `engine.inl` beside `engine.h`, and a source of that name in another folder."""
    own = stem.rsplit("/", 1)[-1]
    folder, _, base = path.rpartition("/")
    return base.split(".", 1)[0] == own or (folder == stem.rpartition("/")[0] and base.startswith(own + "_impl"))


_NAMES = re.compile(r"\w++")
