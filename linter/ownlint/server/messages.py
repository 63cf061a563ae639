"""What the protocol process and its runner say to each other; positions are counted as the editor counts them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from ownlint.choices import Certainty, Severity

Encoding = Literal["utf-8", "utf-16", "utf-32"]


class ScreenPlace(NamedTuple):
    """A range of a file by an absolute path; lines and characters count from 0, the end is exclusive."""

    path: str
    line: int
    character: int
    end_line: int
    end_character: int


class PlacedNote(msgspec.Struct, frozen=True):
    """A place with what is said of it."""

    place: ScreenPlace
    message: str


class TextChange(msgspec.Struct, frozen=True):
    """The text of the range becomes `text`."""

    place: ScreenPlace
    text: str


class OfferedFix(msgspec.Struct, frozen=True):
    title: str
    safe: bool
    changes: tuple[TextChange, ...]


class Shown(msgspec.Struct, frozen=True):
    """A finding as an editor shows it."""

    rule: str
    severity: Severity
    certainty: Certainty
    message: str
    place: ScreenPlace
    help: str = ""
    reason: str = ""
    fingerprint: str = ""
    steps: tuple[PlacedNote, ...] = ()
    fix: OfferedFix | None = None
    suppression: TextChange | None = None
    """The comment that silences it, without a reason."""


class FileReport(msgspec.Struct, frozen=True):
    """All that is known of one open file. `incomplete` says where and why its analysis is."""

    path: str
    findings: tuple[Shown, ...] = ()
    incomplete: tuple[PlacedNote, ...] = ()


class BindingFact(msgspec.Struct, frozen=True):
    """What the contract of one binding says, as Markdown. `symbol` is its name in Python, `Class.member`."""

    symbol: str
    place: ScreenPlace
    text: str


# --- to the runner ---------------------------------------------------------------------------------


class OpenBuffer(msgspec.Struct, frozen=True):
    """A file that is open in the editor; `text` is None where the disk holds the same."""

    path: str
    text: str | None = None


class CheckJob(msgspec.Struct, frozen=True, tag="check"):
    """Report on the open files of one workspace folder; what was edited last comes first."""

    number: int
    folder: str
    buffers: tuple[OpenBuffer, ...]
    encoding: Encoding
    given: dict[str, Any]
    """What the command line and the editor say, by the names of options."""


class ContractJob(msgspec.Struct, frozen=True, tag="contracts"):
    """Tell what the bindings of the projects of these files promise."""

    number: int
    folder: str
    buffers: tuple[OpenBuffer, ...]
    encoding: Encoding
    given: dict[str, Any]


class Cancel(msgspec.Struct, frozen=True, tag="cancel"):
    """End the job that runs."""


Job = CheckJob | ContractJob
Request = CheckJob | ContractJob | Cancel


# --- from the runner -------------------------------------------------------------------------------


class Reached(msgspec.Struct, frozen=True, tag="reached"):
    """How far a job has come; `of` is 0 where that is not known."""

    number: int
    doing: str
    done: int
    of: int


class Checked(msgspec.Struct, frozen=True, tag="checked"):
    """The report on the open files of one project."""

    number: int
    files: tuple[FileReport, ...]


class Promised(msgspec.Struct, frozen=True, tag="told"):
    """The facts of one project, which is a folder."""

    number: int
    root: str
    facts: tuple[BindingFact, ...]


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """Why a project could not be analysed, in one line: a mistake in its settings, a job that crashed."""

    number: int
    reason: str


class Finished(msgspec.Struct, frozen=True, tag="finished"):
    """The last word of a job."""

    number: int


Reply = Reached | Checked | Promised | Failed | Finished

_requests: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)
_replies: msgspec.json.Decoder[Reply] = msgspec.json.Decoder(Reply)


def encode(message: Request | Reply) -> bytes:
    return msgspec.json.encode(message)


def request_of(data: bytes) -> Request:
    return _requests.decode(data)


def reply_of(data: bytes) -> Reply:
    return _replies.decode(data)


def texts(buffers: Sequence[OpenBuffer]) -> dict[str, str]:
    """By path, what differs from the disk."""
    return {each.path: each.text for each in buffers if each.text is not None}
