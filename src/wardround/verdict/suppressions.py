"""Suppressions: comments that waive a rule at one place, with a reason.

``wardround: ignore[RULE] reason`` on the line of a finding or on the line above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from wardround.specialists import Comment

_ADDRESSED = re.compile(r"wardround:\s*(.*)", re.DOTALL)
_IGNORE = re.compile(r"ignore\s*\[([^\]]*)\]\s*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Suppression:
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


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A comment that addresses wardround in words it does not know."""

    line: int
    text: str


def read(comments: Iterable[Comment]) -> tuple[list[Suppression], list[Unreadable]]:
    """The suppressions among a file's comments, and what looks like one and is not."""
    found: list[Suppression] = []
    unreadable: list[Unreadable] = []
    for comment in comments:
        addressed = _ADDRESSED.match(comment.text)
        if addressed is None:
            continue
        match = _IGNORE.match(addressed[1].strip())
        names = tuple(name.strip() for name in match[1].split(",") if name.strip()) if match else ()
        if match is None or not names:
            unreadable.append(Unreadable(comment.line, comment.text))
            continue
        reason = match[2].strip().lstrip("-:").strip()
        found.append(Suppression(comment.line, comment.column, names, reason))
    return found, unreadable
