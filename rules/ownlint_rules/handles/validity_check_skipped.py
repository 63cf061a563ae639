"""A method uses a native handle without the validity check that its siblings make.

## What it reports

- a method or bound function that passes a native handle to native code without the validity check that most of its
  siblings make first (the message gives the ratio)
- the same if the check comes after the use, checks another object, or is missing on some path
- once per class, with the lowest confidence, a check that no function makes
- in Python the same of attributes that hold what a library of `ctypes` or `cffi` has returned

## Why it is a bug

A wrapper outlives what it wraps: the file is closed, the node is erased. Methods therefore start with a check that
raises. The one that does not passes a dangling handle to native code.

## Example

bad:

```cpp
class Reader {
 public:
  int width() { ensureOpen(); return codec_width(codec_); }
  int height() { ensureOpen(); return codec_height(codec_); }
  int depth() { return codec_depth(codec_); }
  void close() { codec_close(codec_); closed_ = true; }
 private:
  void ensureOpen() { if (closed_) throw Closed(); }
  codec_t* codec_;
  bool closed_ = false;
};
```

```text
case.cc:5: error: `depth` passes `codec_` to `codec_depth` without checking that its object is still valid: 2 of 3
    similar functions check first
  help: call `ensureOpen` first
```

good:

```cpp
class Reader {
 public:
  int width() { ensureOpen(); return codec_width(codec_); }
  int height() { ensureOpen(); return codec_height(codec_); }
  int depth() { ensureOpen(); return codec_depth(codec_); }
  void close() { codec_close(codec_); closed_ = true; }
 private:
  void ensureOpen() { if (closed_) throw Closed(); }
  codec_t* codec_;
  bool closed_ = false;
};
```

## How to fix it

Call the check first, as they do.

## What it does not report

- functions that test the flag by hand, and accessors that check
- helpers whose callers all check
- constructors and destructors (in C, functions that free the object), functions that set the flag, static methods,
  comparisons and hashes of the pointers
- a pointer that is its own flag, passed to a function that does nothing if it is null
- handles that are only passed on, and classes in which fewer than half of the functions check

## Known limitations

- A check is a function that only throws, aborts or fails depending on a flag of the object or its owner, one that calls
  such a function, or a condition that three functions test first; fewer where the flag is stored as the object ends.
- A flag that starts unset ("not started yet"), and that nothing sets which ends the handle, is reported only if nearly
  all siblings check it.
- An object that is invalidated between the check and the use is not detected.

## Source

MLIR's Python bindings, `checkValid` on blocks, regions and values; LLVM 16 to 22.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ownlint import (
    Certainty,
    Class,
    Finding,
    Function,
    Place,
    Program,
    because,
    natives,
    places,
    questions,
    refusals,
    rule,
    types,
    validity,
    weaker,
    wrapped_objects,
)
from ownlint_rules.handles import _python_validity as python_validity

_UNASKED = frozenset({"__eq__", "__ne__", "__hash__", "__bool__", "__del__"})
_LEAST = 2
"""How many similar functions make the check where it is what is meant."""
_MANY = 3


class _Judged(NamedTuple):
    function: Function
    at: Place
    use: validity.ValidityUse
    kind: validity.Kind


@rule(
    severity="error",
    cwe=(416,),
    languages=("cpp", "python"),
    anchors=(r"\bCDLL\(", r"\bdlopen\(", r"\brestype\b", r"\bcdef\b"),
)
def validity_check_skipped(cls: Class) -> Iterator[Finding]:
    if cls.file.language == "python":
        yield from python_validity.skipped(cls)
        return
    yield from _by_guard(cls)
    yield from _by_owner(cls)


def _by_guard(cls: Class) -> Iterator[Finding]:
    known = validity.of(cls.program)
    if cls not in known.guards or cls not in known.contexts:
        return
    if not known.is_made(cls) and not all(guard.owners for guard in known.guards_of(cls)):
        return
    fields: dict[str, list[_Judged]] = {}
    for function, at, seen_as in known.contexts[cls]:
        for judged in _judged(function, at, seen_as):
            fields.setdefault(judged.use.field, []).append(judged)
    asked = _asked_pointers(known, cls)
    for field, judged_of_field in fields.items():
        if field not in known.outliving(cls) and (not asked or field in asked):
            yield from _compare(cls, known, judged_of_field)


def _asked_pointers(known: validity.Validity, cls: Class) -> frozenset[str]:
    """The members of which the checks of a class ask no more than whether they are null: that says nothing of others.
    None where something else is asked, which says how it is with the object."""
    guards = known.guards_of(cls)
    flags = {flag for guard in guards for flag in guard.flags}
    if any(guard.owners for guard in guards) or any(len(flag) > 1 for flag in flags):
        return frozenset()
    found = {flag[0]: cls.field(flag[0]) for flag in flags}
    is_pointer = [one is not None and bool(types.parse(one[1].type).pointers) for one in found.values()]
    return frozenset(found) if is_pointer and all(is_pointer) else frozenset()


def _by_owner(cls: Class) -> Iterator[Finding]:
    """A class without a check of its own, whose objects stand for parts of what their owner stands for: what the check
    of the owner says holds for them, too."""
    known = validity.of(cls.program)
    if known.guards_of(cls):
        return
    found, names = natives.natives(cls.program), cls.program.names
    handles = {field.name: types.parse(field.type).last for field in cls.record.fields if not field.static}
    for field in cls.record.fields:
        kind = types.parse(names.expand(field.type, cls.file, cls.symbol))
        led_to = kind.arguments[0] if kind.arguments else kind.name
        owner = names.find_class(led_to, cls.symbol, cls.file)
        if owner is None or owner is cls or not (guards := known.guards_of(owner)):
            continue
        outer = set(found.pointed_to_by(owner))
        parts = {name for name, inner in handles.items() if any(found.reaches(one, inner) for one in outer)}
        judged = [
            one
            for function, root in _seeing(cls)
            if parts
            for one in _judge(known, function, (root,), cls, (root, field.name), guards)
            if one.use.field in parts
        ]
        checking = [one for one in judged if one.kind == "checked"]
        skipping = [
            one for one in judged if one.kind not in ("checked", "asked") and not _is_helper(known, one, guards)
        ]
        if checking and len(checking) >= len(skipping):
            share = f"{len(judged) - len(skipping)} of {len(judged)} similar functions make the check"
            for one in skipping:
                sure = because("convention", f"that the check is needed is inferred: {share}")
                count = len(judged) - len(skipping)
                yield _finding(known, one, guards, count, len(judged), checking[0], sure)


def _seeing(cls: Class) -> Sequence[tuple[Function, str]]:
    """The methods of the class, and the functions of C that are given one of its objects first, with what it is there;
    but for those that end what it stands for."""
    return _seers(cls.program).get(cls, ())


@questions.program_question
def _seers(program: Program) -> dict[Class, list[tuple[Function, str]]]:
    found: dict[Class, list[tuple[Function, str]]] = {}
    for function, (cls, root) in _seen(program).items():
        found.setdefault(cls, []).append((function, root))
    return found


@questions.each_function
def _seen(function: Function) -> tuple[Class, str] | None:
    record, program = function.record, function.program
    seen: tuple[Class | None, str] = None, ""
    if function.language == "cpp" and record.kind == "method":
        seen = function.home, "this"
    elif function.language == "cpp" and function.home is None and record.parameters and record.kind == "function":
        first = record.parameters[0]
        seen = wrapped_objects.class_of_parameter(function, first), first.name
    cls, root = seen
    if cls is None or validity.of(program).guards_of(cls):
        return None
    if any(True for _ in natives.destroys(function, natives.natives(program))):
        return None
    return None if root != "this" and natives.ends_itself(function) is not None else (cls, root)


def _is_helper(known: validity.Validity, one: _Judged, guards: list[refusals.ValidityGuard]) -> bool:
    """Whether all who call the function make the check, and somebody does."""
    callers = one.function.program.index.callers(one.function)
    return bool(callers) and all(
        any(
            known.first_check(caller, (root, one.at[-1]), guards) is not None for root in ("this", *_parameters(caller))
        )
        for caller in callers
    )


def _parameters(function: Function) -> Iterator[str]:
    yield from (parameter.name for parameter in function.record.parameters[:1])


@questions.flow_question
def _judged(function: Function, root: Place, cls: Class) -> tuple[_Judged, ...]:
    return tuple(_judge(validity.of(function.program), function, root, cls))


def _judge(
    known: validity.Validity,
    function: Function,
    root: Place,
    cls: Class,
    at: Place | None = None,
    guards: list[refusals.ValidityGuard] | None = None,
) -> Iterator[_Judged]:
    """The worst use of each handle of the object at `root`; `at` is the one that is checked, if that is another."""
    at, guards = at or root, guards or known.guards_of(cls)
    if _is_exempt(known, function, at, guards):
        return
    uses = [use for use in known.uses(function, root, cls) if not validity.compares(use.callee)]
    if validity.compares(function.name):  # pointers can be compared when what they lead to is gone
        uses = [use for use in uses if not use.callee]
    if not uses:
        return
    ways = known.ways(function, at, guards)
    worst: dict[str, _Judged] = {}
    for use in uses:
        if ways.asks(use.event):
            continue
        kind = ways.to(use.event)
        if use.field not in worst or _WORSE.index(kind) > _WORSE.index(worst[use.field].kind):
            worst[use.field] = _Judged(function, at, use, kind)
    own = [guard for guard in guards if guard.function is function]
    if not any(
        guard.answers and guard.owners for guard in own
    ):  # `return member_->valid();` only hands the question on
        yield from (one for one in worst.values() if not own or one.kind == "checked")


_WORSE = ("checked", "asked", "partly", "late", "never")


def _is_exempt(known: validity.Validity, function: Function, at: Place, guards: list[refusals.ValidityGuard]) -> bool:
    if function.record.kind in ("constructor", "destructor") or _frees(function, at):
        return True
    if known.sets_flag(function, at, guards) or any(_is_asked_by(guard.function, function) for guard in guards):
        return True
    binding = validity.of(function.program).bound_as(function)
    return binding is not None and binding.name in _UNASKED


def _frees(function: Function, at: Place) -> bool:
    """Whether a function of C frees the object itself on every path, as a `tp_dealloc` does: it may not refuse to."""
    first = function.record.parameters[0].name if function.record.parameters else ""
    call = natives.ends_itself(function) if at == (first,) else None
    if call is None:
        return False
    flow = function.flow
    return all(
        flow.dominates(call, leave) or any(places.names_in(test.value) == {first} for test, _ in flow.guards(leave))
        for leave in flow.leaves
    )


def _is_asked_by(guard: Function, function: Function) -> bool:
    """Whether a guard asks it whether the object is still there."""
    is_question = function.is_short and types.parse(function.record.result).name == "bool"
    return is_question and function is not guard and guard.mentions(function.name)


def _compare(cls: Class, known: validity.Validity, judged: list[_Judged]) -> Iterator[Finding]:
    """Whoever skips what most do."""
    checking = [one for one in judged if one.kind == "checked"]
    if not checking:
        yield from _nobody_asks(known, judged, known.guards_of(cls))
        return
    if len(checking) == len(judged):
        return
    judged = [_seen_from_outside(known, one, known.guards_of(cls)) for one in judged]
    careful = [one for one in judged if one.kind in ("checked", "asked")]
    skipping = [one for one in judged if one.kind not in ("checked", "asked")]
    guards = known.guards_of(cls)
    flags = {flag[0] for guard in guards for flag in guard.flags if len(flag) == 1}
    homes = {one.function.home for one in judged if one.function.home is not None}
    ending = [cls, *(home for home in homes if cls in home.ancestry)]  # the handle may be one of a derived class
    enough = [known.least_checks(one, name) for one in ending for name in sorted(flags)]
    least = min((_LEAST, *enough))
    unready = all(guard.unready for guard in guards) and min(enough, default=_MANY) >= _MANY
    reported: set[tuple[Function, str]] = set()
    for one in skipping:
        if (one.function, one.use.field) in reported:
            continue  # two objects in one comparison
        reported.add((one.function, one.use.field))
        certainty = _certainty(len(checking), len(careful), len(judged), least, unready=unready)
        if known.is_settled(cls):
            asked = " and ".join(f"`{name}`" for name in sorted({flag[-1] for guard in guards for flag in guard.flags}))
            certainty = weaker(certainty, because("value", f"{asked} is null although no code that was read clears it"))
        yield _finding(known, one, guards, len(careful), len(judged), checking[0], certainty)


def _nobody_asks(
    known: validity.Validity, judged: list[_Judged], guards: list[refusals.ValidityGuard]
) -> Iterator[Finding]:
    """A check that asks the owner, and that nobody makes: said once, and not for sure."""
    if all(guard.owners for guard in guards) and not any(guard.unready for guard in guards):
        one = judged[0]
        if one.kind == "never" and len(judged) >= _LEAST and not known.is_checked_outside(one.function, one.at, guards):
            yield _finding(known, one, guards, 0, len(judged), None, because("possible", "no sibling makes the check"))


def _seen_from_outside(known: validity.Validity, one: _Judged, guards: list[refusals.ValidityGuard]) -> _Judged:
    """The same, as careful as all who call the function are."""
    if one.kind in ("checked", "asked") or not known.is_checked_outside(one.function, one.at, guards):
        return one
    return one._replace(kind="asked")


def _certainty(checking: int, careful: int, all_of_them: int, least: int, *, unready: bool) -> Certainty:
    """`unready`: the check refuses an object that was just made, too, and nothing that ends it sets the flag."""
    share = f"{careful} of {all_of_them} similar functions make the check"
    if checking < least or (2 if checking < _MANY else 3) * careful < all_of_them:
        return because("possible", f"only {share}")
    if unready:
        enough = checking > _MANY and 4 * careful >= 3 * all_of_them
        return because("convention" if enough else "guess", f"that the check is needed is inferred: {share}")
    return because("convention", f"that the check is needed is inferred: {share}")


def _finding(
    known: validity.Validity,
    one: _Judged,
    guards: list[refusals.ValidityGuard],
    careful: int,
    all_of_them: int,
    example: _Judged | None,
    certainty: Certainty,
) -> Finding:
    guard = guards[0]
    origin = guard.origin or guard
    made = known.first_check(example.function, example.at, guards) if example is not None else None
    answers = types.parse(origin.function.record.result).name == "bool"
    said = f"`{origin.function.name}` {'returns whether' if answers else 'fails when'} the handle is " + (
        "still valid" if answers else "no longer valid"
    )
    steps = []
    if example is None or made is None or (example.function.path, made.span) != (origin.function.path, origin.at.span):
        steps.append(origin.function.step(origin.at, said, "guards"))
    if example is not None and made is not None:
        steps.append(example.function.step(made, f"`{validity.known_as(example.function)}` makes the check", "guards"))
    return one.function.finding(
        one.use.event,
        f"{_what(one)}{_why(one, guard)}: {careful} of {all_of_them} similar functions check first",
        certainty=certainty,
        help=f"call `{guard.name}` first" if guard.is_called else f"check `{min(guard.flags)[-1]}` first, as they do",
        steps=tuple(steps),
    )


def _what(one: _Judged) -> str:
    if not one.use.callee:
        return f"`{validity.known_as(one.function)}` uses `{one.use.shown}`"
    return f"`{validity.known_as(one.function)}` passes `{one.use.shown}` to `{one.use.callee}`"


def _why(one: _Judged, guard: refusals.ValidityGuard) -> str:
    if one.kind == "late":
        return f" before `{guard.name}` is {'called' if guard.inline is None else 'checked'}"
    if one.kind == "partly":
        return f", but not every path {'calls' if guard.inline is None else 'checks'} `{guard.name}` first"
    shown = one.use.shown.rpartition("->")[0]
    name = shown if len(one.at) == 1 and shown.isidentifier() and one.use.callee else one.at[-1]
    about = "its object" if one.at == ("this",) else f"`{name}`"
    return f" without checking that {about} is still valid"
