"""Runs the rows of a built extension, each in a process of its own, and prints what happened: a line with row and word.

`dangles`: what is held is dead, or something was destroyed twice; `leaks`: what nobody holds is alive; `raises`: a
clean exception; `safe`; `refused`: the framework does not compile it. A process that dies says `crashes`. Freed memory
is poisoned by the caller (`MALLOC_PERTURB_`), and a destructor leaves a tombstone.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

KEPT_BY = {"set", "set_ka12", "set_ka01", "add"}
STORE = {"loose", "held", "sharing"}
CONSTRUCTORS = {"init_none": "Keeper0", "init_ka01": "Keeper1", "init_ka12": "Keeper2"}
LOCKED: dict[str, Callable[[], tuple[Any, ...]]] = {
    "gil_by_value": lambda: (object(),),
    "gil_vector": lambda: ([object(), object()],),
    "gil_returns": lambda: (),
    "gil_call": lambda: (lambda: 1,),
    "gil_attr": lambda: (12345,),
    "gil_const_ref": lambda: (object(),),
    "gil_handle": lambda: (object(),),
    "gil_std_function": lambda: (lambda: 7,),
    "gil_throws": lambda: (0,),
    "gil_capture": lambda: (lambda: 1,),
}
TEXT = "x" * 5000
HOLDERS = {"hold_object": "Box", "hold_function": "Called", "hold_shown": "Shown", "hold_shared": "Linked"}
MADE = ("giver_", "trust_", "hold_", "hidden_", "knot_", "local_", "handle_", "text_", "caster_", "ends_", "ring_")


def probe(module: Any, row: str) -> str:
    if row in LOCKED:
        getattr(module, row)(*LOCKED[row]())
        churn()
        return "safe"
    if row in CONSTRUCTORS:
        return stored(module, lambda child: getattr(module, CONSTRUCTORS[row])(child))
    if row in KEPT_BY or row == "look":
        return stored(module, lambda child: given(module.Setter(), row, child))
    if row == "slot":
        return stored(module, lambda child: assigned(module.Setter(), child))
    if row.startswith(MADE):
        return made(module, row)
    return handed_out(module, row)


def made(module: Any, row: str) -> str:
    """What a function makes that owns nothing, or that nobody owns."""
    if row.startswith("giver_"):
        return given_away(module, row)
    if row.startswith("trust_"):
        getattr(module, row)({TEXT: TEXT})
        return "safe"
    if row.startswith(("ring_", "hold_", "hidden_", "knot_")):
        {"ring": ring, "hold": hold, "hidden": join, "knot": knot}[row.partition("_")[0]](module, row)
        churn()
        return "leaks" if module.shapes() else "safe"
    function = getattr(module, row)
    if row.startswith("text_"):
        return "safe" if function(TEXT) else "dangles"
    if row.startswith(("caster_", "ends_")):
        function(*((4,) if row.startswith("caster_") else ()))
        return "leaks" if module.shapes() else "safe"
    result = function()
    churn()
    if row.startswith("handle_"):
        return "safe" if result == TEXT else "dangles"
    numbers = list(result.cast("d")) if isinstance(result, memoryview) else values(result)
    return "safe" if numbers == [1.0, 2.0, 3.0] else "dangles"


def ring(module: Any, row: str) -> None:
    first, second, third = module.Ring1(), module.Ring2(), module.Ring3()
    first.keep(second)
    second.keep(third)
    getattr(third, row)(first if row == "ring_closed" else module.Ring4())


def given_away(module: Any, row: str) -> str:
    """Whether the object that a caster keeps still has its references after some calls."""
    kept = getattr(module, row)()
    before = sys.getrefcount(kept)
    for _ in range(5):
        getattr(module, row)()
    return "safe" if sys.getrefcount(kept) == before else "dangles"


def hold(module: Any, row: str) -> None:
    """An object that holds a function which holds the object, or itself."""
    made = getattr(module, HOLDERS[row])()
    setattr(made, row, made if row == "hold_shared" else lambda: made and 1)


def join(module: Any, row: str) -> None:
    """An object of C's that holds itself."""
    made = getattr(module, row)()
    made.join(made)


def knot(module: Any, row: str) -> None:
    """A part of an object is handed out, and both names go."""
    whole = module.Pair()
    getattr(whole, row)()


def stored(module: Any, store: Callable[[Any], Any]) -> str:
    """Something is stored, and its last Python name goes away."""
    child = module.Child()
    holder = store(child)
    del child
    churn()
    return "safe" if holder.alive() and module.counts()[2] == 0 else "dangles"


def given(holder: Any, method: str, child: Any) -> Any:
    getattr(holder, method)(child)
    return holder


def assigned(holder: Any, child: Any) -> Any:
    holder.slot = child
    return holder


def handed_out(module: Any, row: str) -> str:
    """What is handed out is looked at after its owner's last name is gone, and the other way round."""
    owner = module.Store if row in STORE else module.Parent
    first = owner()
    result = taken(module, first, row)
    before = values(result)
    del first
    churn()
    alive = looked_at(result, before)
    del result
    churn()
    second = owner()
    result = taken(module, second, row)
    del result
    churn()
    result = taken(module, second, row)
    alive = alive and looked_at(result, before) and second.alive()
    del result, second
    churn()
    counts = module.counts()
    if not alive or counts[2]:
        return "dangles"
    return "leaks" if counts[0] or counts[1] else "safe"


def taken(module: Any, owner: Any, row: str) -> Any:
    if hasattr(module, row):
        return getattr(module, row)(owner)
    if isinstance(getattr(type(owner), row), property) or not callable(getattr(type(owner), row)):
        return getattr(owner, row)
    return getattr(owner, row)()


def looked_at(result: Any, before: list[float]) -> bool:
    if before:
        return values(result) == before
    if isinstance(result, list | tuple):
        return all(looked_at(each, before) for each in result)
    if hasattr(result, "__next__"):
        return all(each.alive() for each in result)
    return result.alive() if hasattr(result, "alive") else True


def values(result: Any) -> list[float]:
    """The first numbers of an array or of a view of memory; nothing of anything else."""
    if isinstance(result, memoryview):
        return list(result[:24])
    return [float(each) for each in result[:3]] if hasattr(result, "__array__") else []


def churn() -> None:
    gc.collect()
    kept = [bytes(size) for size in range(16, 4096, 16)]
    del kept
    gc.collect()


def apart(module: Any, row: str) -> str:
    """What happens to the row in a child of this process."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(readable)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.write(writable, told(module, row).encode())
        os._exit(0)
    os.close(writable)
    with os.fdopen(readable) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return "crashes" if status or not said else said


def told(module: Any, row: str) -> str:
    signal.alarm(60)
    try:
        return probe(module, row)
    except (TypeError, RuntimeError, ValueError) as error:
        return f"raises {type(error).__name__}: {str(error).splitlines()[0]}"
    except AttributeError as error:
        return "refused" if f"'{row}'" in str(error) else "crashes"


if __name__ == "__main__":
    folder, name, *rows = sys.argv[1:]
    sys.path.insert(0, folder)
    built = importlib.import_module(name)
    for each in rows:
        print(each, apart(built, each), flush=True)
