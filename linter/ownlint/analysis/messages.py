"""What the parent tells the analyst, and what analyst and workers say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import msgspec

from ownlint.children import MEMORY
from ownlint.children import tell as tell_bytes
from ownlint.finding import Crash, Finding, TooLarge
from ownlint.incremental.kept import FactsEntry


class Limits(msgspec.Struct, frozen=True):
    """The last guard: ordinary work is bounded by counted steps, see `program.steps`. A judgement may take `seconds` of
    wall time, and one more for each `a_second` bytes of the project; so may building the program. `memory` is the
    address space of a child in bytes; one that uses more than three quarters of it is replaced."""

    seconds: float = 60.0
    a_second: int = 100_000
    memory: int = MEMORY

    def deadline(self, size: int) -> float:
        return float(round(self.seconds + size / self.a_second))


DEFAULT = Limits()


class Recalled(NamedTuple):
    """What was kept of the rules of a group, and by what it is found what was kept of the project with it."""

    findings: bytes
    project: str


class RunMemory(NamedTuple):
    """What is kept from run to run; all of it is asked in a child.

    `recall` gives what was kept of a group (its number), None where there is nothing; `project` what was kept of the
    project with it, None where that is not there any more. `keep` takes what is to be kept of groups, by their numbers,
    and of the project. `facts` gives the facts of a file by their key, None where they are not there any more."""

    recall: Callable[[int], Recalled | None]
    project: Callable[[str], bytes | None]
    keep: Callable[[Mapping[int, bytes], bytes], None]
    facts: Callable[[str], bytes | None]
    files: Mapping[str, FactsEntry]


class Progressed(msgspec.Struct, frozen=True, tag="progress"):
    done: int
    of: int


class SaidOfCase(msgspec.Struct, frozen=True, tag="said"):
    """What was found by the rules of the group with that number. Behind crashes, the worker leaves."""

    group: int
    case: int = 0
    """By its number among all."""
    findings: tuple[Finding, ...] = ()
    crashes: tuple[Crash, ...] = ()
    large: tuple[TooLarge, ...] = ()


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    reason: str


class Holding(msgspec.Struct, frozen=True, tag="holding"):
    """What a worker has found out about what was kept: by group, the names of the subjects that do not hold any more;
    and of what was kept of the project, by its name, the questions about all files that say what they said."""

    gone: dict[int, tuple[str, ...]]
    same: dict[str, tuple[str, ...]]


class WrittenDown(msgspec.Struct, frozen=True, tag="written"):
    """What a worker has written down of a group, before it leaves; without one, of the project."""

    group: int | None
    kept: bytes


class Leaving(msgspec.Struct, frozen=True, tag="leaves"):
    """The worker has grown and wants to be replaced, before it comes to the case with the number `next`."""

    next: int


class Ahead(msgspec.Struct, frozen=True, tag="ahead"):
    """The analyst judges some cases itself, or has done so: where it is lost meanwhile, another begins without that."""

    over: bool


class Done(msgspec.Struct, frozen=True, tag="done"):
    pass


Message = Progressed | SaidOfCase | Refused | Holding | WrittenDown | Leaving | Ahead | Done
_decoder: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)


def tell(descriptor: int, message: Message) -> None:
    """Writes it, whole."""
    tell_bytes(descriptor, msgspec.json.encode(message))


def heard(data: bytes) -> Message:
    return _decoder.decode(data)
