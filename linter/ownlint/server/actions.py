"""What can be done about a finding: its fix, a comment that silences it, the page of its rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from lsprotocol import types as lsp

from ownlint.server.messages import ScreenPlace, Shown, TextChange
from ownlint.server.uris import uri_of

EXPLAIN = "ownlint.explain"
SUPPRESS = "ownlint.suppressWithReason"
FIX_ALL = "source.fixAll.ownlint"

VersionOf = Callable[[str], int | None]
"""Of the document that is open at a path; None for one that is not."""


def range_of(place: ScreenPlace) -> lsp.Range:
    return lsp.Range(lsp.Position(place.line, place.character), lsp.Position(place.end_line, place.end_character))


def for_finding(
    finding: Shown, diagnostic: lsp.Diagnostic, version_of: VersionOf, *, prompt: bool
) -> Iterator[lsp.CodeAction]:
    """In the order in which they are offered. With `prompt`, the editor asks for the reason of a suppression; else the
    comment is left without one, which is reported until there is."""
    if finding.fix is not None:
        unsafe = "" if finding.fix.safe else " (unsafe: review it)"
        yield lsp.CodeAction(
            f"{finding.fix.title}{unsafe}",
            lsp.CodeActionKind.QuickFix,
            diagnostics=[diagnostic],
            is_preferred=finding.fix.safe,
            edit=edit_of(finding.fix.changes, version_of),
        )
    if finding.suppression is not None:
        title = f"Suppress `{finding.rule}` here, with a reason"
        action = lsp.CodeAction(title, lsp.CodeActionKind.QuickFix, diagnostics=[diagnostic])
        if prompt:
            change = finding.suppression
            where = [uri_of(change.place.path), change.place.line, change.place.character, change.text]
            action.command = lsp.Command(title, SUPPRESS, arguments=where)
        else:
            action.edit = edit_of((finding.suppression,), version_of)
        yield action
    title = f"Explain `{finding.rule}`"
    yield lsp.CodeAction(
        title,
        lsp.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        command=lsp.Command(title, EXPLAIN, arguments=[finding.rule]),
    )


def fix_all(findings: Iterable[Shown], version_of: VersionOf) -> lsp.CodeAction | None:
    """All safe fixes that touch each other nowhere, as one edit; None where there is none."""
    taken: list[TextChange] = []
    for finding in findings:
        if finding.fix is not None and finding.fix.safe:
            own = [change for change in finding.fix.changes if change not in taken]
            if not any(_touch(one.place, other.place) for one in own for other in taken):
                taken += own
    if not taken:
        return None
    return lsp.CodeAction("Apply all safe fixes of ownlint", FIX_ALL, edit=edit_of(taken, version_of))


def _touch(one: ScreenPlace, other: ScreenPlace) -> bool:
    return one.path == other.path and one[1:3] <= other[3:5] and other[1:3] <= one[3:5]


def edit_of(changes: Sequence[TextChange], version_of: VersionOf) -> lsp.WorkspaceEdit:
    """With the versions that the changes were made for: an editor refuses them for any other."""
    by_path: dict[str, list[TextChange]] = {}
    for change in changes:
        by_path.setdefault(change.place.path, []).append(change)
    return lsp.WorkspaceEdit(
        document_changes=[
            lsp.TextDocumentEdit(
                lsp.OptionalVersionedTextDocumentIdentifier(uri_of(path), version_of(path)),
                [lsp.TextEdit(range_of(change.place), change.text) for change in many],
            )
            for path, many in by_path.items()
        ]
    )
