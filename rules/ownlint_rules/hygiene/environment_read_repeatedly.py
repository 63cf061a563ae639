"""An environment variable is read repeatedly, or in several places.

Each place that reads a variable decides for itself what its text means, and each time it is read it may say something
else: two halves of a program then disagree about a setting. Reading is a search through all variables, and a race
with whoever changes one.

bad:

```cpp
class Executable {
 public:
  Executable() : verbose_(std::getenv("EXEC_VERBOSE") != nullptr) {}
 private:
  bool verbose_;
};

class Planner {
 public:
  Planner() {
    const char* verbose = std::getenv("EXEC_VERBOSE");
    verbose_ = verbose != nullptr && *verbose == '1';
  }
 private:
  bool verbose_;
};
```

good:

```cpp
bool Verbose() {
  static const bool verbose = std::getenv("EXEC_VERBOSE") != nullptr;
  return verbose;
}
```

Reported for a variable that several functions read, one finding for all of them, and for one that a loop reads. The
name may stand in a constant or a macro, or be put together from constants; the reading in a function or a macro of the
project's own that is given the name. Where the project changes the variable, that is a step.

Shown with `--certainty possible` for one that a constructor alone reads, in its body, in its initialisers or as a
member's initial value: often few objects are made.

Quiet for the initial value of a static and of a variable outside of functions, what a once flag guards, `main`, the
one object that a project keeps of a class, functions of one name in several files (siblings for several systems),
tests, what is read to be put back later, and the system's own variables (`[env]` of the models).

Limits: names that are put together in other ways than by `+` are not known. What a caller runs once only is not seen.

Source: a review of GPU command-buffer caching in XLA, where two constructors read one variable.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Class, Finding, Function, Program, Step, because, records, rule
from ownlint_rules.hygiene import _environment as environment

_MAY_CHANGE = "harmless if changes of the environment while the process runs are meant to be seen"
_MAY_BE_FEW = "it is not known how many are created"


@rule(severity="note")
def environment_read_repeatedly(program: Program) -> Iterator[Finding]:
    around = environment.environment(program)
    by_name: dict[str, list[environment.EnvironmentReading]] = {}
    for reading in around.readings:
        by_name.setdefault(reading.variable, []).append(reading)
    for variable, readings in sorted(by_name.items()):
        places = _places(readings)
        if len(places) > 1:
            yield _in_several(around, variable, places)
        else:
            yield from (_each_time(around, reading) for reading in readings if reading.when in ("construction", "loop"))


def _places(readings: list[environment.EnvironmentReading]) -> list[environment.EnvironmentReading]:
    """One for each function; functions of one name are one, in whatever file."""
    seen: dict[str, environment.EnvironmentReading] = {}
    for reading in readings:
        seen.setdefault(_whose(reading), reading)
    return list(seen.values())


def _whose(reading: environment.EnvironmentReading) -> str:
    if reading.function is None:
        return reading.owner.symbol if reading.owner is not None else ""
    outer = reading.function
    while outer.parent is not None:
        outer = outer.parent
    return outer.symbol


def _in_several(
    around: environment.ProgramEnvironment, variable: str, places: list[environment.EnvironmentReading]
) -> Finding:
    last = places[-1]
    steps = tuple(_step(one, one.call, "also read here") for one in places[:-1])[:4]
    meanings = {one.understood for one in places if one.understood}
    differently = ", which interpret it differently" if len(meanings) > 1 else ""
    return _subject(last).finding(
        last.call,
        f"`{variable}` is read in {len(places)} places{differently}",
        certainty=because("intent", _MAY_CHANGE),
        help="read it in one function and call that",
        steps=steps + _race(around, variable),
    )


def _each_time(around: environment.ProgramEnvironment, reading: environment.EnvironmentReading) -> Finding:
    if reading.when == "loop":
        message = f"`{reading.variable}` is read in every iteration"
    else:
        name = reading.owner.name if reading.owner is not None else "object"
        article = "an" if name[:1].lower() in "aeiou" else "a"
        message = f"`{reading.variable}` is read each time {article} `{name}` is constructed"
    return _subject(reading).finding(
        reading.call,
        message,
        certainty=because("intent", _MAY_CHANGE) if reading.when == "loop" else because("possible", _MAY_BE_FEW),
        help="read it once into a static",
        steps=_race(around, reading.variable),
    )


def _subject(reading: environment.EnvironmentReading) -> Function | Class:
    subject = reading.function if reading.function is not None else reading.owner
    assert subject is not None
    return subject


def _step(reading: environment.EnvironmentReading, at: records.Call, message: str) -> Step:
    return _subject(reading).step(at, message)


def _race(around: environment.ProgramEnvironment, variable: str) -> tuple[Step, ...]:
    """Where the variable is changed: a reading at that moment is a race."""
    changes = [change for change in around.changes if change.variable == variable]
    return tuple(change.function.step(change.call, "the environment is modified here") for change in changes[:1])
