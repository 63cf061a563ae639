"""`ownlint server` as an editor starts it: a process that speaks LSP on its standard streams."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

in_one_loop = pytest.mark.asyncio(loop_scope="module")

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "turbine"
PATIENCE = 60
"""Seconds, on a machine that has other things to do."""

GUILTY = """\
from mlir.ir import Module


def entry(source):
    module = Module.parse(source)
    return module.body.operations[0]
"""
INNOCENT = GUILTY.replace("return module.body", "return module, module.body")


class Client(LanguageClient):
    """Keeps in order what the server says of itself."""

    def __init__(self) -> None:
        super().__init__(converter_factory=default_converter)
        self.published: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()
        self.complaints: asyncio.Queue[str] = asyncio.Queue()
        features = {
            **DEFAULT_CLIENT_FEATURES,
            lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: lambda said: self.published.put_nowait(said),
            lsp.WINDOW_SHOW_MESSAGE: lambda said: self.complaints.put_nowait(said.message),
            lsp.CLIENT_REGISTER_CAPABILITY: lambda said: None,
        }
        register_lsp_features(self, features)


@pytest_lsp.fixture(
    scope="module",
    config=ClientServerConfig(server_command=[sys.executable, "-m", "ownlint", "server"], client_factory=Client),
)
async def client(lsp_client: Client, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[None]:
    """An editor with one folder, which is empty; each test adds its own."""
    folder = tmp_path_factory.mktemp("workspace")
    await lsp_client.initialize_session(
        lsp.InitializeParams(
            capabilities=client_capabilities("visual-studio-code"),
            workspace_folders=[lsp.WorkspaceFolder(folder.as_uri(), "empty")],
            initialization_options={"delay": 20},
        )
    )
    yield
    await lsp_client.shutdown_session()


class Editor:
    """A client with a folder of its own."""

    def __init__(self, client: Client, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self._versions: dict[str, int] = {}
        client.workspace_did_change_workspace_folders(
            lsp.DidChangeWorkspaceFoldersParams(
                lsp.WorkspaceFoldersChangeEvent([lsp.WorkspaceFolder(folder.as_uri(), folder.name)], [])
            )
        )

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    async def open(self, name: str, text: str | None = None) -> Sequence[lsp.Diagnostic]:
        """What is shown of a file, of the text that is given or that it has."""
        self._versions[name] = 1
        text = (self.folder / name).read_text() if text is None else text
        language = "python" if name.endswith(".py") else "cpp"
        self.client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(self.uri(name), language, 1, text))
        )
        return await self.shown(name)

    def type(self, name: str, text: str) -> None:
        self._versions[name] += 1
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(self._versions[name], self.uri(name)),
                [lsp.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    async def edit(self, name: str, text: str) -> Sequence[lsp.Diagnostic]:
        self.type(name, text)
        return await self.shown(name)

    async def shown(self, name: str) -> Sequence[lsp.Diagnostic]:
        """The diagnostics of the version that is there now."""
        while True:
            said = await asyncio.wait_for(self.client.published.get(), PATIENCE)
            if said.uri == self.uri(name) and said.version == self._versions[name]:
                return list(said.diagnostics)

    def close(self, name: str) -> None:
        self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(self.uri(name))))

    async def actions(self, name: str, at: lsp.Range, only: list[str] | None = None) -> list[lsp.CodeAction]:
        found = await self.client.text_document_code_action_async(
            lsp.CodeActionParams(lsp.TextDocumentIdentifier(self.uri(name)), at, lsp.CodeActionContext([], only=only))
        )
        return [action for action in found or () if isinstance(action, lsp.CodeAction)]  # but for one with a command

    async def complaint(self) -> str:
        return await asyncio.wait_for(self.client.complaints.get(), PATIENCE)


Edit = Callable[[Path], Editor]


@pytest.fixture
def editor(client: Client) -> Edit:
    return lambda folder: Editor(client, folder)


@pytest.fixture
def turbine(tmp_path: Path) -> Path:
    """The example, whose Python uses what its C++ binds."""
    for name in ("python/report.py", "src/bindings.cc", "src/turbine.h", "ownlint.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((EXAMPLE / name).read_bytes())
    return tmp_path


def of(diagnostics: Sequence[lsp.Diagnostic], rule: str) -> list[lsp.Diagnostic]:
    return [one for one in diagnostics if one.code == rule]


def applied(text: str, edit: lsp.WorkspaceEdit | None) -> str:
    """A text of ASCII after an edit of its only file."""
    assert edit is not None
    assert edit.document_changes is not None
    (change,) = edit.document_changes
    assert isinstance(change, lsp.TextDocumentEdit)
    lines = text.splitlines(keepends=True)

    def offset(at: lsp.Position) -> int:
        return sum(map(len, lines[: at.line])) + at.character

    for one in sorted(change.edits, key=lambda one: -offset(one.range.start)):
        assert isinstance(one, lsp.TextEdit)
        text = text[: offset(one.range.start)] + one.new_text + text[offset(one.range.end) :]
    return text


@in_one_loop
async def test_a_finding_across_languages(editor: Edit, turbine: Path) -> None:
    here = editor(turbine)
    found = of(await here.open("python/report.py"), "child-outlives-owner")
    first = found[0]
    assert first.range.start == lsp.Position(10, 11)
    assert first.source == "ownlint"
    assert first.severity == lsp.DiagnosticSeverity.Error
    assert "`rotor` is used after its owner `Turbine(name)` was freed" in first.message
    binding = here.uri("src/bindings.cc")
    related = {place.location.uri for place in first.related_information or ()}
    assert related == {binding, here.uri("python/report.py")}

    places = await here.client.text_document_definition_async(
        lsp.DefinitionParams(lsp.TextDocumentIdentifier(here.uri("python/report.py")), first.range.start)
    )
    assert isinstance(places, list)
    assert (places[0].uri, places[0].range.start.line) == (binding, 19)  # type: ignore[union-attr]
    back = await here.client.text_document_definition_async(
        lsp.DefinitionParams(lsp.TextDocumentIdentifier(binding), lsp.Position(19, 12))
    )
    assert isinstance(back, list)
    assert here.uri("python/report.py") in {place.uri for place in back}  # type: ignore[union-attr]

    text = (turbine / "python/report.py").read_text()
    fix, suppress = await here.actions("python/report.py", first.range)
    assert not fix.is_preferred  # it is unsafe
    assert "    rotor = (owner := Turbine(name)).rotor()" in applied(text, fix.edit)
    after = applied(text, suppress.edit)
    assert "    # ownlint: ignore[child-outlives-owner]: \n    return rotor.speed()" in after
    assert await here.actions("python/report.py", first.range, ["source.fixAll"]) == []

    shown = await here.edit("python/report.py", after)
    assert [one.range.start.line for one in of(shown, "invalid-suppression")] == [10]  # it has no reason yet
    shown = await here.edit("python/report.py", after.replace("owner]: \n", "owner]: a reason\n"))
    assert len(of(shown, "child-outlives-owner")) == len(found) - 1

    page = await here.client.workspace_execute_command_async(
        lsp.ExecuteCommandParams("ownlint.explain", ["child-outlives-owner"])
    )
    assert page.startswith("# child-outlives-owner\n")
    assert here.client.shown_documents[-1].uri.endswith("/child-outlives-owner.md")
    here.close("python/report.py")


@in_one_loop
async def test_hover_tells_the_contract_of_a_binding(editor: Edit, turbine: Path) -> None:
    here = editor(turbine)
    text = (turbine / "python/report.py").read_text()
    await here.open("python/report.py")
    line = next(number for number, line in enumerate(text.split("\n")) if ".rotor()" in line)
    at = lsp.Position(line, text.split("\n")[line].index("rotor()") + 2)
    told = await here.client.text_document_hover_async(
        lsp.HoverParams(lsp.TextDocumentIdentifier(here.uri("python/report.py")), at)
    )
    assert told is not None
    assert isinstance(told.contents, lsp.MarkupContent)
    assert "`Turbine.rotor()`" in told.contents.value
    assert "result borrows from `self`; **not kept alive**" in told.contents.value
    here.close("python/report.py")


@in_one_loop
async def test_what_is_typed_counts_and_not_what_is_saved(editor: Edit, tmp_path: Path) -> None:
    here = editor(tmp_path)
    (tmp_path / "lowering.py").write_text(INNOCENT)
    assert await here.open("lowering.py") == []
    typed = await here.edit("lowering.py", "wide = '\N{GRINNING FACE}'; " + GUILTY)
    assert [one.range.start.line for one in typed] == [5]
    here.type("lowering.py", GUILTY)
    here.type("lowering.py", "broken(")
    assert await here.edit("lowering.py", INNOCENT) == []
    half = await here.edit("lowering.py", f"def half(a):\n    x = entry(\n\n\n{GUILTY}")  # a line that is being typed
    assert [one.range.start.line for one in of(half, "child-outlives-owner")] == [9]
    assert [one.range.start.line for one in half if one.severity == lsp.DiagnosticSeverity.Hint] == [1]
    assert (tmp_path / "lowering.py").read_text() == INNOCENT
    assert await here.open("new.py", GUILTY) != []  # a file that is nowhere yet
    here.close("lowering.py")
    here.close("new.py")


@in_one_loop
async def test_columns_are_counted_as_the_editor_counts_them(editor: Edit, tmp_path: Path) -> None:
    here = editor(tmp_path)
    text = GUILTY.replace("    return", "    '\N{GRINNING FACE}'; return")
    (one,) = await here.open("wide.py", text)
    assert one.range.start == lsp.Position(5, len("    '..'; return "))
    here.close("wide.py")


@in_one_loop
async def test_settings_are_read_again(editor: Edit, tmp_path: Path) -> None:
    here = editor(tmp_path)
    (tmp_path / "ownlint.toml").write_text("")
    assert await here.open("lowering.py", GUILTY) != []
    (tmp_path / "ownlint.toml").write_text('ignore = ["child-outlives-owner"]\n')
    changed = lsp.DidChangeWatchedFilesParams([lsp.FileEvent(here.uri("ownlint.toml"), lsp.FileChangeType.Changed)])
    here.client.workspace_did_change_watched_files(changed)
    assert await here.shown("lowering.py") == []
    (tmp_path / "ownlint.toml").write_text("\nignore = 1\n")
    here.client.workspace_did_change_watched_files(changed)
    assert "ownlint.toml:2: `ignore`" in await here.complaint()
    (tmp_path / "ownlint.toml").write_text("")
    here.client.workspace_did_change_watched_files(changed)
    assert await here.shown("lowering.py") != []
    here.client.set_configuration({"ownlint": {"ignore": ["handles"]}})
    here.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(None))
    assert await here.shown("lowering.py") == []
    here.client.set_configuration({"ownlint": {"suite": "no suite"}})
    here.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(None))
    assert "`$.suite`" in await here.complaint()
    here.client.set_configuration({"ownlint": {}})
    here.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(None))
    assert await here.shown("lowering.py") != []
    here.close("lowering.py")


@in_one_loop
async def test_what_a_hostile_tree_and_editor_say_breaks_nothing(editor: Edit, tmp_path: Path) -> None:
    inside, outside = tmp_path / "in;side#?", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "ownlint.toml").write_text("not TOML")
    (inside / "link.py").symlink_to(outside / "secret.py")
    (outside / "secret.py").write_text(GUILTY)
    here = editor(inside)
    for uri in ("untitled:Untitled-1", "git:/a.py", "file://host/a.py", "http://[", "file:///%00.py", "", "file:"):
        here.client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "python", 1, GUILTY))
        )
        here.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(2, uri), [lsp.TextDocumentContentChangeWholeDocument("x")]
            )
        )
    # a file outside of the workspace is somebody else's
    here.client.text_document_did_open(
        lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem((outside / "secret.py").as_uri(), "python", 1, GUILTY))
    )
    deep = await here.open("deep.py", GUILTY + "x = " + "(" * 5000 + "\n")
    assert of(deep, "child-outlives-owner") == [] or deep
    assert await here.edit("deep.py", "x = '" + "y" * 3_000_000 + "'\n" + GUILTY) != []  # larger than is read
    assert await here.edit("deep.py", GUILTY) != []
    here.close("deep.py")


def test_without_the_extra_there_is_one_line() -> None:
    script = (
        "import importlib.util as u; real = u.find_spec;"
        "u.find_spec = lambda name, *rest: None if name == 'pygls' else real(name, *rest);"
        "from ownlint.cli.main import main; main()"
    )
    ran = subprocess.run([sys.executable, "-c", script, "server"], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr == "error: the language server needs pygls: `pip install 'ownlint[lsp]'`\n"


def test_an_editor_that_has_gone_leaves_no_process(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-m", "ownlint", "server"], input=b"", env=environment, capture_output=True, timeout=PATIENCE
    )
    assert ran.stdout == b""
    assert list(tmp_path.iterdir()) == []
