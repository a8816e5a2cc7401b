"""The words of authors about a breaking change, in place of those that the comparison derives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from wardround.lazy import LazyPattern
from wardround.release_notes.history.history import HistoryCommit
from wardround.release_notes.model import Statement
from wardround.release_notes.statements.sentence import continuation, sentence
from wardround.text.escaping import one_line

_SENTENCE_END = LazyPattern(r"(?<=[.!?])\s+(?=[A-Z`])")
_LONGEST = 300


def with_stated_migrations(
    statements: Sequence[Statement], commits: Mapping[str, HistoryCommit]
) -> list[Statement]:
    """Return breaking statements with the first sentence of the footer of their commit as the migration.

    A footer of a commit with several breaking changes is about all of them, and stays where it is.
    """
    counts = Counter(commit for statement in statements for commit in statement.commits)
    return [_with_footer(statement, commits, counts) for statement in statements]


def _with_footer(
    statement: Statement, commits: Mapping[str, HistoryCommit], counts: Mapping[str, int]
) -> Statement:
    footers = [_footer(commits[name]) for name in statement.commits if counts[name] == 1 and name in commits]
    stated = next(filter(None, footers), "")
    if statement.breaking is None or not stated or len(stated) > _LONGEST:
        return statement
    return replace(statement, breaking=replace(statement.breaking, migration=stated))


def _footer(commit: HistoryCommit) -> str:
    text = one_line(_SENTENCE_END.split(commit.message.breaking)[0]).rstrip(".")
    return continuation(sentence(text)) if text else ""
