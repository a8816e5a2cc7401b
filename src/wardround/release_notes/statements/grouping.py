"""Joins what users notice together: the commits of a pull request, of a ticket, and of a correction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from wardround.release_notes.model import NoteKind
from wardround.release_notes.statements import subject_words
from wardround.release_notes.statements.draft import Draft
from wardround.release_notes.statements.sentence import continuation

_MOST_TEXTS = 3
"""Number of texts of one ticket up to which they are joined to one statement."""


def group_drafts(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the drafts with those joined that belong together, in the order of the first of each."""
    found = _join_groups(drafts, _by_pull_request, _join_pull_request)
    found = _join_groups(found, _by_text, _join_all)
    found = _join_groups(found, _by_ticket, _join_ticket)
    return _join_editorial(found)


def _join_groups(
    drafts: Sequence[Draft], key: Callable[[Draft], object], join: Callable[[list[Draft]], list[Draft]]
) -> list[Draft]:
    """Join the drafts with equal keys; those without a key stay."""
    groups: dict[object, list[Draft]] = defaultdict(list)
    for position, draft in enumerate(drafts):
        groups[key(draft) or position].append(draft)
    return [draft for group in groups.values() for draft in (join(group) if len(group) > 1 else group)]


def _by_pull_request(draft: Draft) -> object:
    return draft.pull_request


def _by_text(draft: Draft) -> object:
    return (draft.kind, draft.area, draft.text.casefold())


def _by_ticket(draft: Draft) -> object:
    """Return the first issue of a draft that users notice."""
    issues = [reference for reference in draft.references if reference != draft.pull_request]
    return (issues[0], draft.kind) if issues and draft.is_noticed else None


def _join_all(group: list[Draft]) -> list[Draft]:
    first, *others = group
    for other in others:
        first = first.with_evidence_of(other)
    return [first]


def _join_pull_request(group: list[Draft]) -> list[Draft]:
    """Return the statements of a pull request that users notice; the others are evidence of the first."""
    noticed = [draft for draft in group if draft.is_noticed] or [_best(group)]
    first, *others = noticed
    for draft in group:
        if draft not in noticed:
            first = first.with_evidence_of(draft)
    return [first, *others]


def _best(group: Iterable[Draft]) -> Draft:
    return min(group, key=lambda draft: draft.is_trivial)


def _join_ticket(group: list[Draft]) -> list[Draft]:
    """Return one statement with the texts of a ticket; a ticket with many is not one thing to users."""
    if len(group) > _MOST_TEXTS:
        return group
    joined = _join_all(group)[0]
    return [
        replace(joined, text="; ".join([group[0].text, *(continuation(draft.text) for draft in group[1:])]))
    ]


def _join_editorial(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the drafts with all corrections of the language of the documentation in one."""
    corrections = [draft for draft in drafts if _is_editorial(draft)]
    if len(corrections) < 2:
        return list(drafts)
    joined = _join_all(corrections)[0]
    joined = replace(joined, text="Correct spelling, wording and links", area="")
    return [*(draft for draft in drafts if not _is_editorial(draft)), joined]


def _is_editorial(draft: Draft) -> bool:
    return draft.kind is NoteKind.DOCUMENTATION and subject_words.EDITORIAL.match(draft.text) is not None
