"""The protocol process: LSP on standard input and output, and nothing else there."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from ownlint import __version__
from ownlint.children import Forked, Messages, tell
from ownlint.files import write_whole
from ownlint.outline import rule_infos
from ownlint.report import manual
from ownlint.report.sanitise import sanitise
from ownlint.server import actions, diagnostics, settings
from ownlint.server.actions import range_of
from ownlint.server.checking import Checks
from ownlint.server.messages import Encoding, Request, encode, reply_of
from ownlint.server.places import units
from ownlint.server.runner import Runner
from ownlint.server.session import EditorSession, OpenDocument, other_ends
from ownlint.server.uris import path_of, uri_of

_SOON = 1.0
"""Seconds in which most runs are over: no progress is shown of those."""
_PATIENCE = 20.0
"""Seconds that a hover waits for."""
_WATCHED = ("**/*.{c,cc,cpp,cxx,cu,cuh,h,hh,hpp,hxx,inc,inl,py,pyi,pyx}", "**/*.toml", "**/compile_commands.json")
_WORD = re.compile(r"\w+")


def serve(checks: Checks, given: Mapping[str, Any]) -> int:
    """Until the editor says `exit` or closes the stream; the exit code."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whoever prints does not speak for us
    logging.basicConfig(stream=sys.stderr, level=logging.ERROR)
    requests, ours = os.pipe()
    theirs, replies = os.pipe()
    with tempfile.TemporaryDirectory(prefix="ownlint-server-") as folder:

        def work() -> None:
            os.close(ours)
            os.close(theirs)
            os.close(output.fileno())
            Runner(requests, replies, checks, Path(folder)).work()

        runner = Forked(work, group=True)
        os.close(requests)
        os.close(replies)
        server = _Server(ours, theirs, given, Path(folder))
        try:
            server.start_io(sys.stdin.buffer, output)
        finally:
            runner.close()
    return 0


