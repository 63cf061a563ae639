"""Function templates that bind: `template <class T> void bind(py::module_& m) { py::class_<T>(m, "Cursor")... }`.

What such a template says of `T` is said of every type that it is called with, so that each `bind<Cursor>(m)` of the
project makes a copy of it: the function, the lambdas in it, and what they bind. The first copy takes the place of the
template. Followed are explicit arguments, and those deduced from a class object: `def_sequence(cursor)` of a
`template <class T, class... O> void def_sequence(py::class_<T, O...>& cls)`, or of a `template <class C> .. (C& cls)`.
Any other type that is deduced stays the parameter it is. A macro that is read as such a template is given texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from ownlint.facts import records as r
from ownlint.facts.binding_macros import given as given_to_macro
from ownlint.facts.show import text as as_written
from ownlint.flow.bodies import statements, values
from ownlint.flow.places import calls_in, last_name, strip
from ownlint.project import types

_MOST = 32
"""Types with which one template is read; a project that binds more has no new shape in the next."""
_PARAMETER = re.compile(r"^(?:typename|class)\b(?!\s*\.\.\.)\s*(\w+)|^[\w:\s]*?\b(\w+)\s*(?:=|$)")
_SHOWN = re.compile(r"#(\w+)")
_Bound = TypeVar("_Bound", r.BoundClass, r.BindingRecord)
_CANONICAL = "type-parameter-"
"""How clang calls a parameter where it has no name: `type-parameter-0-0`."""
_COMPUTED = re.compile(r"<?(\w+)(?:>|\.(?:c_str|data)\(\))")


class Template(NamedTuple):
    file: r.FileRecord
    at: int
    """Of the function in its file: its index."""
    names: tuple[str, ...]
    """Of its parameters, in order."""

    @property
    def record(self) -> r.FunctionRecord:
        return self.file.functions[self.at]


class Instance(NamedTuple):
    words: tuple[tuple[str, str], ...]
    """What each template parameter stands for."""
    texts: tuple[tuple[str, str], ...]
    """What a plain parameter is given, where that is a text: the name of a class is told so."""
    classes: tuple[tuple[str, int], ...] = ()
    """The bound class of the template's own file that a parameter is given."""


Repeats = dict[str, tuple[r.Span, ...]]
"""By file: the templates that are read with several types, so that one place can be guilty several times."""


def instantiated(files: Iterable[r.FileRecord]) -> tuple[list[r.FileRecord], Repeats]:
    """The files, with a copy of each template that binds for each type that it is called with."""
    all_files = list(files)
    templates = {file.path: found for file in all_files if (found := _templates(file))}
    if not templates:
        return all_files, {}
    own = {path: {one.record.name for one in many} for path, many in templates.items()}
    calls = list(_calls(all_files, {name for names in own.values() for name in names}))
    repeats: Repeats = {}
    out = []
    for file in all_files:
        for template in templates.get(file.path, ()):
            name = template.record.name
            meant = (one for one in calls if one.file is template.file or name not in own.get(one.file.path, ()))
            instances = _instances(template, meant)
            if instances:
                file = _Copies(file, template.at).made(instances)
            if len(instances) > 1:
                repeats[file.path] = (*repeats.get(file.path, ()), template.record.span)
        out.append(file)
    return out, repeats


def _templates(file: r.FileRecord) -> list[Template]:
    if file.language != "cpp" or not (file.bindings or file.bound_classes):
        return []
    found: dict[int, Template] = {}
    makers = {cls.in_function for cls in file.bound_classes} | {binding.in_function for binding in file.bindings}
    for index in sorted(makers - {-1}):
        outer = index
        while file.functions[outer].parent >= 0:
            outer = file.functions[outer].parent
        record = file.functions[outer]
        if record.kind == "function" and record.template:
            found[outer] = Template(file, outer, tuple(_names(record.template)))
    return list(found.values())


def _names(written: str) -> Iterator[str]:
    """`typename T, int N = 3` -> `T`, `N`; of a pack, and of what follows it, nothing."""
    for part in types.arguments_of(written):
        if "..." in part:
            return
        match = _PARAMETER.match(part.strip())
        yield (match[1] or match[2] or "") if match else ""


class _TemplateCall(NamedTuple):
    """A call of one of these templates."""

    file: r.FileRecord
    around: int
    """The function that it stands in: its index in the file."""
    call: r.Call

    @property
    def function(self) -> r.FunctionRecord:
        return self.file.functions[self.around]


