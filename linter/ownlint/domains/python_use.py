"""What uses Python: calls of its functions, its objects made, copied and ended, and functions of the project that do so
without seeing to the lock themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal as OneOf
from typing import NamedTuple

from ownlint.domains import entrances, gil
from ownlint.engine.glance import says
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.finding import Step
from ownlint.flow import events as e
from ownlint.flow.places import calls_in, last_name, strip
from ownlint.patterns import AnyName
from ownlint.project import types
from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import Answers, derived, flow_question, program_question, read
from ownlint.project.subjects import Class, Function

Kind = OneOf["object", "holder", "handle", ""]

_BOXES = frozenset({"container", "sequence", "associative", "set", "optional", "pair", "scoped owner", "smart pointer"})
_SHARED = frozenset({"shared pointer", "weak pointer", "callable", "future", "view", "iterator"})
_DEEPEST = 3
_FURTHEST = 5


class PythonUse(NamedTuple):
    """A moment at which Python is used. `what` says how, as in "`print` is called"."""

    event: e.Event
    what: str
    steps: tuple[Step, ...] = ()
    throws: bool = True
    """Whether it may leave with a C++ exception."""
    runs: bool = False
    """Whether it runs code of Python's, in which another thread may get the lock."""
    perhaps: bool = False
    """Whether there may be no object of Python's in what ends."""


# --- types -------------------------------------------------------------------------------------------


def kind_of(function: Function, written: str) -> Kind:
    """Whether a value of the type counts references of Python objects: it is one, it holds some, or it only refers."""
    return kind_at(function.program, written, function.file, function.record.scope)


def kind_at(program: Program, written: str, file: File, scope: str) -> Kind:
    return _kinds(program).ask((written, file.path, scope), lambda: _kind(program, written, file, scope, 0))


@program_question
def _kinds(program: Program) -> Answers[tuple[str, str, str], Kind]:
    return Answers()


def _kind(program: Program, written: str, file: File, scope: str, depth: int) -> Kind:
    if not written or depth > _DEEPEST:
        return ""
    meant = program.names.expand(written, file, scope)
    kind = types.parse(meant)
    if kind.pointers or types.parse(written).pointers:
        return ""
    roles = program.types.roles_at(kind.name, file, scope)
    if "python object" in roles:
        return "object"
    if "python handle" in roles:
        return "handle"
    cls = program.names.find_class(kind.name, scope, file)
    if cls is not None:
        return _kind_of_class(cls, depth)
    if _SHARED.intersection(roles) or not (_BOXES.intersection(roles) or kind.last in ("variant", "tuple")):
        return ""
    inner = {_kind(program, argument, file, scope, depth) for argument in kind.arguments}
    deleter = program.names.find_class(kind.arguments[1], scope, file) if len(kind.arguments) == 2 else None
    gives_back = deleter is not None and any(map(_calls_python, deleter.defined("operator()")))
    return "holder" if inner & {"object", "holder"} or gives_back else ""


def _kind_of_class(cls: Class, depth: int) -> Kind:
    for base in cls.record.bases:
        found = _kind(cls.program, base.name, cls.file, cls.symbol, depth + 1)
        if found in ("object", "handle"):
            return found
    if sees_to_lock(cls):
        return ""
    gives_back = cls.destructor is not None and _calls_python(cls.destructor)
    return "holder" if gives_back or any(held_fields(cls, depth)) else ""


def _calls_python(function: Function) -> bool:
    """Whether the body itself calls what needs the lock: a class of the project's that counts by hand."""
    scopes = function.program.names.scopes(function)
    names = (call.callee.text for call in function.calls() if isinstance(call.callee, r.Name))
    return any(function.program.models.gil_word(name, scopes) == "needs" for name in names)


def held_fields(cls: Class, depth: int = 0) -> Iterator[r.Field]:
    """The members by value that count references, inherited ones included."""
    for one in cls.ancestry:
        for field in one.record.fields:
            if not field.static and _kind(one.program, field.type, one.file, one.symbol, depth + 1) in (
                "object",
                "holder",
            ):
                yield field


def sees_to_lock(cls: Class) -> bool:
    """Whether the class takes the lock where its objects end."""
    end = cls.destructor
    return end is not None and takes(end)


def takes(function: Function) -> bool:
    """Whether the body takes the lock somewhere. Needs decoding only where a word says that it may."""
    program = function.program
    if gil.by_hand(program).isdisjoint(function.mentioned) and not function.says(_pattern(program)):
        return False
    return any(state.status == "held" for state in gil.states(function, gil.UNKNOWN).values())