class _Server(LanguageServer):
    """The features, and what the session tells the editor."""

    def __init__(self, requests: int, replies: int, given: Mapping[str, Any], pages: Path) -> None:
        # Whole texts: pygls counts lines of a change as `str.splitlines` does, which is not how LSP counts them.
        super().__init__("ownlint", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Full, max_workers=2)
        self._requests = requests
        self._replies = replies
        self._pages = pages
        self._messages = Messages(replies)
        self.session = EditorSession(self, self._send, given)
        self._tokens: dict[int, str] = {}
        """Of the progress that is shown, by job."""
        self._beginning: asyncio.TimerHandle | None = None
        self._title = ""
        _register(self)

    def listen(self) -> None:
        """Hears the runner from now on."""
        asyncio.get_running_loop().add_reader(self._replies, self._hear)

    def _send(self, request: Request) -> None:
        tell(self._requests, encode(request))

    def _hear(self) -> None:
        try:
            while (data := self._messages.next(0)) is not None:
                self.session.heard(reply_of(data))
        except EOFError:
            asyncio.get_running_loop().remove_reader(self._replies)
            self.complain("the server lost its runner; restart it")

    def report_server_error(self, error: Exception, source: Any) -> None:
        """In the log: a message that cannot be understood is no reason to disturb anybody."""
        logging.getLogger("ownlint").error("%s", error)

    # --- what a session tells ---

    def publish(self, document: OpenDocument) -> None:
        found = [] if document.report is None else list(diagnostics.of(document.report, related=self._shows_related))
        version = None if document.report is None else document.version
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(document.uri, found, version))

    def complain(self, message: str) -> None:
        self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, f"ownlint: {sanitise(message)}"))

    def begin(self, number: int, title: str) -> None:
        self._title = title
        window = self.client_capabilities.window
        if window is not None and window.work_done_progress:
            show = lambda: asyncio.ensure_future(self._show(number))  # noqa: E731
            self._beginning = asyncio.get_running_loop().call_later(_SOON, show)

    async def _show(self, number: int) -> None:
        token = f"ownlint-{number}"
        await self.work_done_progress.create_async(token)
        if self._beginning is not None:
            self._tokens[number] = token
            begun = lsp.WorkDoneProgressBegin(f"ownlint: {sanitise(self._title)}", cancellable=True, percentage=0)
            self.work_done_progress.begin(token, begun)

    def reach(self, number: int, doing: str, done: int, of: int) -> None:
        if (token := self._tokens.get(number)) is not None:
            percentage = 100 * done // of if of else None
            said = f"{doing} {done}/{of}" if of else doing
            self.work_done_progress.report(token, lsp.WorkDoneProgressReport(message=said, percentage=percentage))

    def end(self, number: int) -> None:
        if self._beginning is not None:
            self._beginning.cancel()
            self._beginning = None
        if (token := self._tokens.pop(number, None)) is not None:
            self.work_done_progress.end(token, lsp.WorkDoneProgressEnd())

    def cancelled(self, token: str | int) -> None:
        for number, shown in self._tokens.items():
            if shown == token:
                self.session.cancel(number)

    # --- what the editor can ---

    @property
    def _shows_related(self) -> bool:
        about = self.client_capabilities.text_document
        published = None if about is None else about.publish_diagnostics
        return bool(published and published.related_information)

    async def read_settings(self, section: object = None) -> None:
        """From what was sent; else they are asked for, where the editor can be asked."""
        workspace = self.client_capabilities.workspace
        if section is None and workspace is not None and workspace.configuration:
            asked = lsp.ConfigurationParams([lsp.ConfigurationItem(section="ownlint")])
            section = next(iter(await self.workspace_configuration_async(asked)), None)
        if section is None:
            return
        try:
            self.session.set_settings(settings.read(section))
        except settings.SettingsError as error:
            self.complain(str(error))

    def watch(self) -> None:
        """Asks to be told when files change on the disk."""
        workspace = self.client_capabilities.workspace
        watched = None if workspace is None else workspace.did_change_watched_files
        if watched and watched.dynamic_registration:
            watchers = [lsp.FileSystemWatcher(pattern) for pattern in _WATCHED]
            options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers)
            asked = lsp.Registration("ownlint-files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            self.client_register_capability(lsp.RegistrationParams([asked]))

    def version_of(self, path: str) -> int | None:
        """Of the document that is open at a path."""
        return next((one.version for one in self.session.documents.values() if one.path == path), None)

    def show_page(self, rule: str) -> str | None:
        """The page of a rule, which is opened in the editor where that can be asked; None for no rule."""
        info = next((info for info in rule_infos() if info.id == rule), None)
        if info is None:
            return None
        page = manual.markdown(info)
        window = self.client_capabilities.window
        if window is not None and window.show_document is not None and window.show_document.support:
            place = self._pages / f"{rule}.md"
            write_whole(place, page.encode())
            self.window_show_document(lsp.ShowDocumentParams(uri_of(str(place)), take_focus=True))
        else:
            self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, f"{rule}: {info.summary}"))
        return page


