"""Ignore comments of tools that a change adds, blanked out in copies of both sides of a file.

Where the change is not trusted, its files are reviewed a second time with these copies: the comments hide the
additional findings. Blanking replaces letters by the same number of letters, so that positions stay. It works
on lines and words, since it must not depend on the syntax of one language; a string with such a word loses
only its letters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import msgspec

from wardround.change.diff import ChangedFile, Hunk
from wardround.checks.lazy import LazyPattern
from wardround.context.ignore_comments import IGNORE, REGION, REGION_END

_COMMENT = LazyPattern(r"\s*(?:#|//|/\*|\*|--|<!--|\{/\*)")
_LETTER = re.compile(r"[^\W\d_]")


class Blanked(msgspec.Struct, frozen=True):
    """Both sides of a file with blanked ignore comments; ``base`` is empty for an added file."""

    base: bytes
    head: bytes


def blanked(file: ChangedFile, base: bytes | None, head: bytes) -> Blanked | None:
    """Both sides without the ignore comments the change adds; None if it adds none.

    A comment is not added where the lines that a hunk replaces end with the same one: the code before it may
    change. Three kinds always count as added: those that hold for a region or a file, those above an inserted
    line, and all of a file from which the change removes the end of a region. At the base their counterparts
    are blanked too, and those on replaced lines: the findings they hid existed before.
    """
    old, new = _lines(base or b""), _lines(head)
    added, removed = _blanked_lines(file, old, new)
    if not added:
        return None
    return Blanked(_blank(old, removed), _blank(new, added))


def without_ignore_comments(text: str) -> str:
    """The text of a file with each line cut off where an ignore comment begins."""
    lines = text.split("\n")
    ends = ((line, IGNORE.search(line)) for line in lines)
    return "\n".join(line if match is None else line[: match.start()] for line, match in ends)


def _lines(content: bytes) -> list[str]:
    return content.decode("utf-8", "surrogateescape").split("\n")


def _blank(lines: Sequence[str], numbers: set[int]) -> bytes:
    blanked_lines = (
        IGNORE.sub(_letters_blanked, line) if n in numbers else line for n, line in enumerate(lines, 1)
    )
    return "\n".join(blanked_lines).encode("utf-8", "surrogateescape")


def _letters_blanked(match: re.Match[str]) -> str:
    return _LETTER.sub("x", match[0])


def _blanked_lines(file: ChangedFile, old: Sequence[str], new: Sequence[str]) -> tuple[set[int], set[int]]:
    """The 1-based lines whose ignore comments are blanked, at the head and at the base."""
    added: set[int] = set()
    removed: set[int] = set()
    for hunk in (Hunk(0, 0, 1, len(new)),) if file.is_all_added else file.hunks:
        before = _ignore_comments(old, hunk.base_start, hunk.base_length)
        after = _ignore_comments(new, hunk.head_start, hunk.head_length)
        removed |= before.keys()
        known = Counter(before.values())
        for number, ending in after.items():
            known[ending] -= 1
            if known[ending] < 0 or REGION.search(ending[1]):
                added.add(number)
        if hunk.base_length == 0:
            above = _comments_above(new, hunk.head_start - 1)
            added |= above
            removed |= {number - hunk.head_start + 1 + hunk.base_start for number in above}
        ends_before = _region_ends(old, hunk.base_start, hunk.base_length)
        if ends_before > _region_ends(new, hunk.head_start, hunk.head_length):
            return {*_ignore_comments(new, 1, len(new))}, {*_ignore_comments(old, 1, len(old))}
    return added, removed


def _ignore_comments(lines: Sequence[str], start: int, length: int) -> dict[int, tuple[bool, str]]:
    """The lines of a block with an ignore comment: (True if a comment alone, text from there to the end)."""
    comments = {}
    for number in range(max(start, 1), min(start + length, len(lines) + 1)):
        line = lines[number - 1]
        match = IGNORE.search(line)
        if match is not None:
            comments[number] = _COMMENT.match(line) is not None, line[match.start() :].strip()
    return comments


def _comments_above(lines: Sequence[str], number: int) -> set[int]:
    """The ignore comments in the comment lines directly above an insertion, which hold for the next line."""
    numbers = set()
    while number >= 1 and _COMMENT.match(lines[number - 1]):
        if IGNORE.search(lines[number - 1]):
            numbers.add(number)
        number -= 1
    return numbers


def _region_ends(lines: Sequence[str], start: int, length: int) -> int:
    block = lines[max(start - 1, 0) : max(start - 1, 0) + length]
    return sum(REGION_END.search(line) is not None for line in block)
