"""The notes of the intent plane: a change compared with its messages, its ticket and history.

A note blocks nothing. Where a change has no message, as at commit, nothing is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.change.change_source import ChangeSource, FileTexts, GitChangeSource
from wardround.change.diff import Change
from wardround.config.request import ReviewRequest
from wardround.context.review_context import ReviewContext
from wardround.planes.intent_notes import IntentNotes
from wardround.tools.tool import Profile

if TYPE_CHECKING:
    from wardround.planes.intent_notes import CompanionNote, KindNote, ScopeNote

_MOST_LINES = 20_000
"""Added lines of a change beyond which it is not compared."""


def intent_notes(
    messages: Sequence[str], source: ChangeSource, context: ReviewContext, request: ReviewRequest
) -> IntentNotes:
    """Return the notes about the intent of a change; none at commit, where nobody reads them."""
    change = context.change
    is_read = request.profile is Profile.CI and context.added_lines <= _MOST_LINES
    if not is_read or not any(message.strip() for message in messages):
        return IntentNotes()
    source.fetch(change.files)
    source.fetch(change.files, base=True)
    texts = FileTexts(source, change)
    return IntentNotes(
        scope=_scope([*messages, *_demands(request)], change, texts),
        kind=_kind(messages, context, texts),
        related=_related(source, change),
    )


def _scope(intents: Sequence[str], change: Change, texts: FileTexts) -> tuple[ScopeNote, ...]:
    from wardround.planes.scope import stray_hunks  # with the search for hunks, which commits do not need
    from wardround.retrieval.hunk_search import changed_code

    return stray_hunks(intents, changed_code(change, texts))


def _related(source: ChangeSource, change: Change) -> tuple[CompanionNote, ...]:
    """Return the companions by the commits before the change; a diff file has none."""
    if not isinstance(source, GitChangeSource):
        return ()
    from wardround.planes.companions import companions  # as above
    from wardround.retrieval.past_commits import commits_before

    changed = {path for file in change.files for path in (file.path, file.base_path) if path is not None}
    past = commits_before(source.repository, change.base)
    return companions(changed, past, source.repository.tree(change.head).holds)


def _demands(request: ReviewRequest) -> Sequence[str]:
    """Return the title of the ticket and its criteria."""
    ticket = request.ticket
    if ticket is None:
        return ()
    return ticket.title, *(criterion.text for criterion in ticket.criteria)


def _kind(messages: Sequence[str], context: ReviewContext, texts: FileTexts) -> tuple[KindNote, ...]:
    from wardround.planes.kind import KindFile, kind_notes  # as above
    from wardround.planes.stated_kind import stated_kinds

    if not stated_kinds(messages):  # before any text is read
        return ()
    tests = {one.file.path for one in context.claimed if any(s.name == "tests" for s in one.specialists)}
    files = [
        KindFile(file.path, texts.base(file.path), texts.head(file.path), file.hunks, file.path in tests)
        for file in context.change.files
        if file.is_regular and not file.lost and not file.fragment
    ]
    return kind_notes(messages, files)