def _calls(files: Iterable[r.FileRecord], wanted: set[str]) -> Iterator[_TemplateCall]:
    """Where one of these templates is called, in order."""
    for file in files:
        if file.language != "cpp":
            continue
        for index, record in enumerate(file.functions):
            if wanted.isdisjoint(record.mentions):
                continue
            said = (value for statement in statements(r.decode_body(record)) for value in values(statement))
            for call in (call for value in said for call in calls_in(value)):
                if last_name(call.callee) in wanted:
                    yield _TemplateCall(file, index, call)


def _instances(template: Template, calls: Iterable[_TemplateCall]) -> list[Instance]:
    found: dict[Instance, None] = {}
    for asked in calls:
        call = asked.call
        if last_name(call.callee) != template.record.name:
            continue
        if "macro" in template.record.qualifiers:
            if (instance := _of_macro(template, asked)) is not None:
                found.setdefault(instance)
            continue
        if len(call.args) > len(template.record.parameters):
            continue
        given = types.arguments_of(call.template) if call.template else ()
        if len(given) > len(template.names):
            continue
        words = {name: said for name, said in zip(template.names, given, strict=False) if name}
        classes = []
        for parameter, argument in zip(template.record.parameters, call.args, strict=False):
            if (index := _bound_class(asked, argument)) >= 0:
                bound = asked.file.bound_classes[index]
                words = {**dict(_deduced(template, parameter.type, bound)), **words}
                classes += [(parameter.name, index)] if asked.file is template.file else []
        if not words or _is_dependent(asked.file, asked.function, words.values()):
            continue
        texts = tuple(
            (parameter.name, said.text.strip('"'))
            for parameter, said in zip(template.record.parameters, call.args, strict=False)
            if isinstance(said, r.Literal) and said.kind == "str"
        )
        found.setdefault(Instance(tuple(words.items()), texts, tuple(classes)))
    return list(found)[:_MOST]


def _of_macro(template: Template, asked: _TemplateCall) -> Instance | None:
    """What a call of a macro gives for each parameter, and which class a name of its body is where it is called."""
    texts = [as_written(said, 200).strip() for said in given_to_macro(asked.call)]
    if len(texts) != len(template.names) or _is_dependent(asked.file, asked.function, texts):
        return None
    words = tuple(zip(template.names, texts, strict=True))
    classes = tuple(
        (bound.variable, index)
        for index, bound in enumerate(asked.file.bound_classes)
        if bound.variable and bound.in_function == asked.around and asked.file is template.file
    )
    return Instance(words, words, classes)


def _bound_class(asked: _TemplateCall, argument: r.Value) -> int:
    """The bound class whose object an argument is: a variable, or the chain of calls that makes it; -1 for others."""
    inner = strip(argument)
    if isinstance(inner, r.Unary) and inner.op in ("*", "&"):
        inner = strip(inner.value)
    for index, bound in enumerate(asked.file.bound_classes):
        if isinstance(inner, r.Name) and bound.variable == inner.text and bound.in_function == asked.around:
            return index
        if isinstance(inner, r.Call) and inner.start <= bound.start and bound.end <= inner.end:
            return index
    return -1


def _deduced(template: Template, written: str, bound: r.BoundClass) -> Iterator[tuple[str, str]]:
    """What the parameters of a template stand for where a parameter of the function is given a class object."""
    kind = types.parse(written)
    if kind.name in template.names:
        yield kind.name, f"class_<{', '.join(bound.arguments)}>"
    for name, said in zip(kind.arguments, bound.arguments, strict=False):
        if name in template.names:
            yield name, said


def _is_dependent(file: r.FileRecord, around: r.FunctionRecord, given: Iterable[str]) -> bool:
    """Whether an argument is itself a parameter of the template around the call."""
    words = {word for said in given for word in re.findall(r"\w+", said)}
    while True:
        if around.template and not words.isdisjoint(_names(around.template)):
            return True
        if around.parent < 0:
            return False
        around = file.functions[around.parent]


