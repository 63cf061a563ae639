"""Weak borrows of raw memory as findings: which are reported, how each came about, and what fixes it."""

from __future__ import annotations

from ownlint import Edit, Fix, Function, Span, Step, bodies, handle_addresses, handles, places, raw_memory
from ownlint import records as r
from ownlint_rules.buffers._compared import is_only_compared


def misuses_in(function: Function) -> list[handles.HandleMisuse]:
    """Every misuse of raw memory in a function of Python."""
    found = raw_memory.of(function.program).misuses_in(function)
    return [misuse for misuse in found if not _is_only_compared(misuse)]


def borrows_in(function: Function, *losses: str) -> list[handles.HandleMisuse]:
    """What is used, returned or stored without its owner, which was lost so."""
    found = (misuse for misuse in misuses_in(function) if misuse.stored is None and misuse.stale is None)
    return [misuse for misuse in found if misuse.child.loss in losses]


def _is_only_compared(misuse: handles.HandleMisuse) -> bool:
    """Whether an address is put into an attribute and only ever compared."""
    statement = _statement_at(misuse.function, misuse.at) if misuse.kind == "store" else None
    match statement:
        case r.Evaluate(value=r.Assign(target=r.Member(base=r.Name(text="self"), name=name))):
            return misuse.child.loss == "address" and is_only_compared(misuse.function, name)
    return False


def story(misuse: handles.HandleMisuse) -> tuple[Step, ...]:
    """The way to a misuse, in the order in which it happens."""
    function, child = misuse.function, misuse.child
    out = []
    if misuse.made != misuse.at:
        unnamed = ", and no variable holds it" if is_temporary(misuse) else ""
        out.append(function.step(misuse.made, f"`{misuse.owner}` is created here{unnamed}", "owns"))
    if child.taken not in (misuse.at, misuse.made) and misuse.stored is None:
        out.append(
            function.step(child.taken, f"`{child.shown}` is borrowed from it here without keeping it alive", "borrows")
        )
    if misuse.stale is not None:
        out.append(function.step(misuse.stale.at, "first consumed here", "ends"))
    if misuse.used is not None and misuse.used != misuse.at:
        done = {"return": "returned", "store": "stored"}.get(misuse.kind, "used")
        out.append(function.step(misuse.used, f"{done} here", "uses"))
    if misuse.ended is not None and misuse.kind == "use" and misuse.used == misuse.at:
        out.append(function.step(misuse.ended[0], misuse.ended[1] or "its owner is freed here", "ends"))
    return tuple(out)


def is_temporary(misuse: handles.HandleMisuse) -> bool:
    """Whether no name ever held the owner; of a callback, whether the call that stores it makes it."""
    kept = misuse.stored
    return misuse.temporary if kept is None else kept.at.start <= misuse.made.start and misuse.made.end <= kept.at.end


def fate(misuse: handles.HandleMisuse) -> str:
    """How the owner of what is returned or stored ends."""
    if misuse.temporary:
        return "is freed immediately"
    if misuse.ended is not None and misuse.kind == "store" and misuse.function.record.kind != "function":
        return "is released"
    return "is freed when the function returns"


# --- fixes ---


def fix(misuse: handles.HandleMisuse) -> Fix | None:
    """The temporary gets a name, where a name of the function is enough; a local callback, an attribute of `self`."""
    function, made = misuse.function, misuse.made
    statement = _statement_at(function, made)
    if not isinstance(statement, r.Evaluate | r.Leave):
        return None
    if misuse.stored is not None:
        return _kept_on_self(misuse, statement, made)
    if (
        not misuse.temporary
        or _is_inside(statement, made)
        or function.record.kind not in ("function", "method", "constructor")
    ):
        return None
    match statement:
        case r.Evaluate(value=r.Assign(target=r.Member(base=r.Member()) as target, op="=", value=value)) if (
            handle_addresses.root(target) == "self" and function.is_method and value.span == made
        ):
            return _beside_on_self(function, target, made)
        case r.Evaluate(value=r.Assign(target=r.Member(base=base) | r.Index(base=base), value=value)):
            if (
                misuse.kind != "store"
                or handle_addresses.root(base) not in function.declared
                or handle_addresses.root(base) in handle_addresses.leaving_names(function)
            ):
                return None
            if handle_addresses.root(base) in function.parameter_names:
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


def _kept_on_self(misuse: handles.HandleMisuse, statement: r.Statement, made: Span) -> Fix | None:
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
