"""What the editor has open, what is known of it, and when it is analysed again.

Everything here runs in one thread, that of the event loop. A job is started when no edit has come for a while, and one
that analyses what is no longer there is ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import msgspec

from ownlint.server.messages import (
    BindingFact,
    Cancel,
    Checked,
    CheckJob,
    ContractJob,
    Encoding,
    Failed,
    FileReport,
    Finished,
    Job,
    OpenBuffer,
    PlacedNote,
    Promised,
    Reached,
    Reply,
    Request,
    Shown,
)
from ownlint.server.settings import EditorSettings


class OpenDocument(msgspec.Struct):
    """A file that is open; `report` is of the text of `reported`, a version."""

    uri: str
    path: str
    folder: str
    version: int
    text: str
    report: FileReport | None = None
    reported: int | None = None

    @property
    def is_current(self) -> bool:
        """Whether the report is of the text that is there now."""
        return self.report is not None and self.reported == self.version


class Editor(Protocol):
    """What a session wants to tell the editor."""

    def publish(self, document: OpenDocument) -> None:
        """Shows what is known of the document."""

    def complain(self, message: str) -> None:
        """Shows a line that says why nothing is known."""

    def begin(self, number: int, title: str) -> None: ...

    def reach(self, number: int, doing: str, done: int, of: int) -> None: ...

    def end(self, number: int) -> None: ...


class EditorSession:
    """The state of the server."""

    def __init__(self, editor: Editor, send: Callable[[Request], None], given: Mapping[str, Any]) -> None:
        self._editor = editor
        self._send = send
        self._given = given
        self.folders: list[str] = []
        """Those of the workspace; without any, each file is in that of its own."""
        self.encoding: Encoding = "utf-16"
        self.settings = EditorSettings()
        self.documents: dict[str, OpenDocument] = {}
        """By URI."""
        self.facts: dict[str, tuple[BindingFact, ...]] = {}
        """By the root of the project, what its bindings promise."""
        self._stale: set[str] = set()
        """The folders with files that changed since."""
        self._wanted: dict[str, list[asyncio.Future[None]]] = {}
        """By folder, who waits for facts."""
        self._due: set[str] = set()
        """The folders to be analysed."""
        self._timer: asyncio.TimerHandle | None = None
        self._job: Job | None = None
        self._versions: dict[str, int] = {}
        """Of the documents that the job is about, by URI."""
        self._numbers = 0
        self._complaints: dict[str, str] = {}
        """The last of each folder."""

    # --- what the editor says ---

    def folder_of(self, path: str) -> str | None:
        """The innermost folder of the workspace that holds a file; None for one outside of it, which is somebody
        else's: nothing is read for it."""
        if not self.folders:
            return str(Path(path).parent)
        inside = [folder for folder in self.folders if Path(path).is_relative_to(folder)]
        return max(inside, key=len, default=None)

    def opened(self, uri: str, path: str, version: int, text: str) -> None:
        folder = self.folder_of(path)
        if folder is not None:
            self.documents[uri] = OpenDocument(uri, path, folder, version, text)
            self._schedule(folder, 0.0)

    def changed(self, uri: str, version: int, text: str) -> None:
        document = self.documents.get(uri)
        if document is not None:
            document.version, document.text = version, text
            if self.settings.run == "onType":
                self._schedule(document.folder, self.settings.delay / 1000)

    def saved(self, uri: str) -> None:
        document = self.documents.get(uri)
        if document is not None:
            self._stale.add(document.folder)
            self._schedule(document.folder, 0.0)

    def closed(self, uri: str) -> None:
        document = self.documents.pop(uri, None)
        if document is not None:
            document.report = None
            self._editor.publish(document)

    def moved_on(self, paths: list[str]) -> None:
        """Files changed on the disk: sources, settings, models."""
        folders = {document.folder for document in self.documents.values()}
        for folder in folders:
            if any(Path(path).is_relative_to(folder) for path in paths):
                self._stale.add(folder)
                self._schedule(folder, self.settings.delay / 1000)

    def set_folders(self, folders: list[str]) -> None:
        """Files that are in no folder any more are forgotten."""
        self.folders = folders
        for document in list(self.documents.values()):
            folder = self.folder_of(document.path)
            if folder is None:
                self.closed(document.uri)
            else:
                document.folder = folder

    def set_settings(self, settings: EditorSettings) -> None:
        asks = self.settings.reason_prompt or settings.reason_prompt  # said once, when the editor starts
        settings = msgspec.structs.replace(settings, reason_prompt=asks)
        if settings != self.settings:
            self.settings = settings
            self._complaints.clear()
            for document in self.documents.values():
                self._schedule(document.folder, 0.0)

    def cancel(self, number: int) -> None:
        """The user does not want to wait for it; the next edit begins anew."""
        if self._job is not None and self._job.number == number:
            self._due.discard(self._job.folder)
            self._send(Cancel())

    async def wait_for_facts(self, folder: str) -> None:
        """Until the facts of the folder are known; those that were known before are taken meanwhile."""
        known = any(Path(root).is_relative_to(folder) or Path(folder).is_relative_to(root) for root in self.facts)
        if known and folder not in self._stale:
            return
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._wanted.setdefault(folder, []).append(waiting)
        self._start()
        if not known:
            await waiting

    # --- jobs ---

    def _schedule(self, folder: str, delay: float) -> None:
        self._due.add(folder)
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(delay, self._fire)

    def _fire(self) -> None:
        """Nothing was edited for a while. A job about what is due again is in vain."""
        self._timer = None
        if self._job is not None and (self._job.folder in self._due or isinstance(self._job, ContractJob)):
            if isinstance(self._job, CheckJob):
                self._due.add(self._job.folder)
            self._send(Cancel())
        self._start()

    def _start(self) -> None:
        """The next job, unless one runs or an edit is waited for."""
        if self._job is not None or self._timer is not None:
            return
        self._numbers += 1
        for folder in sorted(self._due):
            self._due.discard(folder)
            documents = [one for one in self.documents.values() if one.folder == folder]
            if documents:
                buffers = tuple(OpenBuffer(one.path, one.text) for one in documents)
                self._versions = {one.uri: one.version for one in documents}
                self._run(CheckJob(self._numbers, folder, buffers, self.encoding, self._options()))
                return
        for folder in sorted(self._wanted):
            paths = sorted({one.path for one in self.documents.values() if one.folder == folder})
            if paths:
                self._stale.discard(folder)
                buffers = tuple(map(OpenBuffer, paths))
                self._run(ContractJob(self._numbers, folder, buffers, self.encoding, self._options()))
                return
            self._answer(folder)

    def _options(self) -> dict[str, Any]:
        return {**self._given, **self.settings.given}

    def _run(self, job: Job) -> None:
        self._job = job
        self._send(job)
        self._editor.begin(job.number, Path(job.folder).name)

    def _answer(self, folder: str) -> None:
        for waiting in self._wanted.pop(folder, ()):
            if not waiting.done():
                waiting.set_result(None)

    # --- what a job says ---

    def heard(self, reply: Reply) -> None:
        job = self._job
        if job is None or reply.number != job.number:
            return
        match reply:
            case Reached(number=number, doing=doing, done=done, of=of):
                self._editor.reach(number, doing, done, of)
            case Checked(files=files):
                self._complaints.pop(job.folder, None)
                for report in files:
                    self._report(report)
            case Promised(root=root, facts=facts):
                self.facts[root] = facts
                self._answer(job.folder)
            case Failed(reason=reason):
                self._answer(job.folder)
                if self._complaints.get(job.folder) != reason:
                    self._complaints[job.folder] = reason
                    self._editor.complain(reason)
            case Finished(number=number):
                self._job = None
                self._editor.end(number)
                self._start()

    def _report(self, report: FileReport) -> None:
        for document in self.documents.values():
            version = self._versions.get(document.uri)
            if document.path == report.path and version is not None:
                document.report, document.reported = report, version
                if document.is_current:
                    self._editor.publish(document)

    # --- what is known ---

    def findings(self) -> list[Shown]:
        """All that are shown."""
        return [one for document in self.documents.values() if document.report for one in document.report.findings]

    def facts_about(self, path: str, line: int, word: str) -> list[BindingFact]:
        """What is promised by the binding that stands there, or by those that have this name in Python."""
        everything = [fact for facts in self.facts.values() for fact in facts]
        here = [fact for fact in everything if (fact.place.path, fact.place.line) == (path, line)]
        named = [fact for fact in everything if fact.symbol.rpartition(".")[2] == word]
        return here or (named if word else [])


def other_ends(findings: list[Shown], path: str, line: int, character: int) -> list[PlacedNote]:
    """The other places of the findings that are shown at a position or lead through it, those in other files first."""
    found: dict[PlacedNote, None] = {}
    for finding in findings:
        places = [PlacedNote(finding.place, finding.message), *finding.steps]
        if any(_holds(note, path, line, character) for note in places):
            found.update((note, None) for note in places if not _holds(note, path, line, character))
    return sorted(found, key=lambda note: note.place.path == path)


def _holds(note: PlacedNote, path: str, line: int, character: int) -> bool:
    place = note.place
    start, end = (place.line, place.character), (place.end_line, place.end_character)
    return place.path == path and start <= (line, character) <= end
