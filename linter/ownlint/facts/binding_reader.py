"""Bindings: what a C++ file makes visible to Python, found in its records.

A framework is known by its words (`Vocabulary.frameworks`): the templates that declare a class, the methods that
declare members. A body is decoded only when it calls one of them. What a wrapper around a callable says
(`cpp_function(f, extras...)`, `overload_cast<A>(&C::f)`, `static_cast<R (C::*)()>(&C::f)`) is kept as extras of the
binding, the wrapper's own name and template first, so that the callable itself is always bare.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from typing import Literal, cast

import msgspec

from ownlint.facts import binding_macros
from ownlint.facts import records as r
from ownlint.facts.show import text as written
from ownlint.facts.vocabulary import Framework, Vocabulary
from ownlint.patterns import PatternSet

Kind = Literal[
    "method", "static", "function", "init", "property", "property_rw", "field", "field_rw", "iterator", "other"
]

CUT = "<chain>"
"""What stands in a long chain, cut by `values`, for the statement before that has the same range."""

_WORD = re.compile(r"\w+")
_MODULE = re.compile(r"(?:\w+::)*module_?\b")
_MODULE_NAME = re.compile(r"(?:\w*_)?(?:m|mod|module|sub|submodule|scope)_?(?:\d+|_\w+)?", re.IGNORECASE)
_STRING = re.compile(r'(?:u8|[uUL])?(?:R"([^()\\ ]*)\((?P<raw>.*)\)\1"|"(?P<plain>(?:[^"\\]|\\.)*)")', re.DOTALL)


def extract(
    file: r.FileRecord, vocabulary: Vocabulary, headers: Sequence[r.FileRecord] = ()
) -> tuple[tuple[r.BoundClass, ...], tuple[r.BindingRecord, ...]]:
    """The classes and members that `file` binds, in the order in which they stand. `headers` are files that it
    includes, the nearest last: their aliases and includes are seen in it too."""
    words = {word for framework in vocabulary.frameworks for word in (*framework.classes, *framework.methods)}
    aliases = [alias for one in (*headers, file) for alias in one.aliases]
    templates = [alias.target for alias in aliases if alias.kind == "type" and "class" in alias.target]
    macros = _binding_macros((*headers, file), words)
    if not templates and not macros and all(words.isdisjoint(function.mentions) for function in file.functions):
        return (), ()
    reader = _BindingReader(file, vocabulary.frameworks, headers, macros)
    words.update(name for name, target in reader.names.types.items() if reader.names.class_template(target))
    words.update(macros)
    registries = _registries(vocabulary.registries)
    chosen = [
        index
        for index, function in enumerate(file.functions)
        if not words.isdisjoint(function.mentions) and registries.first(function.name) is None
    ]
    # By position, so that a function is read before the lambdas inside it use its variables.
    for index in sorted(chosen, key=lambda index: (file.functions[index].start, -file.functions[index].end)):
        reader.read(index)
    return tuple(reader.classes), tuple(reader.finished())


@lru_cache(maxsize=8)
def _registries(patterns: tuple[str, ...]) -> PatternSet:
    """Made once, not for each file."""
    return PatternSet(patterns)


def concerns(file: r.FileRecord, frameworks: tuple[Framework, ...]) -> bool:
    """Whether the file tells those who include it something about names of a framework."""
    spaces = tuple(space for framework in frameworks for space in framework.namespaces)
    named = any(_is_within(alias.target, spaces) for alias in file.aliases)
    return named or any(_includes(framework, file) for framework in frameworks)


def says_more(file: r.FileRecord, headers: Sequence[r.FileRecord], frameworks: tuple[Framework, ...]) -> bool:
    """Whether the bindings of a file may read otherwise once these headers of its are known: they tell more than what a
    usual abbreviation stands for anyway."""
    usual = {
        name: {one.name for one in frameworks if name in one.namespaces}
        for one in frameworks
        for name in one.namespaces
    }
    aliases = [alias for header in headers for alias in header.aliases if not alias.scope or alias.kind != "type"]
    spaces = tuple(usual)
    for alias in aliases:
        if _is_within(alias.target, spaces):
            meant = usual.get(alias.target.removeprefix("::"), set())
            if alias.kind != "namespace" or not meant <= usual.get(alias.name, set()):
                return True
    named = {one.name for one in frameworks if any(_includes(one, header) for header in (*headers, file))}
    read = {bound.framework for bound in file.bound_classes} | {binding.framework for binding in file.bindings}
    return not read <= named


class _Object(msgspec.Struct, frozen=True):
    """What a variable holds: a bound class (`owner` is its index, -1 when it is not in this file) or a module."""

    framework: Framework
    owner: int = -1
    module: bool = False
    type: str = ""
    """The class behind a parameter `class_<T>& cls`, by its C++ type: it may be bound further down."""


class _BindingReader:
    def __init__(
        self,
        file: r.FileRecord,
        frameworks: tuple[Framework, ...],
        headers: Sequence[r.FileRecord],
        macros: dict[str, r.Macro],
    ) -> None:
        self.file = file
        self.names = _Names(file, frameworks, headers)
        self.classes: list[r.BoundClass] = []
        self.bindings: list[r.BindingRecord] = []
        self.types: list[str] = []
        self.variables: dict[int, dict[str, _Object]] = {}
        self.function = -1
        # The walk meets the inner calls of a chain again: what has been added, by place.
        self.added: dict[tuple[int, int], int] = {}
        self.linked: set[int] = set()
        self.pieces: dict[r.Span, r.Value] = {}
        self.last: _Object | None = None
        self.macros = macros
        self.opened: dict[r.Span, _Object | None] = {}

    def read(self, index: int) -> None:
        self.function = index
        function = self.file.functions[index]
        known = self.variables.setdefault(index, {})
        self.pieces.clear()
        self.last = None
        for parameter in function.parameters:
            if found := self._declared(parameter.type, function):
                known[parameter.name] = found
            elif (
                not function.result
                and function.name.endswith("_MODULE")
                and (module := self.names.framework_with("def"))
            ):
                # `PYBIND11_MODULE(name, m) { ... }` reads like a function: each "parameter" may be the variable.
                known[parameter.name or parameter.type] = _Object(module, module=True)
        for node in _ordered(r.decode_body(function)):
            match node:
                case r.Declare(names=(name,), type=type, value=value):
                    known.pop(name, None)
                    found = self._declaration(name, type, value)
                case r.Assign(target=target, op="=", value=r.Call() as value):
                    name, found = written(target), self._chain(value)
                case r.Call():
                    name, found = "", self._chain(node)
                case r.Evaluate(value=value):
                    self.pieces[value.span] = value
                    continue
                case _:
                    continue
            if found and name:
                known[name] = found
                self._named(found, name)

    def finished(self) -> Iterator[r.BindingRecord]:
        """The bindings, those off a parameter `class_<T>& cls` given to the one class of that type."""
        for binding, type in zip(self.bindings, self.types, strict=True):
            same = [number for number, bound in enumerate(self.classes) if type and bound.type == type]
            if len(same) == 1:
                yield msgspec.structs.replace(binding, owner=same[0], parent="")
            else:
                yield binding

    # --- declarations ---

    def _declaration(self, name: str, type: str, value: r.Value | None) -> _Object | None:
        if isinstance(value, r.Call) and (found := self._chain(value)):
            return found
        spelled = self.names.class_template(type)
        match value:
            case r.Call(args=args) if spelled and value.kind == "construct":
                return self._class(value, args, *spelled)
            case r.Aggregate(kind="init", items=items) if spelled:
                return self._class(value, items, *spelled)
        return self._declared(type)

    def _declared(self, type: str, function: r.FunctionRecord | None = None) -> _Object | None:
        """What a variable or parameter of that type holds."""
        if function and not self.names.visible(type, function):
            return None
        if spelled := self.names.class_template(type):
            framework, arguments = spelled
            return _Object(framework, type=arguments[0] if arguments else "")
        bare = type.replace("const ", "").rstrip("&* ")
        module = self.names.of(bare) if _MODULE.fullmatch(bare) else None
        return _Object(module, module=True) if module else None

    def _named(self, found: _Object, name: str) -> None:
        if found.owner >= 0 and not self.classes[found.owner].variable:
            self.classes[found.owner] = msgspec.structs.replace(self.classes[found.owner], variable=name)

    # --- calls ---

    def _chain(self, call: r.Call) -> _Object | None:
        """Reads `base.def(...).def(...)`; gives what the whole expression is, if it is a class or a module."""
        links: list[tuple[r.Member, r.Call]] = []
        base: r.Value = call
        if isinstance(call.callee, r.Name) and call.callee.text.rpartition("::")[2] in self.names.methods:
            self._free(call, call.callee)
            return None
        while isinstance(base, r.Call):
            callee = self._whole(base.callee)
            if not isinstance(callee, r.Member):
                break
            links.append((callee, base))
            base = self._whole(callee.base)
        found = self._base(base)
        for member, link in reversed(links):
            if member.name in self.names.methods:
                found = self._link(found, base, member, link)
            elif (
                macro := self.macros.get(member.name)
            ) is not None:  # `.METHOD(Pump, attach)`: the dot stands before it
                self.last = found or self.last
                found = self._opened(link, msgspec.structs.replace(macro, body=f".{macro.body}"))
            elif member.name == "def_submodule":
                found = found or self._guess(base, "def")
                found = found and _Object(found.framework, module=True)
            elif found is None or found.module:  # of a class: `.value(...)`, which gives it back
                found, base = None, link
        if any(member.name in self.names.methods for member, _ in links):
            self.last = found
        return found

    def _whole(self, value: r.Value) -> r.Value:
        return self.pieces.get(value.span, value) if isinstance(value, r.Name) and value.text == CUT else value

    def _opened(self, call: r.Call, macro: r.Macro) -> _Object | None:
        """What a call of a macro that binds gives back."""
        if call.span not in self.opened:
            self.opened[call.span] = None
            chain = binding_macros.expanded(call, macro)
            found = self._chain(chain) if isinstance(chain, r.Call) else None
            self.opened[call.span] = self.last = found or self.last
        return self.opened[call.span]

    def _base(self, base: r.Value) -> _Object | None:
        match base:
            case r.Name(text=binding_macros.BEFORE):
                return self.last
            case r.Call(callee=r.Name(text=name)) if (macro := self.macros.get(name)) is not None:
                return self._opened(base, macro)
            case r.Call(callee=r.Name(text=name), template=template, args=args):
                if spelled := self.names.class_template(f"{name}<{template}>" if template else name):
                    return self._class(base, args, *spelled)
            case r.Cast(type=type, value=value, style="functional"):
                if spelled := self.names.class_template(type):
                    return self._class(base, (value,), *spelled)
            case r.Name() | r.Member() | r.Unary():
                if found := self._variable(written(base).removeprefix("*").removeprefix("this->")):
                    return found
        match base:
            case r.Name(text=name) | r.Call(callee=r.Name(text=name)) if name.isupper() and "_" in name:
                return self.last  # a macro in the middle of a chain: what stands before it is a statement of its own
        return None

    def _variable(self, name: str) -> _Object | None:
        function = self.function
        while function >= 0:
            if found := self.variables.get(function, {}).get(name):
                return found
            function = self.file.functions[function].parent
        return None

    def _class(
        self, node: r.Node, args: tuple[r.Value, ...], framework: Framework, arguments: tuple[str, ...]
    ) -> _Object:
        """Adds the class, unless the walk has met it before."""
        if (number := self.added.get((node.start, node.end))) is not None:
            return _Object(framework, number)
        self.added[node.start, node.end] = len(self.classes)
        at = next((index for index, arg in enumerate(args[:2]) if _string(arg) is not None), min(1, len(args) - 1))
        name = (_string(args[at]) or _computed(args[at])) if args else ""
        self.classes.append(
            r.BoundClass(
                start=node.start,
                end=node.end,
                name=name,
                type=arguments[0] if arguments else "",
                arguments=arguments,
                framework=framework.name,
                parent=written(args[0]) if at == 1 else "",
                extras=tuple(_extra(arg) for arg in args[at + 1 :]),
                in_function=self.function,
            )
        )
        made = _Object(framework, len(self.classes) - 1)
        for arg in args[at + 1 :]:
            self._constructor(arg, made)
        return made

    def _constructor(self, value: r.Value, cls: _Object) -> None:
        """`class_<T>("T", init<int>())`: a constructor that the class is bound with."""
        method = next((name for name, kind in cls.framework.methods.items() if kind == "method"), "")
        if method and _shape("method", (value,), cls.framework)[1] == "init":
            member = r.Member(value.start, value.end, value, method, False, value.start)
            self.types.append("")
            self.bindings.append(
                self._binding(cls, "", member, r.Call(value.start, value.end, member, (value,), "call"))
            )

    def _link(self, found: _Object | None, base: r.Value, member: r.Member, call: r.Call) -> _Object | None:
        found = found or self._guess(base, member.name)
        if found is None or member.name not in found.framework.methods:
            return found
        if member.name_start not in self.linked:
            self.linked.add(member.name_start)
            parent = written(base) if found.owner < 0 else ""
            self.types.append(found.type)
            self.bindings.append(self._binding(found, parent, member, call))
        return found

    def _free(self, call: r.Call, callee: r.Name) -> None:
        """`def("name", callable, ...)`, which adds a function to the module that is being made."""
        space, _, method = callee.text.rpartition("::")
        framework = self.names.of(callee.text) if space else self.names.framework_with(method)
        if framework is None or framework.methods.get(method) != "method" or callee.start in self.linked:
            return
        if len(call.args) > 1 and _string(call.args[0]) is not None:
            self.linked.add(callee.start)
            member = r.Member(callee.start, callee.end, callee, method, False, callee.start)
            self.types.append("")
            self.bindings.append(self._binding(_Object(framework, module=True), "", member, call))

    def _guess(self, base: r.Value, method: str) -> _Object | None:
        """A receiver declared elsewhere: a module by its usual names, else a class that this file cannot see."""
        if (framework := self.names.framework_with(method)) is None:
            return None
        last = base.name if isinstance(base, r.Member) else written(base).rpartition("::")[2]
        return _Object(framework, module=method == "def" and bool(_MODULE_NAME.fullmatch(last)))

    def _binding(self, found: _Object, parent: str, member: r.Member, call: r.Call) -> r.BindingRecord:
        framework = found.framework
        name, kind, values = _shape(cast(Kind, framework.methods[member.name]), call.args, framework)
        if kind == "method" and found.module:
            kind = "function"
        callables = 2 if kind == "property_rw" else 1
        extras: list[r.Extra] = []
        callable = _unwrapped(values[0], framework, extras) if values else None
        setters: list[r.Extra] = []
        setter = _unwrapped(values[1], framework, setters) if callables == 2 and len(values) > 1 else None
        extras.extend(_extra(value) for value in values[callables:])
        return r.BindingRecord(
            start=member.name_start,
            end=call.end,
            name=name,
            owner=found.owner,
            kind=kind,
            method=member.name,
            framework=framework.name,
            callable=callable,
            setter=setter,
            extras=tuple(extras),
            in_function=self.function,
            parent=parent,
            setter_extras=tuple(setters),
        )


def _binding_macros(files: Sequence[r.FileRecord], words: Set[str]) -> dict[str, r.Macro]:
    """The macros with parameters whose bodies declare classes or members, by name; none that is defined in two ways,
    and none that is read as a function. `words` are the names with which that is done."""
    functions = {one.name for file in files for one in file.functions if "macro" in one.qualifiers}
    found: dict[str, set[r.Macro]] = {}
    for macro in (macro for file in files for macro in file.macros):
        found.setdefault(macro.name, set()).add(macro)
    return {
        name: next(iter(every))
        for name, every in found.items()
        if name not in functions
        and len({macro.body for macro in every}) == 1
        and all(one.parameters is not None and not words.isdisjoint(_WORD.findall(one.body)) for one in every)
    }


def _shape(kind: Kind, args: tuple[r.Value, ...], framework: Framework) -> tuple[str, Kind, tuple[r.Value, ...]]:
    """The Python name, the kind of the binding, and its arguments from the callable on."""
    match args:
        case ():
            return "", "other", ()
        case (r.Call(callee=r.Name(text=callee)), *_) if callee.rpartition("::")[2] in framework.constructors:
            return "__init__", "init", args
        case (r.Index(base=r.Call(callee=r.Name(text=callee)) as made, indexes=policies), *rest) if (
            callee.rpartition("::")[2] in framework.constructors
        ):  # `init<A&>()[policy()]`
            return "__init__", "init", (made, *policies, *rest)
        case (r.Literal(kind="str"), *_):
            return _string(args[0]) or "", kind, args[1:]
        case (r.Binary(op=op) | r.Unary(op=op), *_) if kind == "method":
            return f"operator{op}", kind, (args[0], *args[1:])
        case (r.Call(callee=r.Name(text=callee)), *_) if len(args) == 1 or kind == "other":
            return callee.rpartition("::")[2], "other", args
        case (_,):
            return "", "other", args
    return _computed(args[0]), kind, args[1:]


def _unwrapped(value: r.Value, framework: Framework, extras: list[r.Extra]) -> r.Value:
    """The callable itself; what is said around it goes to `extras`."""
    while True:
        match value:
            case r.Cast(type=type, value=inner, style=style):
                extras.append(r.Extra(value.start, value.end, style, type, written(value)))
                value = inner
            case r.Call(callee=r.Name(text=callee), args=(inner, *more)) if (
                callee.rpartition("::")[2] in framework.wrappers
            ):
                extras.append(
                    r.Extra(value.start, value.end, callee.rpartition("::")[2], value.template, written(value))
                )
                extras.extend(_extra(each) for each in more)
                value = inner
            case r.Call(callee=r.Call(callee=r.Name(text=callee)), args=(inner, *_)) if (
                callee.rpartition("::")[2] in framework.wrappers
            ):  # `overload_cast_impl<A>()(f)`
                value = inner
            case r.Binary(op="&", left=left, right=r.Name() as name):
                # `(R (C::*)())&C::f`: without types a cast to a pointer to member reads like a sum of bits.
                if isinstance(left, r.Name) and "::*" in left.text.replace(" ", ""):
                    extras.append(r.Extra(value.start, value.end, "c", left.text, f"({left.text}) &{name.text}"))
                return r.Unary(name.start - 1, name.end, "&", name)
            case _:
                return value


def _extra(value: r.Value) -> r.Extra:
    head = value
    while isinstance(head, r.Assign | r.Pair | r.Unary):
        head = head.target if isinstance(head, r.Assign) else head.key if isinstance(head, r.Pair) else head.value
    template = ""
    if isinstance(head, r.Call):
        template, head = head.template, head.callee
    name = head.name if isinstance(head, r.Member) else head.text if isinstance(head, r.Name) else ""
    return r.Extra(value.start, value.end, name.rpartition("::")[2], template, written(value))


def _computed(value: r.Value) -> str:
    """A name that the code computes, told apart from one that it says."""
    shown = written(value)
    return f"<{shown}>" if shown.isidentifier() else shown


def _string(value: r.Value) -> str | None:
    if isinstance(value, r.Literal) and value.kind == "str" and (match := _STRING.match(value.text)):
        return match["raw"] if match["raw"] is not None else match["plain"]
    return None


def _includes(framework: Framework, file: r.FileRecord) -> bool:
    folder = framework.name.replace("_", "/")
    return any(each.target.startswith((f"{folder}/", f"{folder}.", f"{framework.name}/")) for each in file.imports)


def _is_within(text: str, namespaces: tuple[str, ...]) -> bool:
    """Whether a name starts in one of these namespaces."""
    bare = _CONST.sub("", text).removeprefix("::")
    return any(bare == space or bare.startswith(f"{space}::") for space in namespaces)


_CONST = re.compile(r"\Aconst\s++")


# --- names: which framework a spelling belongs to -------------------------------------------------


class _Names:
    """Resolves spellings through the aliases of the file and of what it includes: `namespace py = pybind11`,
    `using nb::class_`."""

    def __init__(
        self, file: r.FileRecord, frameworks: tuple[Framework, ...], headers: Sequence[r.FileRecord] = ()
    ) -> None:
        aliases = [alias for one in (*headers, file) for alias in one.aliases]
        self.frameworks = frameworks
        self.methods = frozenset(method for framework in frameworks for method in framework.methods)
        self.aliases = {alias.name: alias.target for alias in aliases if alias.kind == "namespace"}
        self.types = {alias.name: alias.target for alias in aliases if alias.kind == "type"}
        self.scopes = {alias.name: alias.scope for alias in aliases if alias.kind == "type"}
        self.opened = [alias.target for alias in aliases if alias.kind == "open"]
        self.using = {alias.target.rpartition("::")[2]: alias.target for alias in aliases if alias.kind == "using"}
        self.certain = tuple(one for one in frameworks if any(self._says(one, file) for file in (*headers, file)))
        seen = [alias.target for alias in aliases if alias.kind != "namespace"]
        seen += [parameter.type for function in file.functions for parameter in function.parameters]
        self.present = self.certain or tuple(
            one for one in frameworks if any(_is_within(t, one.namespaces) for t in seen)
        )
        self.likely = self._likely(file)

    def _says(self, framework: Framework, file: r.FileRecord) -> bool:
        """Whether the file names the framework itself, and not by a name that another may have been given: in an
        include, an alias, a signature or by one of its macros."""
        if _includes(framework, file):
            return True
        if framework.macros and any(function.name.startswith(framework.macros) for function in file.functions):
            return True
        targets = [alias.target for alias in file.aliases]
        types = [parameter.type for function in file.functions for parameter in function.parameters]
        return any(_is_within(text, framework.full_names) for text in (*targets, *types))

    def _likely(self, file: r.FileRecord) -> Framework | None:
        """Where another file includes the framework and names its namespace: the one whose words are used."""
        mentions = [name for function in file.functions for name in function.mentions]
        shared = [word for framework in self.frameworks for word in (*framework.methods, *framework.constructors)]
        votes = []
        for framework in self.frameworks:
            own = {word for word in (*framework.methods, *framework.constructors) if shared.count(word) == 1}
            votes.append((sum(name in own for name in mentions), framework))
        most = max((count for count, _ in votes), default=0)
        return next((framework for count, framework in votes if count == most), None) if most else None

    def of(self, name: str) -> Framework | None:
        """The framework of a qualified name, or of an unqualified one where its namespace is open."""
        space, _, last = name.removeprefix("::").rpartition("::")
        if not space:
            if target := self.using.get(last):
                return self.of(target)
            found = [framework for target in self.opened if (framework := self._of_space(target))]
            return found[0] if found else None
        return self._of_space(space)

    def _of_space(self, space: str) -> Framework | None:
        space = space.removeprefix("::")
        head, separator, rest = space.partition("::")
        named, seen = head, set[str]()
        while named in self.aliases and named not in seen:
            seen.add(named)
            named = self.aliases[named].removeprefix("::")
        space = named + separator + rest
        found = next((framework for framework in self.frameworks if space in framework.namespaces), None)
        if found is None or seen or space in found.full_names or found in self.certain:
            return found
        # A usual abbreviation, which no alias in sight explains: of the framework that the file names otherwise.
        akin = [one for one in self.certain or (self.likely,) if one and not set(one.classes).isdisjoint(found.classes)]
        return akin[0] if len(akin) == 1 else found

    def visible(self, type: str, function: r.FunctionRecord) -> bool:
        """Whether an alias of that name is known where the function stands: not one inside another class."""
        scope = self.scopes.get(type.replace("const ", "").strip("&* "), "")
        return not scope or f"{function.scope}::".startswith(f"{scope}::")

    def class_template(self, type: str) -> tuple[Framework, tuple[str, ...]] | None:
        """The framework and the template arguments of `py::class_<T, ...>`, also through a type alias."""
        bare = type.replace("const ", "").replace("typename ", "").strip("&* ")
        head, _, rest = bare.partition("<")
        head = head.strip()
        if (target := self.types.get(head)) and target != type:
            given = _arguments(rest)
            return self.class_template(_filled(target, given) if given else target) if "<" in target else None
        last = head.rpartition("::")[2]
        for framework in self.frameworks:
            if last not in framework.classes:
                continue
            if self.of(head) in (framework, None if "::" not in head and framework in self.present else framework):
                return framework, _arguments(rest)
        return None

    def framework_with(self, method: str) -> Framework | None:
        order = (*((self.likely,) if self.likely else ()), *self.present)
        return next((framework for framework in order if method in framework.methods), None)


def _filled(target: str, given: tuple[str, ...]) -> str:
    """What an alias template stands for: `class_<T, Held<T>>` with `Doc` is `class_<Doc, Held<Doc>>`. An alias keeps no
    list of its parameters: they are taken to be used first in the order in which they are declared."""
    head, _, rest = target.partition("<")
    values, words = list(given), dict[str, str]()
    for argument in _arguments(rest):
        bare = argument.removesuffix("...").strip()
        if bare.isidentifier() and bare not in words and (values or bare != argument):
            words[bare] = ", ".join(values) if bare != argument else values.pop(0)
    filled = _WORDS.sub(lambda found: words.get(found[1], found[0]), rest)
    return f"{head}<{filled}"


def _arguments(rest: str) -> tuple[str, ...]:
    """The template arguments before the last `>`."""
    given = (one.strip() for one in binding_macros.between_commas(rest.rpartition(">")[0]))
    return tuple(one for one in given if one)


_WORDS = re.compile(r"(?<![\w:])(\w++)(?!::)(?:\.\.\.)?")


def _ordered(nodes: tuple[object, ...]) -> Iterator[r.Node]:
    """Every node below, outer before inner, in the order of the source; no recursion, since chains are deep."""
    pending: list[object] = list(reversed(nodes))
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            pending.extend(reversed(node))
        elif isinstance(node, r.Node):
            yield node
            pending.extend(getattr(node, field) for field in reversed(type(node).__struct_fields__))