@program_question
def _pattern(program: Program) -> AnyName:
    return AnyName(gil.words(program))


def is_counted(function: Function, written: str) -> bool:
    """Whether making, copying and ending a value of the type counts references."""
    return types.parse(written).is_value and kind_of(function, written) in ("object", "holder")


def is_empty(function: Function, written: str) -> bool:
    """Whether the default constructor of a Python type makes no object."""
    name = function.program.names.expand(written, function.file, function.record.scope)
    spelled = {types.parse(name).last, types.parse(written).last}
    return any(known.rpartition("::")[2] in spelled for known in function.program.models.gil.empty)


# --- events ------------------------------------------------------------------------------------------


def uses(function: Function) -> dict[int, PythonUse]:
    """What uses Python in the function, by event; what happens in a helper that takes the lock itself is left out."""
    return _uses(function)


@flow_question
def _uses(function: Function) -> dict[int, PythonUse]:
    if function.language != "cpp":
        return {}
    found: dict[int, PythonUse] = {}
    reader = _UseReader(function, frozenset({function}))
    for event in function.flow:
        use = reader.use(event)
        if use is not None:
            found[event.index] = use
    return found


def without_lock(function: Function) -> PythonUse | None:
    """The first use of Python by somebody who enters the function without the lock; None when there is none."""
    return _needed(function, frozenset())[0]


def _needed(function: Function, above: frozenset[Function]) -> tuple[PythonUse | None, bool]:
    """The first use, and whether that is the answer wherever it is asked, not only below the functions `above`."""
    known = function.known.get(_needed)
    if known is not None:
        read(known[1])
        found: PythonUse | None = known[0]
        return found, True
    if function.language != "cpp":
        return None, True
    if function in above or len(above) > _FURTHEST:
        return None, False
    (answer, whole), note = derived(lambda: _first(function, above))
    if not above or answer is not None or whole:
        function.known[_needed] = answer, note
        whole = True
    return answer, whole


def _first(function: Function, above: frozenset[Function]) -> tuple[PythonUse | None, bool]:
    if not may_use(function):
        return None, True
    reader = _UseReader(function, above | {function})
    states = gil.states(function, gil.RELEASED)
    for event in function.flow:
        state = states.get(event.index)
        if state is not None and state.status == "released" and state.since == gil.ENTRY:
            use = reader.use(event)
            if use is not None:
                return use, reader.whole
    return None, reader.whole


def may_use(function: Function) -> bool:
    """Whether the body can use Python at all. Needs no decoding."""
    return bool(function.mentioned or function.record.initializers) or any(
        kind_of(function, parameter.type) for parameter in function.record.parameters
    )


def captures(
    function: Function, made: r.Lambda, kinds: frozenset[Kind] = frozenset({"object"})
) -> Iterator[tuple[str, r.Value]]:
    """The Python objects of which a lambda has one of its own: their names in it, and what they begin with."""
    for capture in made.captures:
        if capture.by_reference or capture.name in ("this", "*this", "&"):
            continue
        if capture.name == "=":
            yield from _captured_unnamed(function, made, capture, kinds)
            continue
        value = capture.value or r.Name(capture.start, capture.end, capture.name)
        if kind_of(function, function.program.types.of(strip(value), function)) in kinds:
            yield capture.name, value


def _captured_unnamed(
    function: Function, made: r.Lambda, capture: r.Capture, kinds: frozenset[Kind]
) -> Iterator[tuple[str, r.Value]]:
    """What `[=]` copies: the locals around that the body names."""
    inner = function.program.index.function_at(function.file, made.function)
    if inner is None:
        return
    for name, (written, _) in sorted(function.locals.items()):
        if name not in inner.locals and kind_of(function, written) in kinds and says(inner, name):
            yield name, r.Name(capture.start, capture.end, name)


def given_away(function: Function) -> frozenset[str]:
    """Locals that are moved from or released somewhere."""
    return _UseReader(function, frozenset()).given_away()


