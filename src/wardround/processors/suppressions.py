"""Suppressions: comments that waive a rule at one place, with a reason.

``wardround: ignore[RULE] reason`` on the line of a finding or on the line above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from wardround.checks.lazy import LazyPattern
from wardround.specialists import Comment

_ADDRESSED = LazyPattern(r"wardround:\s*(.*)", re.DOTALL)
_IGNORE = LazyPattern(r"ignore\s*\[([^\]]*)\]\s*(.*)", re.DOTALL)


class Suppression(msgspec.Struct, frozen=True):
    """One comment.

    Attributes:
        rules: what it names, as written.
        reason: empty if none is given, and then it waives nothing.
        column: 1-based, where the comment starts.
    """

    line: int
    column: int
    rules: tuple[str, ...]
    reason: str

    def covers(self, line: int) -> bool:
        return line in (self.line, self.line + 1)


class MalformedSuppression(msgspec.Struct, frozen=True):
    """A comment that addresses wardround in words it does not know; it starts at a column, 1-based."""

    line: int
    column: int
    text: str


def read(comments: Iterable[Comment]) -> tuple[list[Suppression], list[MalformedSuppression]]:
    """The suppressions among a file's comments, and what looks like one and is not."""
    found: list[Suppression] = []
    unreadable: list[MalformedSuppression] = []
    for comment in comments:
        addressed = _ADDRESSED.match(comment.text)
        if addressed is None:
            continue
        match = _IGNORE.match(addressed[1].strip())
        names = tuple(name.strip() for name in match[1].split(",") if name.strip()) if match else ()
        if match is None or not names:
            unreadable.append(MalformedSuppression(comment.line, comment.column, comment.text))
            continue
        reason = match[2].strip().lstrip("-:").strip()
        found.append(Suppression(comment.line, comment.column, names, reason))
    return found, unreadable
