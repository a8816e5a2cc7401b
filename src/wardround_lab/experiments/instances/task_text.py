"""The text of a task: a message without what reveals where and how it was solved."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wardround.lazy import LazyPattern
from wardround.retrieval.documents import query_text

GIVEN_AWAY = LazyPattern(
    r"https?://\S+|[\w./-]+@[0-9a-f]{7,40}\b|\(?(?:\b[Gg][Hh]-)?#\d+\)?|\b[0-9a-f]{7,40}\b"
    r"|\S*[\w-]+\.(?:py|pyi|tsx?|jsx?|vue|md|rst|ya?ml|toml|json|cfg|ini|sql|css|html|txt|go|rs)\b|\b[\w.-]+/[\w./-]+"
)
"""Addresses, numbers of issues, ids of commits, names of files, and paths."""
ROUTINE = LazyPattern(
    r"^(merge|revert|bump|release|version|prepare"
    r"|update (dependenc|lock|changelog)|changelog|\[pre-commit|v?\d)"
    r"|\b(typos?|lint(ing)?|format(ting)?|black|isort|prettier|mypy|flake8)\b",
    re.IGNORECASE,
)
"""Subjects of commits that state no task."""
_WORD = LazyPattern(r"[A-Za-z]{2,}")
_NAME = LazyPattern(r"[A-Za-z_]\w{2,}")
_PRIVATE = LazyPattern(r"(?<!\w)_{1,2}[A-Za-z]\w*(?<!__)\b")
_SPAN = LazyPattern(r"`{1,3}([^`\n]{1,200})`{1,3}")
_CODE_LIKE = LazyPattern(r"_|\d|[a-z][A-Z]")
_LEAST_WORDS = 4
_LONGEST = 3000


def task_text(message: str) -> str:
    """Return a message, its first line and the rest, without text that reveals the files."""
    lines = (" ".join(part.split()) for part in GIVEN_AWAY.sub(" ", query_text(message)).split("\n", 1))
    return "\n".join(line for line in lines if line)[:_LONGEST]


def states_a_task(subject: str, text: str) -> bool:
    """Return True if a commit is not a routine one, and its text has enough words."""
    return not ROUTINE.search(subject) and len(_WORD.findall(text)) >= _LEAST_WORDS


class AnswerCode:
    """The code that an answer adds, and private names of the files that it changes.

    Attributes:
        names: the added identifiers that no changed file had before.

    Args:
        before: the texts of the changed files before.
        added: the added lines.
    """

    def __init__(self, before: Iterable[str], added: Iterable[str]) -> None:
        old = "\n".join(before)
        self._added = [line.strip() for line in added if line.strip()]
        self._old_code = _without_space(old)
        self._new_code = _without_space("\n".join(self._added))
        found = set(_NAME.findall("\n".join(self._added)))
        self.names = frozenset(found.difference(_NAME.findall(old)))
        self._private = set(_PRIVATE.findall(old))

    def removed_from(self, message: str) -> str:
        """Return a message without the code and the private names, which nobody who reports a fault knows."""
        lines = (line for line in message.split("\n") if not self._is_added(line.strip()))
        text = _SPAN.sub(self._without_code, "\n".join(lines))
        for name in sorted(self.names | self._private.intersection(_PRIVATE.findall(text))):
            text = _pattern_of(name).sub(" ", text)
        return text

    def _is_added(self, line: str) -> bool:
        return len(line.split()) > 1 and line in self._added

    def _without_code(self, span: re.Match[str]) -> str:
        code = _without_space(span[1])
        is_new = code in self._new_code and code not in self._old_code
        return " " if is_new else span[0]


def _pattern_of(name: str) -> re.Pattern[str]:
    """Return the pattern of an identifier; of one that is a word as well only where it is written as code."""
    escaped = re.escape(name)
    if _CODE_LIKE.search(name):
        return re.compile(rf"\b{escaped}\b(?:\(\))?")
    return re.compile(rf"`{escaped}`|(?<=[.@]){escaped}\b|\b{escaped}(?=\()")


def _without_space(text: str) -> str:
    return "".join(text.split())