class _UseReader:
    def __init__(self, function: Function, above: frozenset[Function]) -> None:
        self.function = function
        self.program = function.program
        self.models = function.program.models
        self.scopes = function.program.names.scopes(function)
        self.above = above
        self.whole = True
        """No answer so far hangs on how deep it was asked, or on the functions `above`."""
        self.gone: frozenset[str] | None = None

    def use(self, event: e.Event) -> PythonUse | None:
        match event:
            case e.CallEvent():
                return self.called(event)
            case e.Write():
                return self.written(event)
            case e.End(place=(name,)):
                return self.ended(event, name)
            case e.Read(node=r.Index(base=base)) if self.kind(base) in ("object", "handle") and not self.is_array(base):
                return PythonUse(event, f"an item of `{text(base)}` is looked up")
        return None

    def kind(self, value: r.Value | None) -> Kind:
        if value is None:
            return ""
        written = self.program.types.of(value, self.function)
        if not written and isinstance(value, r.Call) and isinstance(value.callee, r.Name):
            written = value.callee.text  # `T(a)` is spelled like a call
        return kind_of(self.function, written)

    def is_array(self, value: r.Value) -> bool:
        """Whether it is an array, whose elements are C++'s."""
        return "python array" in self.program.types.roles(self.program.types.of(value, self.function), self.function)

    # --- calls ---

    def called(self, event: e.CallEvent) -> PythonUse | None:
        node = event.node
        if node.kind == "delete":
            return self.deleted(event, node)
        for look in (self.by_name, self.on_object, self.copied_in, self.by_lambda, self.by_helper):
            use = look(event, node)
            if use is not None:
                return use
        return None

    def by_name(self, event: e.CallEvent, node: r.Call) -> PythonUse | None:
        """A function, or a class, of Python's."""
        callee = strip(node.callee)
        if not isinstance(callee, r.Name):
            return None
        if node.kind in ("construct", "new"):
            counted = kind_of(self.function, callee.text) == "object" and node.kind == "construct"
            if not counted or _is_moved(node) or (not node.args and is_empty(self.function, callee.text)):
                return None
            return PythonUse(
                event, f"a `{callee.text}` is constructed", throws=not self.models.is_calm(callee.text, self.scopes)
            )
        if self.is_local(callee.text):
            if self.kind(callee) not in ("object", "handle") or self.is_array(callee):
                return None
            return PythonUse(event, f"`{callee.text}` is called", runs=True)
        word = self.models.gil_word(callee.text, self.scopes)
        if word == "asks" and event.asserted:
            return PythonUse(event, f"`{callee.text}` asserts that it is held")
        if word != "needs" or self.program.calls.callee(node, self.function).records:
            return None
        c_function = "::" not in callee.text
        return PythonUse(
            event,
            f"`{callee.text}` is called",
            throws=not c_function and not self.models.is_calm(callee.text, self.scopes),
            runs=self.models.runs_python(callee.text, self.scopes),
        )

    def is_local(self, name: str) -> bool:
        current: Function | None = self.function
        while current is not None:
            if name in current.locals:
                return True
            current = current.parent
        return self.function.home is not None and "::" not in name and self.function.home.field(name) is not None

    def on_object(self, event: e.CallEvent, node: r.Call) -> PythonUse | None:
        """A method of a Python object."""
        if not isinstance(node.callee, r.Member):
            return None
        base, name = node.callee.base, node.callee.name
        kind = self.kind(base)
        if kind == "holder" and name in self.models.containers.takes | {"reset"}:
            return PythonUse(event, f"what `{text(base)}` holds is destroyed", throws=False, perhaps=True)
        if kind not in ("object", "handle"):
            member = self.program.types.of(node.callee, self.function)
            if member and kind_of(self.function, member) in ("object", "handle"):
                return PythonUse(event, f"`{text(node.callee)}` is called", runs=True)
            return None
        if name in self.models.gil.methods or (self.is_array(base) and name in _ELEMENTS):
            return None
        if self.program.calls.callee(node, self.function).records:
            return None
        runs = name not in _PLAIN
        method = f"{types.parse(self.program.types.of(base, self.function)).name}::{name}"
        throws = runs and not self.is_struct(base) and not self.models.is_calm(method, self.scopes)
        return PythonUse(event, f"`{text(node.callee)}` is called", throws=throws, runs=runs)

    def is_struct(self, value: r.Value) -> bool:
        """Whether it is a struct of the C library, whose members are pointers to C functions: `type->tp_free(self)`."""
        kind = types.parse(self.program.types.of(value, self.function))
        return "::" not in kind.name and kind.name.startswith(self.models.prefixes)

    def copied_in(self, event: e.CallEvent, node: r.Call) -> PythonUse | None:
        """A Python object that is copied into a lambda, or into a parameter by value of the project's own function."""
        for argument in node.args:
            if isinstance(argument, r.Lambda) and (name := self.captured(argument)):
                return PythonUse(event, f"`{name}` is copied into a lambda", throws=False)
        callee = self.program.calls.callee(node, self.function)
        if callee.certainty != "certain" or not callee.records:
            return None
        for parameter, argument in zip(callee.records[0].parameters, node.args, strict=False):
            if not isinstance(argument, r.Name) or not is_counted(self.function, parameter.type):
                continue
            if self.kind(argument) in ("object", "holder"):
                return PythonUse(event, f"`{argument.text}` is copied", throws=False)
        return None

    def captured(self, made: r.Lambda) -> str:
        """The first Python object that a lambda copies where it is made; one that is moved in is not counted then."""
        for name, value in captures(self.function, made):
            if not _is_move(value) and not isinstance(value, r.Call):
                return name
        return ""

    def by_lambda(self, event: e.CallEvent, node: r.Call) -> PythonUse | None:
        """A lambda that an algorithm, or a function of the project, runs on the spot."""
        for position, argument in enumerate(node.args):
            inner = strip(argument)
            made: int | None = inner.function if isinstance(inner, r.Lambda) else None
            if made is None or not self.runs_at_once(node, position):
                continue
            function = self.program.index.function_at(self.function.file, made)
            use = self.needed(function) if function is not None else None
            if use is not None and function is not None:
                return PythonUse(event, use.what, (function.step(use.event, "here"), *use.steps), use.throws, use.runs)
        return None

    def runs_at_once(self, node: r.Call, position: int) -> bool:
        callee = self.program.calls.callee(node, self.function)
        if any(effect.verb == "spawn" for model in callee.models for effect in model.effects):
            return False
        written = node.callee.text if isinstance(node.callee, r.Name) else ""
        if node.kind == "call" and not callee.records and written.startswith("std::"):
            return written.rpartition("::")[2] not in _KEEPS
        for target in callee.functions[:1]:
            if position < len(target.record.parameters):
                return _runs_as_given(target, target.record.parameters[position].name)
        return False

    def needed(self, function: Function) -> PythonUse | None:
        use, whole = _needed(function, self.above)
        self.whole = self.whole and whole
        return use

    def by_helper(self, event: e.CallEvent, node: r.Call) -> PythonUse | None:
        callee = self.program.calls.callee(node, self.function)
        only = isinstance(node.callee, r.Name) and len(callee.functions) == 1 and callee.all_defined
        if not callee.functions and callee.records and node.kind == "call":
            results = {record.result for record in callee.records}
            if all(types.parse(one).is_value and kind_of(self.function, one) == "object" for one in results):
                return PythonUse(event, f"`{text(node.callee)}` returns a Python object and is called")
        if callee.certainty != "certain" and not only:
            return None
        for target in callee.functions[:1]:
            use = self.needed(target) if entrances.guarded(target) is None else None  # else it is said there
            if use is not None:
                inside = target.step(use.event, f"{use.what} here")
                what = f"`{text(node.callee)}` uses Python and is called"
                return PythonUse(event, what, (inside, *use.steps), use.throws, use.runs)
        return None

    def deleted(self, event: e.CallEvent, node: r.Call) -> PythonUse | None:
        """An object on the heap that counts references itself, or in its members."""
        written = self.program.types.of(node.args[0], self.function) if node.args else ""
        if types.parse(written).pointers != 1 or not is_counted(self.function, types.element(written)):
            return None
        return PythonUse(event, f"`{text(node.args[0])}` is deleted", throws=False, perhaps=True)

    # --- values ---

    def written(self, write: e.Write) -> PythonUse | None:
        if write.fresh:
            return self.begun(write)
        if write.op == "init":
            return self.initialised(write)
        if write.target is None or not is_counted(self.function, self.program.types.of(write.target, self.function)):
            return None
        holds = self.kind(write.target) == "holder"
        if holds and write.place[0] in self.function.locals:
            return None
        return PythonUse(write, f"`{text(write.target)}` is assigned", throws=False, perhaps=holds)

    def begun(self, write: e.Write) -> PythonUse | None:
        name, kind = write.place[0], types.parse(write.type)
        if isinstance(write.value, r.Index) and not write.value.indexes:  # the variable of a loop
            if self.kind(write.value.base) in ("object", "handle") and not self.is_array(write.value.base):
                return PythonUse(write, f"`{text(write.value.base)}` is iterated over")
            return None
        if not kind.is_value or isinstance(write.value, r.Lambda):
            copied = self.captured(write.value) if isinstance(write.value, r.Lambda) else ""
            return PythonUse(write, f"`{copied}` is copied into a lambda", throws=False) if copied else None
        written = write.type
        if kind.is_placeholder:
            written = self.program.types.of(write.value, self.function) if isinstance(write.value, r.Name) else ""
        if write.value is None:
            if kind_of(self.function, written) != "object" or is_empty(self.function, written):
                return None
            return PythonUse(write, f"`{name}` is constructed")
        inner = strip(write.value)
        if isinstance(inner, r.Call) and self.is_filled(inner, written):
            return PythonUse(write, f"the elements of `{name}` are constructed")
        if _is_move(write.value) or not isinstance(inner, (r.Name, r.Member)) or not is_counted(self.function, written):
            return None
        if self.kind(inner) in ("object", "holder", "handle"):
            return PythonUse(write, f"`{text(inner)}` is copied", throws=False)
        return None

    def is_filled(self, made: r.Call, written: str) -> bool:
        """Whether a sequence begins with some elements that are objects by themselves: `vector<py::str> v(n)`."""
        if made.kind != "construct" or len(made.args) != 1 or isinstance(made.args[0], r.Aggregate | r.Lambda):
            return False
        kind = types.parse(self.program.names.expand(written, self.function.file, self.function.record.scope))
        if not kind.arguments or "sequence" not in self.program.types.roles(written, self.function):
            return False
        element, given = kind.arguments[0], types.parse(self.program.types.of(made.args[0], self.function))
        if kind_of(self.function, element) != "object" or is_empty(self.function, element):
            return False
        return not given.arguments and not given.pointers and not self.kind(made.args[0])

    def initialised(self, write: e.Write) -> PythonUse | None:
        found = self.function.home.field(write.place[-1]) if self.function.home is not None else None
        if found is None or kind_of(self.function, found[1].type) != "object" or write.value is None:
            return None
        inner = strip(write.value)
        if _is_move(write.value) or not isinstance(inner, (r.Name, r.Member)):
            return None
        return PythonUse(write, f"`{text(inner)}` is copied", throws=False)

    def ended(self, event: e.End, name: str) -> PythonUse | None:
        """A local that counts references and has not been given away."""
        written, value = self.function.locals.get(name, ("", None))
        if event.why != "scope" or not is_counted(self.function, written) or name in self.given_away():
            return None
        if value is None and not any(write.value is not None for write in self.function.flow.writes_to((name,))):
            return None
        if any(parameter.name == name for parameter in self.function.record.parameters):
            return None
        return PythonUse(event, f"`{name}` is destroyed", throws=False)

    def given_away(self) -> frozenset[str]:
        """Locals that are moved from or released somewhere."""
        if self.gone is None:
            found: set[str] = set()
            for call in self.function.flow.calls:
                if last_name(call.node.callee) in ("release", "reset") and call.receiver is not None:
                    found.add(call.receiver[0])
                for argument in (*call.node.args, call.node):
                    found |= set(_moved(argument))
            self.gone = frozenset(found)
        return self.gone


