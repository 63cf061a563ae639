"""Raw addresses in Python: who asks which functions to be run, and what comes of it.

`address_records` has the words, `address_values` says what an expression gives, `address_flow` runs a function.
"""

from __future__ import annotations

from collections import Counter

from ownlint import (
    Edit,
    File,
    Fix,
    Function,
    Program,
    Span,
    Step,
    bodies,
    patterns,
    places,
    questions,
    recursion,
    steps,
)
from ownlint import records as r
from ownlint_rules.buffers._address_flow import AddressInterpreter, leaving_names
from ownlint_rules.buffers._address_records import AddressMisuse, AddressSummary
from ownlint_rules.buffers._address_values import AddressKnowledge, root
from ownlint_rules.buffers._compared import is_only_compared

__all__ = ["AddressMisuse", "Addresses", "fate", "fix", "of", "steps"]

_COMMON = frozenset(["get", "set", "add", "close", "open", "read", "write", "run", "start", "stop", "append", "update"])
"""Methods so named are everybody's."""
_DEEPEST = 3


class Addresses(AddressKnowledge):
    """Every misuse of raw memory in the project's Python, function by function."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._runs: recursion.Circular[Function, tuple[tuple[AddressMisuse, ...], AddressSummary | None]] = (
            recursion.Circular(((), None), _DEEPEST + 1)
        )
        self._imported: questions.Answers[str, frozenset[str]] = questions.Answers()

    def misuses_in(self, function: Function) -> tuple[AddressMisuse, ...]:
        if function.language != "python" or function not in self._concerned:
            return ()
        return self._run(function)[0]

    def _run(self, function: Function) -> tuple[tuple[AddressMisuse, ...], AddressSummary | None]:
        def answer() -> tuple[tuple[AddressMisuse, ...], AddressSummary | None]:
            before = steps.start(function.file.size)  # all who ask share it: none pays for the others
            try:
                interpreter = AddressInterpreter(function, self)
                misuses = tuple(misuse for misuse in interpreter.run() if not _is_only_compared(misuse))
                return misuses, interpreter.summary()
            finally:
                steps.stop(before)

        return self._runs.ask(function, answer)

    @questions.program_property
    def _concerned(self) -> frozenset[Function]:
        """Functions in which memory can be lost: they say so, or call what says so, at most `_DEEPEST` calls away."""
        python = [function for function in self.program.functions if function.language == "python"]
        files = [file for file in self.program.files.values() if file.language == "python"]
        written = Counter(function.name for function in python if function.record.kind in ("function", "method"))
        found = {function for function in python if self._says(function)}
        by_module: dict[str, set[str]] = {"": set(self._classes)}
        latest = found
        for _ in range(_DEEPEST):
            for function in latest:
                if function.name.isidentifier() and function.name not in _COMMON:
                    by_module.setdefault(_module(function.file), set()).add(function.name)
            wanted = frozenset(name for names in by_module.values() for name in names if name not in _COMMON)
            alone = frozenset(name for name in wanted if written[name] <= 1)
            called = {file.path: alone | _named_here(wanted, by_module, file) for file in files}
            latest = {f for f in python if f not in found and not called[f.path].isdisjoint(f.mentioned)}
            found |= latest
            by_module = {}
        return frozenset(found)

    def _says(self, function: Function) -> bool:
        if any(function.says(words) for words in self._words(function.file)):
            return True
        losing = self.memory.losing
        roots = self.imported(function.file) | {""}
        return any(not losing[root].isdisjoint(function.mentioned) for root in roots if root in losing)

    @questions.program_property
    def _lossy(self) -> frozenset[str]:
        """Every word by which memory can be lost, whichever library it is of."""
        return frozenset(word for words in self.memory.losing.values() for word in words)

    def _words(self, file: File) -> tuple[patterns.AnyName, ...]:
        roots = self.imported(file) | {""}
        return tuple(words for root, words in self._losing if root in roots)

    @questions.program_property
    def _losing(self) -> tuple[tuple[str, patterns.AnyName], ...]:
        losing = sorted(self.memory.losing.items())
        return tuple((root, patterns.strings(words)) for root, words in losing if words)

    @questions.program_property
    def _classes(self) -> frozenset[str]:
        """Names of variables of modules and classes, and of attributes, in which a class of callbacks is made."""
        makers = self.memory.callback_makers
        words = patterns.strings(makers)
        found: set[str] = set()
        for function in self.program.functions:
            stays = function.record.kind in ("module", "class")
            if function.language != "python" or not (stays or function.is_method):
                continue
            if function.says(words) or not makers.isdisjoint(function.mentioned):
                bound = self.bindings(function) if stays else self.attributes_set(function)
                found |= {name for name, given in bound.items() if any(isinstance(value, r.Call) for value in given)}
            elif function.record.kind == "module" and self._says(function):
                for name, given in self.bindings(function).items():
                    if any(isinstance(value, r.Member) and value.name in self._lossy for value in given):
                        found.add(name)
        return frozenset(found)

    # --- the project's own functions ---

    def summary(self, target: Function, caller: Function, given: bool) -> AddressSummary | None:
        """What calling it does; None when nobody knows, or it is not worth knowing: of a function that says nothing of
        memory and is given none (not `given`)."""
        if target is caller or not _is_plain(target) or not (given or target in self._concerned):
            return None
        return self._run(target)[1]

    def target(self, caller: Function, call: r.Call, symbol: str) -> Function | None:
        """The function of the project that is called; of a method of an unknown object, the only one of that name."""
        if symbol:
            found = self.function(symbol)
            if found is not None or not isinstance(call.callee, r.Member):
                return found
        if isinstance(call.callee, r.Name):
            return self._nested(caller, call.callee.text)
        if isinstance(call.callee, r.Member):
            base = call.callee.base
            if isinstance(base, r.Name) and base.text in ("self", "cls") and caller.home is not None:
                methods = caller.home.defined(call.callee.name)
                return methods[0] if methods else None
            name = places.last_name(call.callee)
            methods = self.method(name) if name not in _COMMON else []
            return methods[0] if len(methods) == 1 else None
        return None

    def _nested(self, caller: Function, name: str) -> Function | None:
        scope: Function | None = caller
        while scope is not None:
            for inner in self.program.index.nested(scope):
                if inner.name == name and inner.record.kind == "function":
                    return inner
            scope = scope.parent
        return None

    def shift(self, target: Function, call: r.Call) -> int:
        """Whether the call passes the receiver, which is no argument."""
        if not target.record.owner or "static" in target.record.qualifiers:
            return 0
        callee = call.callee
        through_class = isinstance(callee, r.Member) and places.last_name(callee.base) == target.record.owner
        return 0 if through_class and "classmethod" not in target.record.qualifiers else 1

    def imported(self, file: File) -> frozenset[str]:
        """The packages from which a file imports something."""
        canonical = self.program.models.canonical
        return self._imported.ask(
            file.path, lambda: frozenset(canonical(imported.target).partition(".")[0] for imported in file.imports)
        )


def _is_only_compared(misuse: AddressMisuse) -> bool:
    """Whether an address is put into an attribute and only ever compared."""
    statement = _statement_at(misuse.function, misuse.at) if misuse.kind == "store" else None
    match statement:
        case r.Evaluate(value=r.Assign(target=r.Member(base=r.Name(text="self"), name=name))):
            return misuse.ref.loss == "address" and is_only_compared(misuse.function, name)
    return False


def _is_plain(function: Function) -> bool:
    """Calling it runs its body and gives what that returns: no unknown decorator, no generator."""
    known = {"staticmethod", "classmethod"}
    return "generator" not in function.record.qualifiers and all(a.name in known for a in function.record.annotations)


def story(misuse: AddressMisuse) -> tuple[Step, ...]:
    """The way to a misuse, in the order in which it happens."""
    function, ref = misuse.function, misuse.ref
    out = []
    if misuse.made is not None and misuse.made != misuse.at:
        unnamed = ", and no variable holds it" if misuse.temporary else ""
        out.append(function.step(misuse.made, f"`{misuse.owner}` is created here{unnamed}", "owns"))
    if ref.taken not in (misuse.at, misuse.made) and misuse.kind != "kept":
        out.append(
            function.step(ref.taken, f"`{ref.shown}` is borrowed from it here without keeping it alive", "borrows")
        )
    if misuse.before is not None and misuse.kind == "consumed":
        out.append(function.step(misuse.before, "first consumed here", "ends"))
    if misuse.used is not None and misuse.used != misuse.at:
        done = {"return": "returned", "store": "stored"}.get(misuse.kind, "used")
        out.append(function.step(misuse.used, f"{done} here", "uses"))
    if misuse.ended is not None and misuse.kind == "use" and misuse.used == misuse.at:
        out.append(function.step(misuse.ended[0], misuse.ended[1] or "its owner is freed here", "ends"))
    return tuple(out)


def fate(misuse: AddressMisuse) -> str:
    """How the owner of what is returned or stored ends."""
    if misuse.temporary:
        return "is freed immediately"
    if misuse.ended is not None and misuse.kind == "store" and misuse.function.record.kind != "function":
        return "is released"
    return "is freed when the function returns"


# --- fixes ---


def fix(misuse: AddressMisuse) -> Fix | None:
    """The temporary gets a name, where a name of the function is enough; a local callback, an attribute of `self`."""
    function, made = misuse.function, misuse.made
    statement = _statement_at(function, made) if made is not None else None
    if made is None or not isinstance(statement, r.Evaluate | r.Leave):
        return None
    if misuse.kind == "kept":
        return _kept_on_self(misuse, statement, made)
    if (
        not misuse.temporary
        or _is_inside(statement, made)
        or function.record.kind not in ("function", "method", "constructor")
    ):
        return None
    match statement:
        case r.Evaluate(value=r.Assign(target=r.Member(base=r.Member()) as target, op="=", value=value)) if (
            root(target) == "self" and function.is_method and value.span == made
        ):
            return _beside_on_self(function, target, made)
        case r.Evaluate(value=r.Assign(target=r.Member(base=base) | r.Index(base=base), value=value)):
            if misuse.kind != "store" or root(base) not in function.declared or root(base) in leaving_names(function):
                return None
            if root(base) in {parameter.name for parameter in function.record.parameters}:
                return None
            direct = value.span == made
        case r.Evaluate(value=r.Assign(target=r.Name())) if misuse.kind == "use":
            direct = False
        case r.Evaluate(value=r.Call()) if misuse.kind == "use":
            direct = False
        case _:
            return None
    name = _free_name(function)
    edits: tuple[Edit, ...]
    if direct:
        edits = (Edit(function.path, Span(made.start, made.start), f"{name} = "),)
    else:
        edits = (
            Edit(function.path, Span(made.start, made.start), f"({name} := "),
            Edit(function.path, Span(made.end, made.end), ")"),
        )
    return Fix(f"assign the owner to `{name}`", edits)


def _beside_on_self(function: Function, target: r.Member, made: Span) -> Fix | None:
    """`self.out.name = self._out_name = new(..)`: it lives as long as the object that has the structure."""
    names: list[str] = []
    place: r.Value = target
    while isinstance(place, r.Member):
        names.insert(0, place.name)
        place = place.base
    kept = "_" + "_".join(name.strip("_") for name in names)
    if not isinstance(place, r.Name) or (function.cls is not None and kept in function.cls.fields):
        return None
    return Fix(f"store it in `self.{kept}`", (Edit(function.path, Span(made.start, made.start), f"self.{kept} = "),))


def _kept_on_self(misuse: AddressMisuse, statement: r.Statement, made: Span) -> Fix | None:
    """`cb = self._cb = T(f)`."""
    function = misuse.function
    first = next((parameter.name for parameter in function.record.parameters), "")
    match statement:
        case r.Evaluate(value=r.Assign(target=r.Name(text=name) as target, op="=", value=value)):
            written_out = target.start < made.start  # a decorator binds the name behind it
            if value.span == made and written_out and first == "self" and function.is_method:
                written = f"self._{name.lstrip('_')}"
                edit = Edit(function.path, Span(made.start, made.start), f"{written} = ")
                return Fix(f"store it in `{written}`", (edit,))
    return None


def _statement_at(function: Function, at: Span) -> r.Statement | None:
    inner = [s for s in function.statements if s.start <= at.start and at.end <= s.end]
    return min(inner, key=lambda s: s.end - s.start, default=None)


def _is_inside(statement: r.Statement, made: Span) -> bool:
    """Whether it is made inside a comprehension, where a name would hold the last one only."""
    return any(
        isinstance(part, r.Comprehension) and part.start <= made.start and made.end <= part.end
        for value in bodies.values(statement)
        for part in places.walk(value)
    )


def _free_name(function: Function) -> str:
    used = {part.text for part in function.values if isinstance(part, r.Name)}
    return next(name for name in ("owner", "kept", *(f"kept_{n}" for n in range(2, 99))) if name not in used)


@questions.program_question
def of(program: Program) -> Addresses:
    """One object a program, since its answers are remembered."""
    return Addresses(program)


def _module(file: File) -> str:
    """The last name of its module, as an import has it."""
    return file.module.removesuffix(".__init__").rpartition(".")[2]


def _named_here(wanted: frozenset[str], by_module: dict[str, set[str]], file: File) -> set[str]:
    """Of names that many functions have (`forward`), those that a call in this file can mean: they are defined here or
    imported, or their module is. As the file calls them."""
    found = {record.name for record in file.functions if record.name in wanted}
    for imported in file.imports:
        last = imported.target.rpartition(".")[2]
        if last in wanted:
            found.add(imported.name)
        found |= by_module.get(last, set())
        if imported.name == "*":
            found |= wanted
    return found
