"""What the use of an ended handle comes to in the version at hand of its library: an exception, or freed memory."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ownlint import Program, Step, handle_chains, handles, model_records


class Outcome(NamedTuple):
    """`what`: it `raises`, it `reads` freed memory, or it does so `if gone` and works where the object has survived."""

    version: model_records.Version
    what: Literal["raises", "reads", "if gone"]
    mild: bool
    """No memory is read that is not there, or hardly ever."""

    @property
    def message(self) -> str:
        where = " and ".join(f"{package} {ranges}" for package, ranges in sorted(self.version.packages.items()))
        says = {
            "raises": "this raises an exception",
            "reads": "this reads freed memory",
            "if gone": "this reads freed memory if the object was destroyed",
        }[self.what]
        return f"with {where} {says}"


def outcome(misuse: handles.HandleMisuse) -> Outcome | None:
    """None where nobody knows the version at hand, or what it marks."""
    stale, program = misuse.stale, misuse.function.program
    cls = program.models.python_class(misuse.child.cls)
    if stale is None or cls is None or not stale.marks:
        return None
    version = program.models.version_at(cls.library, program.packages)
    marks = dict(stale.marks).get(version.name, dict(stale.marks).get("", "")) if version is not None else ""
    if version is None or not marks:
        return None
    if _is_unchecked(cls, program):
        return Outcome(version, "if gone" if stale.how == "changed" else "reads", mild=False)
    steps = misuse.child.chain.steps
    match marks:
        case "all":
            return Outcome(version, "raises", mild=True)
        case "asked" if misuse.child.taken == stale.asked:
            return Outcome(version, "raises", mild=True)
        case "asked" if steps and steps[-1].startswith(handle_chains.PART):
            return None  # what was taken through that wrapper asks it, and what was not does not
        case "asked":
            return Outcome(version, "reads", mild=False)
    on_top = (
        sum(step.startswith(handle_chains.BELOW) for step in steps) == 1
    )  # passes seldom remove what stands at the top
    return Outcome(version, "if gone", mild=on_top)


def steps(misuse: handles.HandleMisuse) -> tuple[Step, ...]:
    """The last step of a misuse, where it is known."""
    told = outcome(misuse)
    return (misuse.function.step(misuse.at, told.message, "uses"),) if told is not None else ()


def is_mild(misuse: handles.HandleMisuse) -> bool:
    told = outcome(misuse)
    return told is not None and told.mild


def _is_unchecked(cls: model_records.PyClass, program: Program) -> bool:
    waiting = [cls]
    for one in waiting:
        if one.unchecked:
            return True
        waiting += [base for name in one.bases if (base := program.models.python_class(name)) not in (None, *waiting)]  # type: ignore[misc]
    return False
