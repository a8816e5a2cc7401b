"""The agreement of a change with its messages, its ticket and its history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wardround.analyses.analysis import Analysis, ReportLine
from wardround.analyses.stated_intent.notes import CompanionNote, IntentNotes, KindNote, ScopeNote
from wardround.context.document import ContextDocument
from wardround.findings import Plane

if TYPE_CHECKING:
    from wardround.analyses.change_view import ChangeView

SCOPE_NOTES = "scope-notes"
KIND_NOTES = "kind-notes"
COMPANIONS = "companions"
_MOST_LINES = 20_000
"""Added lines of a change beyond which it is not compared."""


class Intent(Analysis[IntentNotes]):
    """The positions at which the change does something else than it states, and the files to read with it.

    Where a change has no message, as in a work tree, nothing is compared.
    """

    name = "intent"
    plane = Plane.INTENT
    notes_type = IntentNotes

    def analyse(self, view: ChangeView) -> IntentNotes:
        is_stated = any(message.strip() for message in view.messages)
        if not is_stated or view.context.added_lines > _MOST_LINES:
            return IntentNotes()
        view.review.source.fetch(view.change.files)
        view.review.source.fetch(view.change.files, base=True)
        return IntentNotes(_scope_notes(view), _kind_notes(view), _companion_notes(view))

    def lines(self, notes: IntentNotes, context: ContextDocument) -> Iterator[ReportLine]:
        for scope in notes.scope:
            location = f"{scope.file}:{scope.line}"
            yield ReportLine(f"{location} is outside the stated intent: {scope.reason}", "note: ")
        for kind in notes.kind:
            location = f"{kind.file}:{kind.line}"
            yield ReportLine(
                f"{location} is more than the message states, {kind.stated}: {kind.reason}", "note: "
            )
        for companion in notes.related:
            yield ReportLine(f"{companion.file}: {companion.reason}", "read also: ")

    def derivation(self, notes: IntentNotes) -> Iterator[str]:
        for scope in notes.scope:
            yield f"{scope.file}:{scope.line}: outside the stated intent: {scope.reason}"
        for kind in notes.kind:
            yield f"{kind.file}:{kind.line}: not only {kind.stated}: {kind.reason}"

    def measured_sources(self, notes: IntentNotes) -> Iterator[str]:
        yield from counts_of_notes(notes)


def counts_of_notes(notes: IntentNotes) -> dict[str, int]:
    """Return the number of the notes of each source that has some."""
    counts = {
        SCOPE_NOTES: len(notes.scope),
        KIND_NOTES: len(notes.kind),
        COMPANIONS: len(notes.related),
    }
    return {source: count for source, count in counts.items() if count}


def _scope_notes(view: ChangeView) -> tuple[ScopeNote, ...]:
    """Compare the hunks with the messages, the title of the ticket and its criteria."""
    from wardround.analyses.stated_intent.scope import stray_hunks  # with the search for hunks
    from wardround.retrieval.hunk_search import changed_code

    ticket = view.review.request.ticket
    demands: Sequence[str] = () if ticket is None else (ticket.title, *(c.text for c in ticket.criteria))
    return stray_hunks([*view.messages, *demands], changed_code(view.change, view.texts))


def _kind_notes(view: ChangeView) -> tuple[KindNote, ...]:
    from wardround.analyses.stated_intent.kind import KindFile, kind_notes  # with readers of code
    from wardround.analyses.stated_intent.stated_kind import stated_kinds

    if not stated_kinds(view.messages):  # before any text is read
        return ()
    files = []
    for file in view.change.files:
        if file.is_regular and not file.lost and not file.fragment:
            base, head = view.texts.base(file.path), view.texts.head(file.path)
            files.append(KindFile(file.path, base, head, file.hunks, file.path in view.test_paths))
    return kind_notes(view.messages, files)


def _companion_notes(view: ChangeView) -> tuple[CompanionNote, ...]:
    """Return the companions by the commits before the change; a diff file has none."""
    if view.git_source is None:
        return ()
    from wardround.analyses.stated_intent.companions import companions  # with the history
    from wardround.retrieval.past_commits import commits_before

    repository = view.git_source.repository
    changed = {path for file in view.change.files for path in (file.path, file.base_path) if path is not None}
    past = commits_before(repository, view.change.base)
    return companions(changed, past, repository.tree(view.change.head).holds)
