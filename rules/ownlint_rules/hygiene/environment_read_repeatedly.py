"""An environment variable is read repeatedly, or in several places.

## What it reports

- a variable that several functions read (one finding for all of them), if they interpret its text differently: one
  makes a number of it that another compares with words or only asks for, they know other words for on and off, or fall
  back to other defaults
- the same where each decides by it, or takes it for a path, on its own, and a loop reads it or leads to one of them:
  each object that it constructs reads it
- the same where one takes an empty text for none, and another only asks whether there is a text, or has the same
  default for a missing one alone
- a variable that a place of Python reads with a default, or compares with words for on and off, and again a function
  that is called from there, or from the methods of the object that was being initialized, in the same way
- a variable by whose presence two objects of Python decide as they are initialized, where the methods of one construct
  the other
- a variable that places of Python, or of C++ and Python, interpret differently: its presence, words for on and off, an
  integer, a real number, a path, a list; or a missing variable
- a variable that a `for` loop of Python reads in every iteration
- a variable of which the constructors of two classes make the same number or choice, and one for which several
  functions of C or C++ spell out the same default
- with `--certainty possible`, a variable that is read in a loop or, in C++, by a function that a loop calls, and any
  that several functions or a constructor read

## Why it is a bug

Each place that reads a variable interprets its text on its own, and each read may return a different value: two parts
of a program then disagree about a setting. A read searches all variables, and races with any thread that calls
`setenv`.

## Example

bad:

```cpp
class Executable {
 public:
  Executable() : verbose_(std::getenv("EXEC_VERBOSE") != nullptr) {}
 private:
  bool verbose_;
};

void RunAll(const std::vector<Plan>& plans) {
  for (const Plan& plan : plans) {
    Executable executable;
    executable.Run(plan);
  }
}
```

```text
case.cc:3: note: `EXEC_VERBOSE` is read each time an `Executable` is constructed
  help: read it once into a static
```

good:

```cpp
bool Verbose() {
  static const bool verbose = std::getenv("EXEC_VERBOSE") != nullptr;
  return verbose;
}
```

## How to fix it

Read the variable once, in one function, into a function-local static, and call that function.

## What it does not report

- initializers of statics and of namespace-scope variables, code that a once flag guards, `main`, and singletons
- functions of one name in several files (variants for several systems), tests, and what the file of a `main` reads
  beside a library; in Python scripts with defaults of their own (`if __name__ == "__main__"`, imported nowhere), and
  those that build packages (`setup(..)`), are `possible`
- values that are read in order to be restored, and a default that is given to one function of the project each time
- in Python: places that read a variable alike and do not lead to each other, or by a function that is cached, that hand
  its text on, only show it in a log or an error, or set it as well; one that asks whether there is a variable of which
  the other uses the value; loops that wait or try again
- functions that are named after reading it again (`refresh_credentials`)
- variables of the system, and of what launches a program (`[env]` in the models)

## Known limitations

- Names that are composed other than with `+` are not known.
- In Python the case of letters is ignored (`== "True"` and `== "true"` are alike), and an empty text counts as missing.
  A text that is stored in a variable is followed in the functions of its own file, as an attribute in its own class. A
  mapping that may be another one (`env or os.environ`) is not known.
- In Python two parts of a project may each have a default of their own on purpose; that is not known.
- A Python file is read if it says `environ` or `getenv`, or has a text like `"LIKE_THIS"`.
- A loop in code that was not analysed is not known, nor how often it calls what the project exports.

## Source

a review of GPU command-buffer caching in XLA, where two constructors read one variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ownlint import Class, Finding, Function, Program, Step, because, habits, pairs, python_calls, records, rule
from ownlint import places as places_of
from ownlint_rules.hygiene import _environment as environment
from ownlint_rules.hygiene import _repeated as repeated
from ownlint_rules.hygiene import _text_meanings as text_meanings

_MAY_CHANGE = "harmless if changes of the environment while the process runs are meant to be seen"
_MAY_BE_FAST = "harmless where what is done besides takes longer"
_MAY_BE_FEW = "it is not known how many are created"
_MAY_BE_ONCE = "nothing shows that it is read often, changed or interpreted differently"
_APART = "they stand in programs of their own"
_NAMES = r"[\"'][A-Z][A-Z0-9]*_[A-Z0-9_]*[\"']"
"""In Python, the name of a variable, which may stand apart from where it is read."""
_SAID_BY_MANY = frozenset(
    {
        text_meanings.PRESENCE,
        text_meanings.PATH,
        text_meanings.VALUE,
        text_meanings.ASKED,
        text_meanings.LOOSE,
        text_meanings.TAKEN,
    }
)
"""What two places make of a text with no decision of their own."""
_DEEPEST = 2
"""So many functions are followed on the way from one place to another."""
_FEW = 2
"""So many places that make an object may belong to the start of the program."""


@rule(severity="note", languages=("cpp", "python"), anchors=(r"\benviron\b", r"\bgetenv\b", _NAMES))
def environment_read_repeatedly(program: Program) -> Iterator[Finding]:
    around = environment.environment(program)
    by_name: dict[str, list[environment.EnvironmentReading]] = {}
    for reading in around.readings:
        by_name.setdefault(reading.variable, []).append(reading)
    for variable, readings in sorted(by_name.items()):
        places = [one for one in _places(readings) if not _renews(one)]
        if len(places) > 1:
            found = _in_several(around, variable, places)
            if found is not None:
                yield found
        else:
            often = [reading for reading in readings if not _renews(reading) and _is_repeated(around, reading)]
            yield from (_each_time(around, reading) for reading in often[:1])  # more than one there are one mistake


def _is_repeated(around: environment.ProgramEnvironment, reading: environment.EnvironmentReading) -> bool:
    """Whether it stands in a loop or in a constructor, or in a function of C++ that a loop of the project calls."""
    if reading.when == "call" and not _is_python(reading):
        return around.loop_around(reading) is not None
    return reading.when in ("construction", "loop")


def _renews(reading: environment.EnvironmentReading) -> bool:
    """Whether the place is called so since it is to see a change: `refresh_credentials`."""
    return not habits.RENEWS.isdisjoint(pairs.words(_whose(reading).rpartition("::")[2]))


def _places(readings: list[environment.EnvironmentReading]) -> list[environment.EnvironmentReading]:
    """One for each function, with all that the function makes of the text; functions of one name are one, in whatever
    file."""
    seen: dict[str, list[environment.EnvironmentReading]] = {}
    for reading in readings:
        seen.setdefault(_whose(reading), []).append(reading)
    return [_together(one) for one in seen.values()]


def _together(readings: list[environment.EnvironmentReading]) -> environment.EnvironmentReading:
    """What one function reads, at the reading in a loop if there is one."""
    shown = next((one for one in readings if one.when == "loop"), readings[0])
    same = [one for one in readings if one.path == shown.path]
    every = frozenset[text_meanings.TextMeaning]().union(*(one.meanings for one in same))
    return shown._replace(meanings=text_meanings.plain(every))


def _whose(reading: environment.EnvironmentReading) -> str:
    """In Python what is read in one place is one reading already."""
    if reading.function is not None and reading.function.language == "python":
        return f"{reading.function.path}:{reading.call.start}"
    if reading.function is None:
        return reading.owner.symbol if reading.owner is not None else ""
    outer = reading.function
    while outer.parent is not None:
        outer = outer.parent
    return outer.symbol


def _in_several(
    around: environment.ProgramEnvironment, variable: str, places: list[environment.EnvironmentReading]
) -> Finding | None:
    """Places of Python are reported for what they contradict: to read a variable twice is usual there."""
    shared = _of_one_program(around, places)
    differing = _differing(shared)
    apart = _differing([one for one in places if _is_python(one)]) if not differing else []
    is_apart, differing = bool(apart), differing or apart
    last = differing[-1] if differing else places[-1]
    others = [*differing[:-1], *(one for one in places if one not in differing and one is not last)]
    steps = tuple(_step(one, one.call, _also(one, last)) for one in others)[:4]
    shown, count = _shown(variable, last), _COUNTS.get(len(places), str(len(places)))
    message = f"{shown} is read in {count} places"
    if differing:
        message += f" that interpret it differently{_differently(differing)}"
    else:
        message += ": the reads can disagree if the variable changes"
    native = [one for one in shared if not _is_python(one)]
    again = _read_again(around.program, shared) if is_apart or not differing else None
    if again is not None:
        return _subject(again.second).finding(
            again.second.call,
            message,
            certainty=because("intent", _MAY_CHANGE),
            help="read it in one function and call that, or pass on what was read",
            steps=(_step(again.first, again.first.call, f"{shown} is read here, for the same decision"), again.step),
        )
    if not differing and sum(not _is_python(one) for one in places) < 2:
        looped = next((one for one in places if one.when == "loop"), None)
        return _each_time(around, looped) if looped is not None else None
    often = next((step for one in native if (step := _often(around, one)) is not None), None)
    is_often = often is not None or any(one.when == "loop" for one in native)
    repeats = _repeat(native) and not _by_one_function(around.program, native)
    harms = (bool(differing) and not is_apart) or (_decide_alike(native) and is_often) or repeats
    return _subject(last).finding(
        last.call,
        message,
        certainty=because("intent", _MAY_CHANGE)
        if harms
        else because("possible", _APART if is_apart else _MAY_BE_ONCE),
        help="read it in one function and call that",
        steps=steps + ((often,) if often is not None else ()) + _race(around, variable),
    )


def _of_one_program(
    around: environment.ProgramEnvironment, places: list[environment.EnvironmentReading]
) -> list[environment.EnvironmentReading]:
    """Those of the library, or those of one command's file, if there are several: a command beside a library may read
    on its own what the library reads, but is one program itself."""
    library = [one for one in places if not around.is_of_command(one)]
    if len(library) > 1:
        return library
    by_file: dict[str, list[environment.EnvironmentReading]] = {}
    for one in places:
        by_file.setdefault(one.path, []).append(one)
    most = max(by_file.values(), key=len)
    return most if len(most) > 1 else []


_COUNTS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine"}


def _shown(variable: str, reading: environment.EnvironmentReading) -> str:
    """The variable, and the constant by which the place names it."""
    call = reading.call
    given = call.args if isinstance(call, records.Call) else call.indexes if isinstance(call, records.Index) else ()
    first = places_of.strip(given[0]) if given else None
    return f"`{variable}` (`{first.text}`)" if isinstance(first, records.Name) else f"`{variable}`"


def _differently(differing: list[environment.EnvironmentReading]) -> str:
    """What the last one and the first one make of the text, where both are known."""
    first, last = differing[0], differing[-1]
    here = text_meanings.told_apart(last.meanings, first.meanings)
    there = text_meanings.told_apart(first.meanings, last.meanings)
    return f": here {here}, there {there}" if here and there and here != there else ""


def _also(one: environment.EnvironmentReading, last: environment.EnvironmentReading) -> str:
    how = text_meanings.told_apart(one.meanings, last.meanings)
    also = f"`{one.variable}` is also read here{', in every iteration' if one.when == 'loop' else ''}"
    return f"{also}: {how}" if how else also


def _differing(places: list[environment.EnvironmentReading]) -> list[environment.EnvironmentReading]:
    """The places that contradict the last one that contradicts any, and that one."""
    pairs = list(text_meanings.contradictions([one.meanings for one in places]))
    if not pairs:
        return []
    last = max(second for _, second in pairs)
    return [places[at] for at in (*sorted(first for first, second in pairs if second == last), last)]


def _decide_alike(places: list[environment.EnvironmentReading]) -> bool:
    """Whether one decision is written more than once: what a text is made into, or, for objects that may be constructed
    at different times, whether there is one."""
    made = [{meaning for meaning in one.meanings if meaning.kind == "form"} for one in places]
    if not made or not all(made):
        return False
    return text_meanings.PRESENCE not in made[0] or all(one.when == "construction" for one in places)


def _repeat(places: list[environment.EnvironmentReading]) -> bool:
    """Whether the constructors of several classes make the same number or choice of a text, or several functions say
    the same default."""
    made = [{meaning for meaning in one.meanings if not text_meanings.is_off(meaning)} for one in places]
    owners = {one.owner for one in places}
    if len(made) < 2:
        return False
    common = set.intersection(*made) - _SAID_BY_MANY
    if None in owners:
        return len({_whose(one) for one in places}) > 1 and any(meaning.kind == "fallback" for meaning in common)
    return len(owners) > 1 and bool(common)


def _by_one_function(program: Program, places: list[environment.EnvironmentReading]) -> bool:
    """Whether all call one function of the project that reads it, or another that calls it: what a text says is decided
    there."""
    called = {places_of.last_name(one.call.callee) if isinstance(one.call, records.Call) else "" for one in places}
    known = {name: program.index.functions_called(name) for name in called}
    return any(
        functions and all(other == name or any(one.mentions(name) for one in known[other]) for other in called)
        for name, functions in known.items()
    )


class _Again(NamedTuple):
    """`first` decides what a text says; `step` leads from there to `second`, which decides it once more."""

    first: environment.EnvironmentReading
    second: environment.EnvironmentReading
    step: Step


def _read_again(program: Program, readings: list[environment.EnvironmentReading]) -> _Again | None:
    """Two places of Python that make the same decision with the same default, where the first, or another method of the
    object that it begins, calls the second or constructs its object."""
    code = python_calls.of(program)
    for second in readings:
        for first in readings:
            if first.function is None or second.function is None or not (_is_python(first) and _is_python(second)):
                continue
            if first.function is second.function or not _decided(first) & _decided(second):
                continue
            if first.when == second.when == "once":
                continue
            for function in (first.function, *_methods(first.function)):
                call = _leading(code, function, second.function, _optional(second), _DEEPEST, first)
                if call is not None:
                    shown = function.step(
                        call, f"`{places_of.last_name(call.callee)}` reads it again, and is called here"
                    )
                    return _Again(first, second, shown)
    return None


def _leading(
    code: python_calls.PythonCode,
    function: Function,
    target: Function,
    optional: frozenset[str],
    depth: int,
    first: environment.EnvironmentReading | None = None,
) -> records.Call | None:
    """A call in a function that leads to the target, which reads nothing where it is given one of `optional`; it comes
    after what the function itself has read `first`."""
    if function is target:
        return None
    for call in repeated.calls(function):
        if first is not None and function is first.function and not _comes_after(call, first):
            continue
        for called in code.functions_called(call, function):
            if called is target:
                if optional.isdisjoint(code.given_parameters(call, function, target).values):
                    return call
            elif depth and called is not function and _leading(code, called, target, optional, depth - 1) is not None:
                return call
    return None


def _comes_after(call: records.Call, reading: environment.EnvironmentReading) -> bool:
    """Whether a call in the function that reads comes after it has read, at least in the next round of a loop."""
    assert reading.function is not None
    loops = (one for one in reading.function.statements if isinstance(one, records.Loop))
    return reading.call.start < call.start or any(
        call.start in loop.span and reading.call.start in loop.span for loop in loops
    )


def _optional(reading: environment.EnvironmentReading) -> frozenset[str]:
    """The parameters of the function that stand for what is read: `base or os.environ["X"]`, `if base is None: ...`."""
    function = reading.function
    assert function is not None
    asked: list[records.Value] = []
    for value in function.values:
        match value:
            case records.Binary(op="or" | "||", left=left, right=right) if reading.call.start in right.span:
                asked.append(left)
            case records.Conditional(condition=condition) if reading.call.start in value.span:
                asked.append(condition)
    asked += [
        statement.condition
        for statement in function.statements
        if isinstance(statement, records.Branch) and reading.call.start in statement.span
    ]
    named = {one.text for value in asked for one in places_of.walk(value) if isinstance(one, records.Name)}
    return frozenset(one.name for one in function.record.parameters if one.name in named)


def _decided(reading: environment.EnvironmentReading) -> set[text_meanings.TextMeaning]:
    """The defaults that a place has, but for that there is none, and the words that it switches by; of an object that
    is initialized, which may be at any time, also whether there is a text."""
    defaults = {one for one in reading.meanings if one.kind in ("fallback", "computed") or text_meanings.switches(one)}
    asked = {text_meanings.ASKED} if reading.function is not None and _initializes(reading.function) else set()
    return {one for one in defaults if not text_meanings.is_empty(one)} | (asked & reading.meanings)


def _initializes(function: Function) -> bool:
    return function.home is not None and function.name in ("__init__", "__post_init__")


def _methods(function: Function) -> Sequence[Function]:
    home = function.home if _initializes(function) else None
    return [one for one in home.methods if one is not function] if home is not None else []


def _each_time(around: environment.ProgramEnvironment, reading: environment.EnvironmentReading) -> Finding:
    often = _often(around, reading)
    if reading.when == "loop":
        message = f"`{reading.variable}` is read in every iteration"
    elif reading.when == "call" and reading.function is not None:
        message = f"`{reading.variable}` is read each time `{reading.function.name}` is called"
    else:
        name = reading.owner.name if reading.owner is not None else "object"
        article = "an" if name[:1].lower() in "aeiou" else "a"
        message = f"`{reading.variable}` is read each time {article} `{name}` is constructed"
    is_often = reading.when == "loop" or often is not None
    return _subject(reading).finding(
        reading.call,
        message,
        certainty=because("long-run", _MAY_BE_FAST) if is_often else because("possible", _MAY_BE_FEW),
        help="read it once into a static",
        steps=((often,) if often is not None else ()) + _race(around, reading.variable),
    )


def _often(around: environment.ProgramEnvironment, reading: environment.EnvironmentReading) -> Step | None:
    """What makes the program come to the reading again and again, where it is not the loop around it."""
    site = around.loop_around(reading) if reading.when != "loop" else None
    if site is not None:
        return site.function.step(records.Span(site.start, site.start + 1), "a loop calls this here")
    made = around.constructions.sites(reading.owner) if reading.owner is not None else []
    if reading.owner is not None and around.constructions.places(reading.owner) > _FEW and made:
        last = made[-1]
        return last.function.step(
            records.Span(last.start, last.start + 1), f"`{reading.owner.name}` is constructed here"
        )
    return None


def _is_python(reading: environment.EnvironmentReading) -> bool:
    return reading.function is not None and reading.function.language == "python"


def _subject(reading: environment.EnvironmentReading) -> Function | Class:
    subject = reading.function if reading.function is not None else reading.owner
    assert subject is not None
    return subject


def _step(reading: environment.EnvironmentReading, at: records.Value, message: str) -> Step:
    return _subject(reading).step(at, message)


def _race(around: environment.ProgramEnvironment, variable: str) -> tuple[Step, ...]:
    """Where the variable is changed: a reading at that moment is a race."""
    changes = [change for change in around.changes if change.variable == variable]
    return tuple(change.function.step(change.call, "the environment is modified here") for change in changes[:1])
