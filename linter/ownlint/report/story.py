"""A finding as a story: its stops in the order in which they happen, what happens at each, and to whom.

Where a rule says no role, it is read from the words of its sentence, and is `turn` where they say nothing about
ownership. A role chooses a sign in a picture, nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from ownlint.choices import Role
from ownlint.report.model import Located, LocatedStep, Region

_ROLES: tuple[tuple[Role, re.Pattern[str]], ...] = (
    # Nobody does it: that is news about the way, not about the thing.
    (
        "turn",
        re.compile(
            r"\b(?:not|nothing|never|without) (?:\w+ )?(?:releas|free|check|destroy|steal)"
            r"|\bcan (?:(?:still )?fail|be \w+)\b|\bon some paths\b"
        ),
    ),
    ("uses", re.compile(r"\b(?:used|uses|is (?:returned|stored|called|read|accessed|checked|compared|passed))\b")),
    ("borrows", re.compile(r"\bborrowed from\b")),
    ("lends", re.compile(r"\bis bound\b|\bbinding returns\b|\bwithout keeping\b|\bkeeps? nothing\b|\bover `self`")),
    ("borrows", re.compile(r"\b(?:borrow\w*|lent|points? into|taken from)\b|\bis a (?:view|reference|pointer)\b")),
    ("ends", re.compile(r"\b(?:ends?|deleted|erase[sd]?|free[sd]|closed|unmapped|destroy(?:s|ed)|donated)\b")),
    ("ends", re.compile(r"\b(?:released?|releases|given (?:away|up)|moved from|overwritten|transformed)\b")),
    ("owns", re.compile(r"\b(?:own(?:s|ed)|acquires?d?|created|constructed|allocated|assigned here)\b")),
    ("uses", re.compile(r"\b(?:reads?|calls?|accessed)\b")),
)
_CODE = re.compile(r"`[^`]*`")


def role_of(message: str) -> Role:
    """What the sentence says, the first that fits; names between backticks are not looked at."""
    text = _CODE.sub(lambda match: "`self`" if match[0] == "`self`" else "`_`", message)
    return next((role for role, pattern in _ROLES if pattern.search(text)), "turn")


class Stop(msgspec.Struct, frozen=True):
    """One step, or the finding itself (`main`)."""

    path: str
    region: Region
    message: str
    role: Role
    main: bool = False


def is_python(path: str) -> bool:
    return path.endswith((".py", ".pyi"))


def stops(finding: Located) -> list[Stop]:
    """The steps, with the finding where it happens among them. A step at the finding's own place stands for it."""
    found = [Stop(step.path, step.region, step.message, step.role or role_of(step.message)) for step in finding.steps]
    for at, step in enumerate(finding.steps):
        if step.path == finding.path and step.region == finding.region:
            found[at] = msgspec.structs.replace(found[at], main=True)
            return found
    itself = Stop(finding.path, finding.region, finding.message, role_of(finding.message), main=True)
    found.insert(_place(finding, finding.steps), itself)
    return found


def _place(finding: Located, steps: Sequence[LocatedStep]) -> int:
    """In its file behind what stands before or in it; else before what follows there; else behind its own language."""
    here = [at for at, step in enumerate(steps) if step.path == finding.path]
    before = [at for at in here if steps[at].region.start < finding.region.end]
    if before:
        return before[-1] + 1
    if here:
        return here[0]
    python = is_python(finding.path)
    return max((at + 1 for at, step in enumerate(steps) if is_python(step.path) == python), default=len(steps))


# --- who is in it -------------------------------------------------------------------------------


Kind = Literal["owner", "borrower", "way"]


class Lane(msgspec.Struct, frozen=True):
    kind: Kind
    name: str


class Story(msgspec.Struct, frozen=True):
    """`lane_of` has a number of a lane for each stop. `end` is where the owner's life ends, in numbers of stops from 0:
    a half is between two of them; None where nobody says so. The owner is the first lane; where nobody says whose life
    the story is about there is nothing to draw, and no lane."""

    lanes: tuple[Lane, ...]
    lane_of: tuple[int, ...]
    end: float | None


_OWNER = re.compile(r"\bowner `([^`]+)`|\bafter `([^`]+)`(?:, whose \w+ it stores,)? was (?:freed|destroyed)")
_NAME = re.compile(r"`([^`]+)`")
_GONE = re.compile(r"\b(?:is already|was) (?:freed|destroyed)\b")
_DIES_LATER = re.compile(r"\bfreed (?:when|with)\b")
_DIES_AT_ONCE = re.compile(r"\bno variable holds it\b|\bfreed immediately\b")


def story(finding: Located, told: Sequence[Stop]) -> Story:
    kinds = [_kind(stop.role) for stop in told]
    owner = _owner(finding, told)
    borrower = _named(finding, told, ("borrows", "uses", "lends"), {owner})
    if not borrower and "owner" in kinds:  # the thing itself is used
        kinds = ["owner" if kind == "borrower" else kind for kind in kinds]
    if len(told) < 2 or not owner or not ("owner" in kinds or _tells_owner(finding)):
        return Story((), (0,) * len(told), None)
    if not borrower:  # the thing itself is used; where it is told in passing alone, that is news about the path
        instead: Kind = "owner" if "owner" in kinds else "way"
        kinds = [instead if kind == "borrower" else kind for kind in kinds]
    names = {"owner": owner, "borrower": borrower, "way": finding.symbol or finding.path.rpartition("/")[2]}
    present = [kind for kind in ("owner", "borrower", "way") if kind == "owner" or kind in kinds]
    lanes = tuple(Lane(kind, names[kind]) for kind in present)
    return Story(lanes, tuple(present.index(kind) for kind in kinds), _end(told))


def _kind(role: Role) -> Kind:
    match role:
        case "owns" | "ends":
            return "owner"
        case "lends" | "borrows" | "uses":
            return "borrower"
        case "guards" | "turn":
            return "way"


def _tells_owner(finding: Located) -> bool:
    return any(_OWNER.search(text) for text in _sentences(finding))


def _sentences(finding: Located) -> list[str]:
    return [finding.message, *(step.message for step in finding.steps)]


def _owner(finding: Located, told: Sequence[Stop]) -> str:
    for text in _sentences(finding):
        if match := _OWNER.search(text):
            return match[1] or match[2]
    return _named(finding, told, ("owns", "ends"), set())


def _named(finding: Located, told: Sequence[Stop], roles: Sequence[Role], taken: set[str]) -> str:
    """The first name in the sentences of these roles: what lends last, for it names a call and no thing; steps before
    the headline; those of the finding's own language before others."""
    python = is_python(finding.path)
    for stop in sorted(told, key=lambda stop: (stop.role == "lends", stop.main, is_python(stop.path) != python)):
        if stop.role in roles and (name := _first_name(stop.message, taken)):
            return name
    return _first_name(finding.message, taken)


def _first_name(message: str, taken: set[str]) -> str:
    return next((match[1] for match in _NAME.finditer(message) if match[1] not in taken), "")


def _end(told: Sequence[Stop]) -> float | None:
    ends = [at for at, stop in enumerate(told) if stop.role == "ends"]
    if ends:
        return float(ends[0])
    for at, stop in enumerate(told):
        if _GONE.search(stop.message):
            return at - 0.5
    for pattern in (_DIES_LATER, _DIES_AT_ONCE):
        for at, stop in enumerate(told):
            if pattern.search(stop.message):
                return at + 0.5
    return None