def _register(server: _Server) -> None:
    """What the editor can ask."""
    session = server.session

    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        listed = [path_of(folder.uri) for folder in params.workspace_folders or ()]
        if not listed and params.root_uri:
            listed = [path_of(params.root_uri)]
        session.folders = [folder for folder in listed if folder is not None]
        session.encoding = _encoding(params)
        options = params.initialization_options
        if isinstance(options, dict):
            try:
                session.settings = settings.read(options.get("settings", options))
            except settings.SettingsError as error:
                server.complain(str(error))
        server.listen()

    @server.feature(lsp.INITIALIZED)
    async def initialized(params: lsp.InitializedParams) -> None:
        server.watch()
        await server.read_settings()

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: lsp.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        path = path_of(document.uri)
        if path is not None:
            session.opened(document.uri, path, document.version, document.text)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: lsp.DidChangeTextDocumentParams) -> None:
        changes = params.content_changes
        if changes and isinstance(changes[-1], lsp.TextDocumentContentChangeWholeDocument):
            session.changed(params.text_document.uri, params.text_document.version, changes[-1].text)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: lsp.DidSaveTextDocumentParams) -> None:
        session.saved(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: lsp.DidCloseTextDocumentParams) -> None:
        session.closed(params.text_document.uri)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_files(params: lsp.DidChangeWatchedFilesParams) -> None:
        session.moved_on([path for change in params.changes if (path := path_of(change.uri)) is not None])

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(params: lsp.DidChangeConfigurationParams) -> None:
        section = params.settings.get("ownlint") if isinstance(params.settings, dict) else None
        await server.read_settings(section)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_folders(params: lsp.DidChangeWorkspaceFoldersParams) -> None:
        gone = {path_of(folder.uri) for folder in params.event.removed}
        new = [path for folder in params.event.added if (path := path_of(folder.uri)) is not None]
        session.set_folders([*(folder for folder in session.folders if folder not in gone), *new])

    @server.feature(lsp.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def did_cancel(params: lsp.WorkDoneProgressCancelParams) -> None:
        server.cancelled(params.token)

    _register_questions(server)


def _register_questions(server: _Server) -> None:
    session = server.session

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix, actions.FIX_ALL]),
    )
    def code_actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        document = session.documents.get(params.text_document.uri)
        if document is None or document.report is None or not document.is_current:
            return []
        only = params.context.only
        found: list[lsp.CodeAction] = []
        if _wanted(lsp.CodeActionKind.QuickFix, only):
            for finding in document.report.findings:
                if _overlap(range_of(finding.place), params.range):
                    shown = diagnostics.of_finding(finding, related=False)
                    prompt = session.settings.reason_prompt
                    found += actions.for_finding(finding, shown, server.version_of, prompt=prompt)
        if only and _wanted(actions.FIX_ALL, only):
            action = actions.fix_all(document.report.findings, server.version_of)
            found += [] if action is None else [action]
        return found

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> list[lsp.Location]:
        path, at = path_of(params.text_document.uri), params.position
        if path is None:
            return []
        places = [note.place for note in other_ends(session.findings(), path, at.line, at.character)]
        if not places:
            facts = session.facts_about(path, at.line, _word(server, params.text_document.uri, at))
            places = [fact.place for fact in facts if (fact.place.path, fact.place.line) != (path, at.line)]
        return [lsp.Location(uri_of(place.path), range_of(place)) for place in places]

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        document = session.documents.get(params.text_document.uri)
        word = _word(server, params.text_document.uri, params.position)
        if document is None or not word:
            return None
        try:
            await asyncio.wait_for(session.wait_for_facts(document.folder), _PATIENCE)
        except TimeoutError:
            return None
        facts = session.facts_about(document.path, params.position.line, word)
        if not facts:
            return None
        text = "\n\n---\n\n".join(fact.text for fact in facts[:_MOST_FACTS])
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text))

    @server.command(actions.EXPLAIN)
    def explain(rule: str) -> str | None:
        return server.show_page(rule)


_MOST_FACTS = 3


def _encoding(params: lsp.InitializeParams) -> Encoding:
    """As pygls chooses it: the first that the editor likes."""
    general = params.capabilities.general
    for liked in (general.position_encodings if general is not None else None) or ():
        for known in ("utf-8", "utf-16", "utf-32"):
            if str(getattr(liked, "value", liked)) == known:
                return known
    return "utf-16"


def _wanted(kind: str, only: Sequence[str | lsp.CodeActionKind] | None) -> bool:
    kinds = [str(getattr(one, "value", one)) for one in only or ()]
    return only is None or any(kind == one or kind.startswith(f"{one}.") for one in kinds)


def _overlap(one: lsp.Range, other: lsp.Range) -> bool:
    return one.start <= other.end and other.start <= one.end


def _word(server: _Server, uri: str, at: lsp.Position) -> str:
    """The identifier at a position of an open document; empty where there is none."""
    document = server.session.documents.get(uri)
    if document is None:
        return ""
    lines = re.split(r"\r\n|\r|\n", document.text)
    line = lines[at.line] if at.line < len(lines) else ""
    encoding = server.session.encoding
    for found in _WORD.finditer(line):
        if units(line[: found.start()], encoding) <= at.character <= units(line[: found.end()], encoding):
            return found[0]
    return ""
