"""The statements of release notes that the entries of a changelog contain, in other words too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wardround.context.surface.announcement import has_breaking_word, has_mention
from wardround.context.surface.model import SurfaceKind
from wardround.lazy import LazyPattern
from wardround.release_notes.changelog.changelog_claims import names_in, references_in
from wardround.release_notes.model import BreakingForm, Statement
from wardround.text.search_terms import count_words
from wardround.text.tokens import parts

_SHARED_WORDS = 1 / 3
"""The share of the words of a feature from which on an entry with them may state the same change."""
_SHARED_SUBJECT = 1 / 2
"""The same for the subject of a commit that breaks users."""
_GENERIC_WORDS = count_words(
    "add added allow can change enable implement improve introduce make new now provide support use user when"
).keys()
_UNSEEN = LazyPattern(
    r"(?i)\b(?:annotations?|typ(?:ing|ings)|type hints?|translat\w{1,10}|locali[sz]\w{1,10}|pre-commit"
    r"|lint\w{0,6}|ci)\b"
)
"""Words of features that changelogs seldom list one by one."""


class ChangelogCoverage:
    """Entries of a changelog, in which statements are searched.

    A doubtful statement counts as contained: a report about a correct changelog is worse than a missing one.
    """

    def __init__(self, entries: Sequence[str], subjects: Mapping[str, str]) -> None:
        """Args:
        entries: their texts.
        subjects: of the commits of the range, by id.
        """
        self._entries, self._subjects = entries, subjects
        self._words = [count_words(text).keys() for text in entries]

    def has(self, statement: Statement) -> bool:
        """Return True if an entry has the pull request, the symbol, the names or the words of a statement."""
        references = references_in(" ".join(statement.references))
        if any(references & references_in(text) for text in self._entries):
            return True
        if statement.breaking is not None:
            return self._has_break(statement, statement.breaking)
        if _UNSEEN.search(statement.text) and not names_in(statement.text):
            return True
        return self._has_names(statement.text) or self._has_words(statement.text, _SHARED_WORDS)

    def _has_break(self, statement: Statement, form: BreakingForm) -> bool:
        if any(has_mention(text, form.symbol, statement.text) for text in self._entries):
            return True
        if form.surface is SurfaceKind.DEPENDENCIES:
            return False
        owner, _, name = form.symbol.rpartition(".")
        subjects = (self._subjects.get(commit, "") for commit in statement.commits)
        is_stated = self._has_parts(name) or self._has_class(owner.rpartition(".")[2])
        return is_stated or any(self._has_words(subject, _SHARED_SUBJECT) for subject in subjects)

    def _has_parts(self, name: str) -> bool:
        """Return True if an entry has the words of a name, as in ``JSON decoders`` for ``json_decoder``."""
        expected = count_words(" ".join(parts(name))).keys()
        return len(expected) > 1 and any(expected <= words for words in self._words)

    def _has_class(self, name: str) -> bool:
        """Return True if an entry states that something of a class is removed, without its name."""
        stating = (text for text in self._entries if has_breaking_word(text))
        return name[:1].isupper() and any(has_mention(text, name) for text in stating)

    def _has_names(self, text: str) -> bool:
        return any(has_mention(entry, name) for name in names_in(text) for entry in self._entries)

    def _has_words(self, text: str, share: float) -> bool:
        expected = count_words(text).keys() - _GENERIC_WORDS
        most = max((len(expected & words) for words in self._words), default=0)
        return bool(expected) and most >= share * len(expected)
