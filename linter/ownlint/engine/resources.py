"""Raw handles: which calls hand one out, which take it back, which take it over.

The one place that answers for a project, whoever knows it: a model's `acquire`, `release` and `adopt`, the language's
`new` and `delete`, pairs that the project's own declarations show (see `pairs`), and the bodies of its own functions
(see `duties`). A getter's handle is borrowed, not acquired, unless its body is seen to make it each time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from ownlint import patterns
from ownlint.engine import overrides
from ownlint.engine.copying import is_copying
from ownlint.engine.duties import OWNING as OWNING
from ownlint.engine.duties import Duties, Duty
from ownlint.engine.used_pairs import UsedPair, declared_as, shown_pairs, used_pairs
from ownlint.facts import records as r
from ownlint.finding import CERTAINTIES, Certainty, because, weaker
from ownlint.flow import events as e
from ownlint.flow.bodies import bound_names
from ownlint.flow.places import THIS, around, last_name, receiver, strip, walk
from ownlint.models import formats, habits
from ownlint.models.records import FunctionModel, Place, Verb
from ownlint.project import types
from ownlint.project.callees import Callee
from ownlint.project.files import File
from ownlint.project.pairs import Pairs, releases_nothing, releasing_verb, words
from ownlint.project.program import Program
from ownlint.project.qualified import last
from ownlint.project.questions import Answers, Note, derived, program_property, program_question, read
from ownlint.project.subjects import Class, Function

RESULT = Place("result")

Taking = Literal["released", "adopted", "kept", "borrowed", "unknown"]
"""What a call does with an argument. `kept`: it is put somewhere that lives on, and nobody says who ends it;
`unknown`: nobody here sees what the callee does."""

_MOST_BEARERS = 3
"""Of a name that many functions bear, such as `Read`, one in so many has to have room for a handle to be looked at."""

_LOOKING = frozenset({"return on failure", "assign or return", "check", "assert", "log", "debug log"})
"""Roles of the macros that only look at what they are given."""

_ELEMENTS = frozenset({"begin", "front", "back", "top", "at", "data", "get", "value"})
"""Methods that lead to what a container, or an owner, has."""

_NEW = re.compile(rb'"new"')
_VOID = re.compile(rb"\bvoid ?\*")
_DELETES_THIS = re.compile(rb'"this"\]\],"delete"')


class Acquisition(NamedTuple):
    """A call hands out an owned raw handle: in its result, or in what an argument points to."""

    where: Place
    releases: tuple[str, ...]
    """Names of the functions that end the duty, as models or declarations write them; `delete` of a `new`. Empty when
    nobody says how."""
    why: str
    """How that is known, as a person reads it."""
    certainty: Certainty
    is_modelled: bool = False
    """A model says so of the very function."""
    may_be_of_arena: bool = False
    """It comes from an interface, and what is called may be an arena, which ends all at once."""
    is_counted: bool = False
    """The call counts one reference more to what its argument is already."""


class Ended(NamedTuple):
    """A call ends the duty of one of its places."""

    where: Place
    certainty: Certainty


class MemberEnd(NamedTuple):
    """A member's handle is ended by a `call` of a `function`."""

    certainty: Certainty
    function: Function
    call: e.CallEvent


class Raw(NamedTuple):
    """A type that owns nothing of what it stands for."""

    written: str
    kind: Literal["modelled", "pointer", "derived"]


def argument_at(call: r.Call, place: Place) -> r.Value | None:
    return call.args[place.index] if 0 <= place.index < len(call.args) else None


def argument(index: int) -> Place:
    """What argument `index` (from 0) points to."""
    return Place("argument", index + 1)