_ELEMENTS = frozenset({"operator()", "operator[]"})
_COUNTS = frozenset({"inc_ref", "dec_ref", "reset", "clear"})
_PLAIN = _COUNTS | {"append", "def", "add_object", "doc", "size", "contains", "insert"}
"""Methods that run no code of Python's on what they are usually given."""
_KEEPS = frozenset(
    {"thread", "jthread", "async", "function", "move_only_function", "packaged_task", "make_shared", "make_unique"}
    | {"shared_ptr", "unique_ptr", "bind", "bind_front", "atexit", "make_pair", "make_tuple", "move", "forward"}
)
"""Those of the standard library that keep what they are given."""


def _moved(value: r.Value) -> Iterator[str]:
    for call in calls_in(value):
        if last_name(call.callee) == "move" and len(call.args) == 1 and isinstance(call.args[0], r.Name):
            yield call.args[0].text
    if isinstance(value, r.Lambda):
        for capture in value.captures:
            yield from _moved(capture.value) if capture.value is not None else ()


def _is_move(value: r.Value | None) -> bool:
    return isinstance(value, r.Call) and last_name(value.callee) == "move"


def _is_moved(node: r.Call) -> bool:
    return len(node.args) == 1 and _is_move(node.args[0])


def _runs_as_given(target: Function, name: str) -> bool:
    """Whether the function calls its parameter, and takes no lock before."""
    states = gil.states(target, gil.RELEASED)
    called = [
        call
        for call in target.flow.calls
        if isinstance(call.node.callee, r.Name) and call.node.callee.text == name and call.index in states
    ]
    return bool(called) and all(states[call.index].status == "released" for call in called)