class _Copies:
    """Copies of one function of a file, with all that stands in it."""

    def __init__(self, file: r.FileRecord, index: int) -> None:
        self.file = file
        self.inside = [at for at in range(len(file.functions)) if self._stands_in(at, index)]

    def _stands_in(self, at: int, index: int) -> bool:
        while at >= 0 and at != index:
            at = self.file.functions[at].parent
        return at == index

    def made(self, instances: Sequence[Instance]) -> r.FileRecord:
        functions = list(self.file.functions)
        classes, bindings = list(self.file.bound_classes), list(self.file.bindings)
        for number, instance in enumerate(instances):
            moved = {at: at if number == 0 else len(functions) + order for order, at in enumerate(self.inside)}
            copy = _Copy(dict(instance.words), moved, dict(instance.classes))
            copied = [copy.function(self.file.functions[at]) for at in self.inside]
            own = [at for at, record in enumerate(self.file.bound_classes) if record.in_function in moved]
            owners = {at: at if number == 0 else len(classes) + order for order, at in enumerate(own)}
            given = dict(instance.texts)
            bound = [_named(copy.of(self.file.bound_classes[at]), given) for at in own]
            said = {
                at: _named(copy.binding(record, owners), given)
                for at, record in enumerate(self.file.bindings)
                if record.in_function in moved
            }
            if number == 0:
                for at, function in zip(self.inside, copied, strict=True):
                    functions[at] = function
                for at, cls in zip(own, bound, strict=True):
                    classes[at] = cls
                for at, binding in said.items():
                    bindings[at] = binding
            else:
                functions += copied
                classes += bound
                bindings += said.values()
        return replace(
            self.file,
            functions=tuple(functions),
            bound_classes=tuple(classes),
            bindings=tuple(bindings),
            meanings=tuple(one for one in self.file.meanings if not self._is_of_parameter(one, instances[0])),
        )

    def _is_of_parameter(self, meaning: r.Meaning, instance: Instance) -> bool:
        """A compiler reads the template alone: what it says of `T` is said of no type."""
        inside = meaning.start in self.file.functions[self.inside[0]].span
        shown = f"{meaning.type} {meaning.symbol} {meaning.owner}" if inside else ""
        words = set(re.findall(r"\w+", shown))
        is_open = _CANONICAL in shown or types.parse(meaning.type).is_placeholder
        return inside and (is_open or not words.isdisjoint(name for name, _ in instance.words))


def _named(record: _Bound, given: Mapping[str, str]) -> _Bound:
    """The Python name, where the call says it: `bind<Cursor>(m, "Cursor")`; `"Cursor" #T` of a macro is `Cursor#T`."""
    if "#" in record.name:
        return replace(record, name=_SHOWN.sub(lambda match: given.get(match[1], match[0]), record.name))
    match = _COMPUTED.fullmatch(record.name)
    said = given.get(match[1]) if match else None
    return record if said is None else replace(record, name=said)


_STRING_OR_NAME = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*(?:"|\\?\Z)|(?<![\w:])\w++')


class _Copy:
    """Writes one type for each parameter, and new numbers for the functions that are copied along."""

    def __init__(self, words: Mapping[str, str], moved: Mapping[int, int], classes: Mapping[str, int]) -> None:
        self.words = words
        self.moved = moved
        self.classes = classes
        self.members = [
            (f"{before}{said}::{name}", types.parse(said).arguments[0])
            for said in words.values()
            if said.startswith("class_<")
            for name in ("type", "Type")
            for before in ("typename ", "")
        ]

    def function(self, record: r.FunctionRecord) -> r.FunctionRecord:
        body = r.encode_body(self._inside(r.decode_body(record)))
        parent = self.moved.get(record.parent, record.parent)
        copied: r.FunctionRecord = self._inside(replace(record, body=msgspec.Raw(b"[]"), template=""))
        return replace(copied, body=body, parent=parent)

    def of(self, record: r.BoundClass) -> r.BoundClass:
        copied: r.BoundClass = self._inside(record)
        return replace(copied, name=record.name, in_function=self.moved[record.in_function])

    def binding(self, record: r.BindingRecord, owners: Mapping[int, int]) -> r.BindingRecord:
        copied: r.BindingRecord = self._inside(record)
        owner = owners.get(record.owner, record.owner)
        if owner < 0:
            owner = self.classes.get(record.parent, owner)
        return replace(copied, name=record.name, in_function=self.moved[record.in_function], owner=owner)

    def _text(self, said: str) -> str:
        filled = _STRING_OR_NAME.sub(lambda match: self.words.get(match[0], match[0]), said)
        for member, held in self.members:
            filled = filled.replace(member, held)
        return filled

    def _inside(self, said: Any) -> Any:
        match said:
            case str():
                return self._text(said)
            case tuple():
                return tuple(map(self._inside, said))
            case r.Literal(kind="str" | "char"):
                return said
            case r.Lambda(function=index):
                return replace(said, function=self.moved.get(index, index))
            case msgspec.Struct():
                names = said.__struct_fields__
                return replace(said, **{name: self._inside(getattr(said, name)) for name in names})
        return said