class Resources:
    """The raw handles of one program; see `resources`."""

    NOTED = ("_acquisitions",)

    def __init__(self, program: Program) -> None:
        self.program = program
        self.pairs = Pairs(program)
        self.duties = Duties(self)
        self._acquisitions: dict[int, tuple[r.Call, Acquisition | None, Note]] = {}
        self._members_ended: Answers[Function, dict[str, MemberEnd]] = Answers()

    # --- what a call hands out ---

    def may_acquire(self, function: Function) -> bool:
        """False when nothing in the body hands out a handle; needs no decoding."""
        return function.says(_NEW) or not self.acquiring_names.isdisjoint(function.mentioned)

    def may_end_itself(self, function: Function) -> bool:
        """Whether the function is a method of a class that deletes its own objects (`delete this`)."""
        return function.home is not None and any(cls.name in self._ends_itself for cls in function.home.ancestry)

    def may_end_receiver(self, callee: Callee) -> bool:
        """Whether a method that a class derived from the receiver's gives a body deletes its object."""
        return callee.owner is not None and (callee.owner.name, last(callee.symbol)) in self._ended_by_method

    def deleting_this(self, cls: Class) -> Iterator[Function]:
        """The methods of a class and of its bases that delete their own object."""
        return (method for method in self._deleting_this if method.home in cls.ancestry)

    @program_property
    def _ends_itself(self) -> frozenset[str]:
        """Last names of the classes with such a method."""
        return frozenset(method.home.name for method in self._deleting_this if method.home is not None)

    @program_property
    def _ended_by_method(self) -> frozenset[tuple[str, str]]:
        """The last names of these classes and of their bases, each with that of the method."""
        around = ((method, method.home) for method in self._deleting_this)
        return frozenset((cls.name, method.name) for method, home in around if home for cls in home.ancestry)

    @program_property
    def _deleting_this(self) -> list[Function]:
        return [
            function
            for function in self.program.calling({"delete"})
            if function.home is not None and function.says(_DELETES_THIS)
        ]

    @program_property
    def declared_names(self) -> frozenset[str]:
        """Last names of what hands out an owned handle without a look at its body: by models, by pairs, by use."""
        modelled = {name for name in self.mentioned if self._is_modelled(name, "acquire")}
        return self.pairs.names | modelled | self.used.keys() | self._made_by_macro.keys()

    @program_property
    def _made_by_macro(self) -> dict[str, FunctionModel]:
        """By the last name of a macro of the project that is nothing but the call of a library's function for something
        owned, the model of that: `#define NEW(type) (type *)calloc(1, sizeof(type))`. References are counted
        elsewhere."""
        macros, found = self.program.macros, dict[str, FunctionModel]()
        for name in sorted(self.mentioned):
            called = macros.answering(name) if macros.named(name) else ""
            if called in ("", name) or macros.named(called):
                continue
            model = next(iter(self.program.models.function(called, "cpp", ())), None)
            if model is not None and not model.counted and model.has("acquire", "result"):
                found[name] = model
        return found

    @program_property
    def acquiring_names(self) -> frozenset[str]:
        """Last names of all that may hand out an owned handle, the project's own functions included."""
        names = set(self.declared_names)
        makers = [f for f in self.program.functions if f.language == "cpp" and self._may_hand_out(f.record)]
        bearing, making = Counter(f.name for f in self.program.functions), Counter(f.name for f in makers)
        makers = [f for f in makers if making[f.name] * _MOST_BEARERS >= bearing[f.name]]
        using: dict[str, list[str]] = {}
        for maker in makers:
            for name in maker.mentioned:
                using.setdefault(name, []).append(maker.name)
        waiting = [*names, *(f.name for f in makers if f.name not in names and f.says(_NEW))]
        for name in waiting:  # each once, however long the chain in which they hand it on
            names.add(name)
            waiting += {maker for maker in using.pop(name, ()) if maker not in names}
        return frozenset(names)

    @program_property
    def filling_names(self) -> frozenset[str]:
        """Of these, the names of those that may write the handle through an argument."""
        fillers = {name for name, many in self.pairs.acquirers.items() if any(one.argument >= 0 for one in many)}
        own = {f.name for f in self.program.functions if _fills(f.record)} & self.acquiring_names
        modelled = {name for name in self.mentioned if "acquire" in self.program.models.verbs(name, "argument")}
        used = {name for name, one in self.used.items() if one.argument >= 0}
        return frozenset(fillers | own | modelled | used)

    def _may_hand_out(self, record: r.FunctionRecord) -> bool:
        """Whether the declaration has room for an owned handle: in its result, or behind a pointer to write through."""
        if record.kind not in ("function", "method") or record.name.startswith("operator"):
            return False
        kind = types.parse(record.result)
        if "*" in record.result or kind.last in self.handle_names:
            return True
        if any(types.parse(argument).last in self.handle_names for argument in kind.arguments):
            return True
        return _fills(record)

    @program_property
    def handle_names(self) -> frozenset[str]:
        """Last names of the types that are known to be handles."""
        paired = {one.handle for many in self.pairs.acquirers.values() for one in many}
        values = {handle.name for handle in paired if not handle.pointers and not handle.is_generic}
        return self.program.models.names_of("handle") | values

    @program_property
    def mentioned(self) -> frozenset[str]:
        """Last names of all that the project's C++ functions call."""
        return self.program.index.mentioned("cpp")

    def _is_modelled(self, last: str, verb: Verb) -> bool:
        """Whether a library's function of that last name has such an effect."""
        return verb in self.program.models.verbs(last)

    def acquisition(self, call: r.Call, function: Function) -> Acquisition | None:
        """What the call hands out, if it is an owned raw handle."""
        if call.kind != "new" and (call.kind != "call" or last_name(call.callee) not in self.acquiring_names):
            return None
        known = self._acquisitions.get(id(call))
        if known is not None and known[0] is call:
            read(known[2])
            return known[1]
        found, note = derived(lambda: self._acquisition(call, function))
        if self.duties.is_settling:  # a callee may turn out to hand out more
            return found
        if len(self._acquisitions) > 4096:
            self._acquisitions.clear()
        self._acquisitions[id(call)] = call, found, note
        return found

    def _acquisition(self, call: r.Call, function: Function) -> Acquisition | None:
        if call.kind == "new":
            return Acquisition(RESULT, ("delete",), "new", "certain")
        declared = self.declared_acquisition(call, function)
        if declared is not None and (declared.is_modelled or declared.certainty == "certain"):
            return declared
        by_body = self._by_body(overrides.reached(call, function), function)
        if declared is None or by_body is None or by_body.where != declared.where:
            return declared or by_body
        # Names alone say what releases it; that it is handed out, the body shows.
        sure = min(declared.certainty, by_body.certainty, key=CERTAINTIES.index)
        return declared._replace(certainty=sure)

    def declared_acquisition(self, call: r.Call, function: Function) -> Acquisition | None:
        """The same as far as declarations and models say it: bodies are not asked."""
        if call.kind != "call" or last_name(call.callee) not in self.acquiring_names:
            return None
        callee = self.program.calls.callee(call, function)
        by_model, by_pair = self._by_model(call, callee) or self._by_macro(call, callee), self._by_pair(callee)
        if by_model is not None and (by_pair is None or by_model.certainty == "certain"):
            return by_model  # of a name alone the project's own declarations say more
        return by_pair or self._by_use(call, callee)

    def _by_model(self, call: r.Call, callee: Callee) -> Acquisition | None:
        for model in callee.models:
            for effect in model.effects:
                if effect.verb == "acquire" and effect.place is not None:
                    why = f"{model.library}'s model"
                    in_arena = isinstance(call.callee, r.Member) and model.library in self._arena_libraries
                    counted = any(one.verb == "retain" and one.place == effect.place for one in model.effects)
                    return Acquisition(effect.place, model.released_by, why, model.certainty, True, in_arena, counted)
        return None

    def _by_macro(self, call: r.Call, callee: Callee) -> Acquisition | None:
        if callee.models or callee.records or not isinstance(call.callee, r.Name):
            return None
        model = self._made_by_macro.get(call.callee.text)
        if model is None:
            return None
        return Acquisition(RESULT, model.released_by, f"a macro for `{last(model.name)}`", model.certainty, True)

    def _by_pair(self, callee: Callee) -> Acquisition | None:
        found = [self.pairs.acquirer(record) for record in callee.records]
        if not found or found[0] is None or any(one is None or one.argument != found[0].argument for one in found):
            return None
        one = found[0]
        if one.argument < 0 and callee.all_defined and all(_takes_nothing(target) for target in callee.functions):
            return None
        where = RESULT if one.argument < 0 else Place("argument", one.argument + 1)
        in_arena = self.is_idle(one.record)
        by_names = one.certainty
        if not one.handle.is_number and (shown := self.shown.get(declared_as(one.record))) is not None:
            release, user = shown
            by_names = because(
                "convention", f"that `{release}` releases what `{one.record.name}` returns is shown by `{user}` alone"
            )
        certainty = weaker(by_names, callee.certainty)
        return Acquisition(where, one.releases, one.why, certainty, may_be_of_arena=in_arena)

    def _by_use(self, call: r.Call, callee: Callee) -> Acquisition | None:
        """Of a library that the project does not declare."""
        name = last_name(call.callee)
        used = self.used.get(name)
        if used is None or callee.records or callee.models or not isinstance(call.callee, r.Name):
            return None
        where = RESULT if used.argument < 0 else Place("argument", used.argument + 1)
        ended = used.releases[0]
        said = because("name", f"that `{ended}` releases what `{name}` returns is inferred from `{used.where}`")
        return Acquisition(where, used.releases, f"`{used.where}` releases it with `{ended}`", said)

    @program_property
    def used(self) -> dict[str, UsedPair]:
        return used_pairs(self.program)

    @program_property
    def shown(self) -> dict[str, tuple[str, str]]:
        """The declared pairs that the code of the project uses as such, see `used_pairs.shown_pairs`: by what hands
        something out what ends it, and the class or function that shows it."""
        return shown_pairs(self.program, self.pairs)

    def is_idle(self, record: r.FunctionRecord) -> bool:
        """Whether it is a method of an interface that has an arena below it, whose releases do nothing."""
        return record.owner.rpartition("::")[2] in self._idle_releasers

    @program_property
    def _idle_releasers(self) -> frozenset[str]:
        """Last names of the classes, and their bases, of which a method that is named after a release does nothing."""
        return frozenset(
            cls.name
            for function in self.program.functions
            if function.home is not None and function.name in self.pairs.releasing_names and not function.body
            for cls in function.home.ancestry
        )

    @program_property
    def _arena_libraries(self) -> frozenset[str]:
        """The libraries of whose arenas the project has a member or a local: an interface of theirs may be one."""
        fields = {types.parse(field.type).last for cls in self.program.classes for field in cls.record.fields}
        by_library = self.program.models.names_by_library("arena")
        every = patterns.strings(sorted(frozenset[str]().union(*by_library.values())))
        naming = list(self.program.saying(every))

        def is_named(names: frozenset[str]) -> bool:
            words = patterns.strings(sorted(names))
            return not fields.isdisjoint(names) or any(function.says(words) for function in naming)

        return frozenset(library for library, names in by_library.items() if is_named(names))

    def _by_body(self, callee: Callee, function: Function) -> Acquisition | None:
        if not callee.all_defined:
            return None
        made = [self.duties.of(target) for target in callee.functions]
        if all(duty.made is not None for duty in made):
            first = made[0].made
            assert first is not None
            certainty = weaker(callee.certainty, *(duty.made.certainty for duty in made if duty.made is not None))
            why = f"created by `{callee.functions[0].name}`"
            return Acquisition(RESULT, first.releases, why, certainty, may_be_of_arena=first.may_be_of_arena)
        outs = frozenset.intersection(*(frozenset(dict(duty.outs)) for duty in made))
        if outs:
            index = min(outs)
            inner = dict(made[0].outs)[index]
            why = f"created by `{callee.functions[0].name}`"
            certainty = weaker(inner.certainty, callee.certainty)
            where = Place("argument", index + 1)
            in_arena, counted = inner.may_be_of_arena, inner.is_counted
            return Acquisition(where, inner.releases, why, certainty, may_be_of_arena=in_arena, is_counted=counted)
        return None

    # --- what a call takes back or over ---

    @program_property
    def releasing_names(self) -> frozenset[str]:
        """Last names of the library functions and the declared ones that end a duty."""
        modelled = (name for name in self.mentioned if self._is_modelled(name, "release"))
        return self.pairs.releasing_names.union(self.used_releasers, modelled)

    @program_property
    def used_releasers(self) -> frozenset[str]:
        """Last names of the functions that are not declared and that end what others hand out, see `used_pairs`."""
        named = {name for one in self.used.values() for name in one.releases}
        return frozenset(name for name in named if not self.program.models.verbs(name))

    def released(self, call: r.Call, function: Function) -> tuple[Ended, ...]:
        """The places of the call whose duty ends with it: its receiver, its arguments."""
        if call.kind == "delete":
            return (Ended(Place("argument", 1), "certain"),)
        if call.kind in ("construct", "new"):
            return ()
        name = last_name(call.callee)
        if name in self.program.models.unlocking:
            return ()
        callee = overrides.reached(call, function)
        found = [
            Ended(effect.place, model.certainty)
            for model in callee.models
            for effect in model.effects
            if effect.verb == "release" and effect.place is not None and effect.place.kind in ("receiver", "argument")
        ]
        if found:
            return tuple(found)
        pairs = [one for record in callee.records if (one := self.pairs.releaser(record)) is not None]
        if pairs:
            return (Ended(Place("argument", pairs[0].argument + 1), callee.certainty),)
        if callee.functions:
            return tuple(
                Ended(Place("argument", index + 1) if index >= 0 else Place("receiver"), callee.certainty)
                for index in sorted({i for target in callee.functions for i in self.duties.of(target).released})
            )
        return self._by_name(call, name, callee)

    def _by_name(self, call: r.Call, name: str, callee: Callee) -> tuple[Ended, ...]:
        """Nobody sees what the callee does. That it releases is said by its name, or by the macro that it is."""
        where = [Place("argument", number) for number in range(1, len(call.args) + 1)]
        why = f"that `{name}` releases it is inferred from its name"
        named = because("name", why)
        by_macro = self._released_by_macro(name)
        if by_macro:
            return tuple(Ended(place, named) for place in where if place.index in by_macro)
        if name in self.releasing_names and not callee.records:
            return tuple(Ended(place, named) for place in where)
        if releasing_verb(name):
            if isinstance(call.callee, r.Member):
                where.append(Place("receiver"))
            return tuple(Ended(place, because("possible", why)) for place in where)
        return ()

    def _released_by_macro(self, name: str) -> frozenset[int]:
        if name not in self._macros:
            self._macros[name] = frozenset(
                index
                for macro in self.program.macros.named(name)
                for index, parameter in enumerate(macro.parameters or ())
                if any(parameter in _PART.split(deleted) for deleted in _DELETED.findall(macro.body))
                or any(
                    releasing_verb(called) and called != name
                    for called, given in _GIVEN.findall(macro.body)
                    if parameter in _PART.split(given)
                )
            )
        return self._macros[name]

    @program_property
    def _macros(self) -> dict[str, frozenset[int]]:
        return {}

    def taking(self, call: r.Call, function: Function, index: int) -> Taking:
        """What becomes of the handle that is given as argument `index` (from 0)."""
        ended = self.released(call, function)
        if any(one.where.index == index and one.where.kind == "argument" for one in ended):
            return "released"
        return self.taken(call, function, index)

    def taken(self, call: r.Call, function: Function, index: int) -> Taking:
        """The same of a handle that the call is known not to release."""
        if call.kind in ("construct", "new"):
            return self._taken_by_constructor(call, function, index)
        name = last_name(call.callee)
        if isinstance(call.callee, r.Member):
            written = self.program.types.of(call.callee.base, function)
            if (by_receiver := self._taken_by_receiver(name, written, function)) is not None:
                return by_receiver
        if self.program.macros.role(name) in _LOOKING and not self.program.macros.calls_given(name):
            return "borrowed"
        if isinstance(call.callee, r.Name):  # `std::unique_ptr<T>(p)` is spelled like a call
            roles = self.program.types.roles(call.callee.text, function)
            if not OWNING.isdisjoint(roles):
                return "adopted"
            if is_copying(call.callee.text, function):
                return "borrowed"
            made = self.program.names.find_class(call.callee.text, function.record.scope, function.file)
            if made is not None:
                return self.taken_by_class(made, index)
        callee = overrides.reached(call, function)
        for model in callee.models:
            letters = formats.format_letters(call, model) if model.format_steals else None
            if letters is not None and letters.get(index, "?") in model.format_steals:
                return "adopted"
            for effect in model.effects:
                if effect.place is None or effect.place.index != index:
                    continue
                if effect.verb == "adopt":
                    return "adopted"
                if effect.verb in ("keep", "insert", "overwrite"):
                    return "kept"
        if callee.models:
            return "unknown" if self._has_other_function(call, callee, function, index) else "borrowed"
        if not callee.records and isinstance(call.callee, r.Name) and name.startswith(self.program.models.prefixes):
            return "borrowed"
        return self._taken_by_body(callee, index)

    def _has_other_function(self, call: r.Call, callee: Callee, function: Function, index: int) -> bool:
        """Whether a library's function is given one that it does not call at once, and that may so get the argument
        later and end it: `PyCapsule_New(p, name, destroy)`."""
        return any(
            at != index
            and self._is_function(argument, function)
            and not any(model.has("call", f"argument {at + 1}") for model in callee.models)
            and self._may_end_something(argument, function)
            for at, argument in enumerate(call.args)
        )

    def _may_end_something(self, value: r.Value, function: Function) -> bool:
        """Whether a function that is given to somebody releases anything; one that nobody sees may do so."""
        inner = _function_in(value, function)
        if isinstance(inner, r.Lambda):
            body = self.program.index.function_at(function.file, inner.function)
            bodies: Sequence[Function] = () if body is None else (body,)
        else:
            bodies = self.program.index.functions_called(last_name(inner)) if inner is not None else ()
        duties = (self.duties.of(body) for body in bodies)
        return (
            not bodies
            or any(duty.released or duty.adopted for duty in duties)
            or any(self.released(event.node, body) for body in bodies for event in body.flow.calls)
        )

    def keeps_by_part(self, call: r.Call, function: Function, index: int) -> bool:
        """Whether a callee that is given the address of a member has the object by it from then on, as an intrusive
        list has: `list_add_tail(&pending, &request->link)`."""
        taking = self.taking(call, function, index)
        if taking == "unknown":
            return not habits.PUTS_IN.isdisjoint(words(last_name(call.callee)))
        return taking in ("adopted", "kept")

    def _taken_by_receiver(self, name: str, written: str, function: Function) -> Taking | None:
        """`reset(p)` of a smart pointer, `push_back(p)` of a container."""
        if not written:
            return "kept" if name in self.program.models.containers.puts else None
        if is_copying(written, function):
            return "borrowed"
        roles = set(self.program.types.roles(written, function))
        if roles & OWNING:
            return "adopted" if name in ("reset", "assign") else None
        if name in self.program.models.containers.puts and ("container" in roles or not roles):
            return "adopted" if self.owns_elements(written, function.file, function.record.scope) else "kept"
        return None

    def owns_elements(self, written: str, file: File, scope: str) -> bool:
        """Whether a container of this type ends what is put into it: `std::vector<std::unique_ptr<T>>`."""
        kind = types.parse(self.program.names.expand(written, file, scope))
        for argument in kind.arguments:
            if not OWNING.isdisjoint(self.program.types.roles_at(argument, file, scope)):
                return True
            if "<" in argument and not types.parse(argument).pointers and self.owns_elements(argument, file, scope):
                return True
            cls = self.program.names.find_class(argument, scope, file) if not types.parse(argument).pointers else None
            if cls is not None and cls.record.destructor in ("declared", "defined"):
                return True
        return False

    def _taken_by_constructor(self, call: r.Call, function: Function, index: int) -> Taking:
        written = call.callee.text if isinstance(call.callee, r.Name) else ""
        expanded = self.program.names.expand(written, function.file, function.record.scope)
        roles = set(self.program.types.roles(expanded, function))
        if roles & OWNING:
            return "adopted"
        if is_copying(expanded, function):
            return "borrowed"
        if "container" in roles or "pair" in roles or "optional" in roles:
            return "kept"
        cls = self.program.names.find_class(expanded, function.record.scope, function.file)
        return self.taken_by_class(cls, index) if cls is not None else "unknown"

    def taken_by_class(self, cls: Class, index: int) -> Taking:
        """What becomes of a handle of which an object of the class is made."""
        constructors = [c for c in cls.constructors if index < len(c.record.parameters)]
        duties = [self.duties.of(one) for one in constructors]
        if any(index in duty.released or index in duty.adopted for duty in duties):
            return "adopted"
        if any(index in duty.stored for duty in duties):
            return "kept"
        return "borrowed" if constructors else "unknown" if cls.declarations else "kept"

    def _taken_by_body(self, callee: Callee, index: int) -> Taking:
        duties = [self.duties.of(target) for target in callee.functions]
        if not duties:
            return "unknown"
        if any(index in duty.adopted for duty in duties):
            return "adopted"
        if any(
            index in duty.stored or _is_handed_on(one.record, index)
            for one, duty in zip(callee.functions, duties, strict=True)
        ):
            return "kept"
        if any(index in duty.strangers for duty in duties):
            return "unknown"
        return "borrowed" if callee.all_defined else "unknown"

    def may_take_unseen(self, call: r.Call, function: Function, index: int) -> bool:
        """Whether a callee out of sight may end the argument or keep it, by its name and by what else it is given: a
        constructor, what makes an object, a function that is in a variable, one that is given a deleter. Others work on
        what they are given: `std::fill_n(values, n, 0)`."""
        name = last_name(call.callee)
        is_variable = isinstance(call.callee, r.Name) and name in function.declared
        if call.kind != "call" or not name or is_variable or releasing_verb(name):
            return True
        return (
            said_to_end(call, index)
            or not (habits.MAKES | habits.HANDS_ON).isdisjoint(words(name))
            or any(self._is_function(argument, function) for argument in call.args)
        )

    def _is_function(self, value: r.Value, function: Function) -> bool:
        """A lambda, the name of a function, or a local that is one: a callback that may end what else is given."""
        inner = _function_in(value, function)
        if not isinstance(inner, r.Name) or inner.text in function.declared:
            return isinstance(inner, r.Lambda)
        name = last_name(inner)
        return bool(releasing_verb(name)) or bool(self.program.index.records_called(name))

    def ends_member(self, call: r.Call, function: Function, index: int, name: str) -> bool:
        """Whether the callee is seen to release the member of that name of what is given as argument `index` (from
        0)."""
        return any((index, name) in duty.parts for duty in self._seen(call, function))

    def keeps_member(self, call: r.Call, function: Function, index: int, name: str) -> bool:
        """Whether the callee is seen to put that member somewhere that lives on."""
        return any(not duty.kept_parts.isdisjoint(((index, name), (index, ""))) for duty in self._seen(call, function))

    # --- what becomes of members ---

    def may_release(self, function: Function) -> bool:
        """False when nothing that the body calls can release anything; needs no decoding."""
        return not self.releasing_calls.isdisjoint(function.mentioned)

    @program_property
    def releasing_calls(self) -> frozenset[str]:
        """Last names of what is called and may release something."""
        called = self.program.index.mentioned("cpp", "python")
        known = self.releasing_names | {"delete"}
        return frozenset(name for name in called if name in known or releasing_verb(name))

    def members_ended(self, function: Function) -> Mapping[str, MemberEnd]:
        """The members of its own object of which a function ends what they hold, or their elements, itself or in a
        method of the class that it calls on the object."""
        if self.duties.is_settling:  # a callee may turn out to do more
            return self._ended_in(function)
        return self._members_ended.ask(function, lambda: self._ended_in(function))

    def _ended_in(self, function: Function) -> dict[str, MemberEnd]:
        bodies, found = [function], dict[str, MemberEnd]()
        for body in bodies:
            standing = _standing_for_members(body) if self.may_release(body) else {}
            for call in body.flow.calls if self.may_release(body) else ():
                for one in self.released(call.node, body):
                    given = receiver(call.node) if one.where.kind == "receiver" else argument_at(call.node, one.where)
                    name = _member(given, body, standing)
                    if name and (name not in found or found[name].certainty == "possible"):
                        found[name] = MemberEnd(one.certainty, body, call)
            own = [one for one in body.cls.methods if one.name in body.mentioned] if body.cls is not None else []
            called = {last_name(call.node.callee) for call in body.flow.calls if _is_on_own(call)} if own else ()
            bodies += [one for one in own if one.name in called and one not in bodies]
        return found

    def end_of(self, cls: Class | None, member: str) -> MemberEnd | None:
        """Where the destructor ends what the member holds, or one that is named so may."""
        destructor = cls.destructor if cls is not None else None
        return self.members_ended(destructor).get(member) if destructor is not None else None

    def copies_struct(self, call: r.Call, function: Function, index: int) -> bool:
        """Whether the bytes that argument `index` (from 0) leads to are copied, pointers and all, to where another
        argument leads that is no local of the function."""
        place = f"argument {index + 1}"
        if not any(model.has("copy", place) for model in self.program.calls.callee(call, function).models):
            return False
        others = (strip(other) for at, other in enumerate(call.args) if at != index)
        return any(self._leads_out(other, function) for other in others)

    def _leads_out(self, value: r.Value | None, function: Function) -> bool:
        """Whether a pointer leads to what a local of the function is not."""
        inner, is_far = around(value.value if isinstance(value, r.Unary) and value.op == "&" else value)
        if is_far or not isinstance(inner, r.Name):
            return is_far
        if inner.text not in function.declared:
            return True
        return inner is value and bool(types.parse(self.program.types.of(inner, function)).pointers)

    def _seen(self, call: r.Call, function: Function) -> Iterator[Duty]:
        return (self.duties.of(target) for target in overrides.reached(call, function).functions)

    def passes_on(self, call: r.Call, function: Function) -> frozenset[int]:
        """The arguments (from 0) that the result may be: `Check(p)`, which returns `p`."""
        callee = overrides.reached(call, function)
        found = frozenset(i for target in callee.functions for i in self.duties.of(target).returned)
        return found | {
            effect.place.index
            for model in callee.models
            for effect in model.effects
            if effect.verb == "returns" and effect.place is not None and effect.place.kind == "argument"
        }

    @program_property
    def got_back(self) -> frozenset[str]:
        """Last names of the classes of which the project deletes objects that it has from a `void*`: what was given
        away as the context of an operation."""
        return frozenset(
            name
            for function in self.program.calling({"delete"})
            if function.language == "cpp" and function.says(_VOID)
            for event in function.flow.calls
            if event.node.kind == "delete" and (name := self._from_void(event.node.args[0], function))
        )

    def _from_void(self, value: r.Value, function: Function) -> str:
        """The class to which a `void*` is cast, also one that a local holds; empty for anything else."""
        inner = value
        if isinstance(inner, r.Name) and inner.text in function.locals:
            inner = function.locals[inner.text][1] or inner
        if not isinstance(inner, r.Cast):
            return ""
        source = types.parse(self.program.types.of(strip(inner), function))
        return types.parse(inner.type).last if source.last == "void" and source.pointers == 1 else ""

    def is_lent_as_context(self, call: r.Call, function: Function, index: int, made: str) -> bool:
        """Whether argument `index` (from 0) is taken as a `void*`, and the project deletes objects of the class that it
        has from one."""
        found = self.program.calls.callee(call, function).records
        given = [types.parse(one.parameters[index].type) for one in found if index < len(one.parameters)]
        as_void = bool(given) and all(kind.last == "void" and kind.pointers == 1 for kind in given)
        return as_void and types.parse(made).last in self.got_back

    # --- types ---

    def raw(self, written: str, function: Function) -> Raw | None:
        """The type, when a value of it ends without ending what it stands for."""
        return self.raw_at(written, function.file, function.record.scope)

    def raw_at(self, written: str, file: File, scope: str) -> Raw | None:
        """The same for a type that is written in a file, inside the scope."""
        if not written or "(" in written:
            return None
        kind = types.parse(self.program.names.expand(written, file, scope))
        if kind.pointers:
            return Raw(written, "pointer")
        roles = self.program.types.roles_at(kind.name, file, scope)
        if "handle" in roles:
            return Raw(written, "modelled")
        if roles or kind.arguments:
            return None
        cls = self.program.names.find_class(kind.name, scope, file)
        if cls is not None and not releases_nothing(cls.record):
            return None
        if kind.last in self.destroyed or kind.last in self.handle_names or kind.last in self.scoped_by:
            return Raw(written, "derived")
        return None

    @program_property
    def destroyed(self) -> frozenset[str]:
        """Last names of the types that some function of the project is named to release: `f(T)` or `f(T*)`."""
        return frozenset(
            kind.last
            for name, record in self.program.index.declared_functions()
            if record.parameters and record.kind == "function"
            if releasing_verb(name) or words(name)[-1:] == ("detach",)
            if (kind := types.parse(record.parameters[0].type)).last and kind.pointers < 2 and not kind.arguments
        )

    @program_property
    def scoped_by(self) -> dict[str, str]:
        """From a handle's last name to the project's class that is made of one and releases it."""
        found: dict[str, str] = {}
        for cls in self.program.classes:
            held = [field for field in cls.record.fields if not field.static]
            if cls.record.destructor not in ("declared", "defined") or not 1 <= len(held) <= 4:
                continue
            taken = {
                types.parse(parameter.type).last
                for record in cls.declarations
                if record.kind == "constructor" and len(record.parameters) <= 3
                for parameter in record.parameters
                if "&" not in parameter.type
            }
            for field in held:
                kind = types.parse(field.type)
                if kind.last in taken and not kind.arguments and self._is_released_by(cls, field.name):
                    found.setdefault(kind.last, cls.symbol)
        return found

    def _is_released_by(self, cls: Class, field: str) -> bool:
        """Whether the destructor ends what the field holds; one that nobody sees is believed."""
        if cls.destructor is None:
            return True
        return self.end_of(cls, field) is not None


