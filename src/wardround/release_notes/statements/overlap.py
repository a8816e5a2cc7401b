"""Breaking statements next to the statements of the same commits: what both state is stated once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from wardround.lazy import LazyPattern
from wardround.release_notes.model import Statement
from wardround.release_notes.statements import subject_words
from wardround.release_notes.statements.draft import Draft
from wardround.release_notes.statements.sentence import continuation, read_subject, sentence

_QUOTED = LazyPattern(r"`([^`\n]{2,200})`")
_WORD = LazyPattern(r"\w+")
_REMOVAL = LazyPattern(r"(?i)(?:remove|drop|delete|rename|replace|require|end support)[sd]?\b")
_DEPRECATED = LazyPattern(r"\b(?:deprecat|obsolete|legacy)")
_LEAST_NAME = 3


def readable(statement: Statement, names: frozenset[str]) -> Statement:
    """Return a breaking statement whose text a message states as a sentence."""
    if statement.breaking is not None:
        return statement
    subject = read_subject(statement.text)
    return msgspec.structs.replace(
        statement, text=sentence(subject.text, names), area=statement.area or subject.scope
    )


class Overlap:
    """Joins drafts with the breaking statements that state the same."""

    def __init__(self, breaking: Iterable[Statement]) -> None:
        self._breaking = list(breaking)

    def without_repetitions(self, drafts: Iterable[Draft]) -> list[Draft]:
        """Return the drafts that state something else; the others become evidence of a breaking statement."""
        return [draft for draft in drafts if not self._take(draft)]

    @property
    def statements(self) -> Sequence[Statement]:
        return self._breaking

    def _take(self, draft: Draft) -> bool:
        for position, statement in enumerate(self._breaking):
            if not set(draft.commits).isdisjoint(statement.commits) and _is_same(draft, statement):
                self._breaking[position] = _with_evidence(statement, draft)
                return True
        return False


def _is_same(draft: Draft, statement: Statement) -> bool:
    """Return True if a draft has the text of a statement of its commit, or the names of its change."""
    text = draft.text.casefold()
    if statement.breaking is None and draft.is_marked_breaking:
        return True
    if statement.text.casefold().startswith(text):
        return True
    if _REMOVAL.match(text) is None:
        return False
    if _is_of_language(statement) and subject_words.SUPPORT.match(text):
        return True
    return _DEPRECATED.search(text) is not None or not _names(statement).isdisjoint(_WORD.findall(text))


def _is_of_language(statement: Statement) -> bool:
    return statement.breaking is not None and statement.breaking.symbol == "requires-python"


def _names(statement: Statement) -> set[str]:
    """Return the last parts of the names of code in a breaking statement, in small letters."""
    quoted = [*_QUOTED.findall(statement.text), statement.breaking.symbol if statement.breaking else ""]
    parts = (part for name in quoted for part in _WORD.findall(name.rpartition(".")[2].casefold()))
    return {part for part in parts if len(part) >= _LEAST_NAME} - {"requires"}


def _with_evidence(statement: Statement, draft: Draft) -> Statement:
    return msgspec.structs.replace(
        statement,
        text=_text(statement, draft),
        commits=tuple(dict.fromkeys((*draft.commits, *statement.commits))),
        references=tuple(dict.fromkeys((*draft.references, *statement.references))),
        area=statement.area or draft.area,
    )


def _text(statement: Statement, draft: Draft) -> str:
    """Return the text of a comparison; what only messages state is the subject, and then the footer."""
    own, stated = statement.text, draft.text
    if statement.breaking is not None or own.casefold() == stated.casefold():
        return own
    if stated.casefold() in own.casefold() or not draft.is_marked_breaking:
        return own
    return f"{stated}: {continuation(own)}"