def _takes_nothing(function: Function) -> bool:
    """Whether a function of such a name only points at an element that is there in any case, and notes nowhere that it
    is taken: `next = pool->items + pool->used; return next;`. Whoever does not go on to use it owes nothing."""
    lent = {
        leave.value.text
        for leave in function.flow.leaves
        if leave.kind == "return" and isinstance(leave.value, r.Name) and _points_at_element(function, leave.value.text)
    }
    return bool(lent) and all(
        (isinstance(leave.value, r.Name) and leave.value.text in lent and _is_unmarked(function, leave, lent))
        or _is_null(leave.value)
        for leave in function.flow.leaves
        if leave.kind == "return"
    )


def _points_at_element(function: Function, name: str) -> bool:
    """Whether the local begins as the element of an array to which a counter beside it leads, and stays that."""
    if name not in function.locals or function.mentions("=" + name):
        return False
    initial = strip(function.locals[name][1])
    if initial is None or any(isinstance(inner, r.Call) for inner in walk(initial)):
        return False
    match initial:
        case r.Binary(op="+", left=r.Member(), right=r.Member()):
            return True
        case r.Unary(op="&", value=r.Index(base=r.Member(), indexes=(r.Member(),))):
            return True
    return False


def _is_unmarked(function: Function, leave: e.LeaveEvent, lent: set[str]) -> bool:
    """Whether, on the way to it, nothing is changed or called but for what is lent."""
    inside = [function.flow.aliases.get(name, (name,)) for name in lent]
    for event in function.flow.before(leave):
        match event:
            case e.Write(place=place, fresh=False):
                is_plain = len(place) == 1 and function.is_local(place)
                if not is_plain and not any(place[: len(one)] == one for one in inside):
                    return False
            case e.CallEvent(node=call):
                first = strip(call.args[0]) if call.args else None
                if not (isinstance(first, r.Name) and first.text in lent):
                    return False
    return True


def _is_null(value: r.Value | None) -> bool:
    inner = strip(value)
    return isinstance(inner, r.Literal) or (isinstance(inner, r.Name) and inner.text == "NULL")


def _is_on_own(call: e.CallEvent) -> bool:
    """Whether it is made on the function's own object."""
    return isinstance(call.node.callee, r.Name) or call.receiver == (THIS,)


def _standing_for_members(function: Function) -> dict[str, str]:
    """The locals that are what a member holds, or one of its elements: each with the member."""
    found: dict[str, str] = {}
    for statement in function.statements:
        match statement:
            case r.Declare(names=names, value=value) if value is not None:
                found.update(dict.fromkeys(names, _member(value, function, found)))
            case r.Loop(kind="range", target=target, iterable=iterable):
                found.update(dict.fromkeys(bound_names(target), _member(iterable, function, found)))
    return found


def _member(value: r.Value | None, function: Function, standing: dict[str, str]) -> str:
    """The member of the function's object of which an expression is the value, its address or one of its elements."""
    match strip(value):
        case r.Member(base=r.Name(text="this"), name=name):
            return name
        case r.Unary(op="&" | "*", value=base) | r.Index(base=base) | r.Member(base=base, name="first" | "second"):
            return _member(base, function, standing)
        case r.Call(args=(), callee=r.Member(base=base, name=name)) if name in _ELEMENTS:
            return _member(base, function, standing)
        case r.Name(text=name):
            return standing.get(name, "") if name in function.declared else name
    return ""


def _function_in(value: r.Value, function: Function) -> r.Value | None:
    """What a function is called that is given: `run`, `&run`, `+[] {}`, or a local that is one of these."""
    inner = strip(value)
    if isinstance(inner, r.Name) and inner.text in function.locals:
        inner = strip(function.locals[inner.text][1]) or inner
    return strip(inner.value) if isinstance(inner, r.Unary) and inner.op in ("&", "+") else inner


def said_to_end(call: r.Call, index: int) -> bool:
    """Whether the name of a callee out of sight is one of those that may end argument `index` (from 0), or keep it."""
    said = habits.MAY_END.intersection(words(last_name(call.callee)))
    if index == 0 and len(call.args) > 1 and isinstance(call.callee, r.Name):
        said -= {"set"}  # `cublasSetStream(handle_, stream)`: something is set in it
    return bool(said)


def _fills(record: r.FunctionRecord) -> bool:
    """Whether there is a parameter through which a pointer can come out."""
    return any("**" in p.type.replace(" ", "") or "*&" in p.type.replace(" ", "") for p in record.parameters)


def _is_handed_on(record: r.FunctionRecord, index: int) -> bool:
    """Whether the argument belongs to a pack: `make<T>(Args&&... args)`, which hands it on to a constructor."""
    return any("..." in given.type or given.spread for given in record.parameters[: index + 1])


@program_question
def resources(program: Program) -> Resources:
    """The handles of a program; one object a program, since its answers are remembered."""
    return Resources(program)


_CHAIN = r"(\w++(?:\)*+(?:\.|->)\w++)*)"
_PART = re.compile(r"\)*+(?:\.|->)")
_DELETED = re.compile(r"\bdelete\b\s*+(?:\[\s*+\]\s*+)?\(*+" + _CHAIN)
_GIVEN = re.compile(r"\b(\w++)\s*+\((?=\s*+[&*(]*+" + _CHAIN + ")")
"""What is called in a macro's body, and the name or chain of members that its first argument begins with."""
