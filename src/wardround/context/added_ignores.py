"""Ignore comments of tools that hold for changed code, blanked out in copies of a file at base and head.

The files of a change are reviewed a second time with these copies: the comments hide the additional findings.
Blanking replaces letters by the same number of letters, so that positions stay. It works on lines and words,
since it must not depend on the syntax of one language; in a string that contains such a word only the letters
of the word are blanked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from wardround.change.diff import ChangedFile, Hunk
from wardround.lazy import LazyPattern
from wardround.text.keyword_index import keyword_index
from wardround.tools.ignore_comments import IgnoreComments

_COMMENT = LazyPattern(r"\s*(?:#|//|/\*|\*|--|<!--|\{/\*)")
_LONG = 65_536
"""In a longer text, searching few words takes less time than building its index."""
_LETTER = re.compile(r"[^\W\d_]")


class BlankedFile(msgspec.Struct, frozen=True):
    """A file at base and head with blanked ignore comments; ``base`` is empty for an added file."""

    base: bytes
    head: bytes


def blank_ignores(
    comments: IgnoreComments, file: ChangedFile, base: bytes | None, head: bytes
) -> BlankedFile | None:
    """Return base and head without the ignore comments that hold for changed code; None if there are none.

    Those are the comments on changed lines and directly above them, and all of a file from which the change
    removes the end of a region. At the base their counterparts are blanked too, and those on replaced lines:
    the findings they hid existed before.
    """
    old, new = _lines(base or b""), _lines(head)
    found = _separate_comments(comments, file, old, new)
    numbers = found.added | found.moved
    if not numbers:
        return None
    return BlankedFile(_blank(comments, old, found.removed), _blank(comments, new, numbers))


def moved_ignores(
    comments: IgnoreComments, file: ChangedFile, base: bytes | None, head: bytes
) -> frozenset[int]:
    """Return the 1-based lines of the ignore comments that were there before and now hold for changed code.

    None of a file to which the change adds a comment that holds for a region.
    """
    new = _lines(head)
    found = _separate_comments(comments, file, _lines(base or b""), new)
    has_region = any(comments.region.search(new[number - 1]) for number in found.added)
    return frozenset() if has_region else frozenset(found.moved)


def mentions_ignore(comments: IgnoreComments, content: bytes) -> bool:
    """Return True if a file has an ignore comment of any tool."""
    text = content.decode("utf-8", "surrogateescape")
    if len(text) < _LONG:
        has_word = keyword_index(text).in_lower_case.contains_any(comments.words)
    else:
        lowered = text.lower()
        has_word = any(word in lowered for word in comments.words)
    if not has_word:
        return False
    return comments.ignore.search(text) is not None


def cut_ignore_comments(comments: IgnoreComments, text: str) -> str:
    """Return the content of a file with each line cut off where an ignore comment begins."""
    lines = text.split("\n")
    ends = ((line, comments.ignore.search(line)) for line in lines)
    return "\n".join(line if match is None else line[: match.start()] for line, match in ends)


def _lines(content: bytes) -> list[str]:
    return content.decode("utf-8", "surrogateescape").split("\n")


def _blank(comments: IgnoreComments, lines: Sequence[str], numbers: set[int]) -> bytes:
    blanked_lines = (
        comments.ignore.sub(_blank_letters, line) if n in numbers else line for n, line in enumerate(lines, 1)
    )
    return "\n".join(blanked_lines).encode("utf-8", "surrogateescape")


def _blank_letters(match: re.Match[str]) -> str:
    return _LETTER.sub("x", match[0])


class _Comments(msgspec.Struct, frozen=True):
    """The 1-based lines of the ignore comments that hold for changed code.

    Attributes:
        added: those that the change adds, at the head.
        moved: those of the head that the base has too, and that now apply to other code.
        removed: the counterparts of both at the base.
    """

    added: set[int]
    moved: set[int]
    removed: set[int]


def _separate_comments(
    comments: IgnoreComments, file: ChangedFile, old: Sequence[str], new: Sequence[str]
) -> _Comments:
    """Separate the ignore comments that a change adds from those that it moves to other code.

    A comment is moved if the lines that a hunk replaces end with the same one, or if it is directly above
    them. Three kinds always count as added: those for a region or a file, those above an inserted line, and
    all of a file from which the change removes the end of a region.
    """
    added: set[int] = set()
    moved: set[int] = set()
    removed: set[int] = set()
    for hunk in (Hunk(0, 0, 1, len(new)),) if file.is_all_added else file.hunks:
        before = _ignore_comments(comments, old, hunk.base_start, hunk.base_length)
        after = _ignore_comments(comments, new, hunk.head_start, hunk.head_length)
        removed |= before.keys()
        for number, is_added in _compared_endings(comments, before, after):
            (added if is_added else moved).add(number)
        if hunk.head_length:
            above = _comments_above(comments, new, hunk.head_start - 1)
            (moved if hunk.base_length else added).update(above)
            removed |= {number - hunk.head_start + _base_start(hunk) for number in above}
        ends_before = _region_ends(comments, old, hunk.base_start, hunk.base_length)
        if ends_before > _region_ends(comments, new, hunk.head_start, hunk.head_length):
            every, former = (set(_ignore_comments(comments, side, 1, len(side))) for side in (new, old))
            return _Comments(every, set(), former)
    return _Comments(added, moved - added, removed)


def _compared_endings(
    comments: IgnoreComments, before: Mapping[int, tuple[bool, str]], after: Mapping[int, tuple[bool, str]]
) -> Iterator[tuple[int, bool]]:
    """Yield the lines of the comments in a hunk, each with True if it is added."""
    known = Counter(before.values())
    for number, ending in after.items():
        known[ending] -= 1
        yield number, known[ending] < 0 or comments.region.search(ending[1]) is not None


def _base_start(hunk: Hunk) -> int:
    """The line of the base at which the head's first line of a hunk is: the next one if it inserts lines."""
    return hunk.base_start if hunk.base_length else hunk.base_start + 1


def _ignore_comments(
    comments: IgnoreComments, lines: Sequence[str], start: int, length: int
) -> dict[int, tuple[bool, str]]:
    """The lines of a block with an ignore comment: (True if a comment alone, text from there to the end)."""
    found = {}
    for number in range(max(start, 1), min(start + length, len(lines) + 1)):
        line = lines[number - 1]
        match = comments.ignore.search(line)
        if match is not None:
            found[number] = _COMMENT.match(line) is not None, line[match.start() :].strip()
    return found


def _comments_above(comments: IgnoreComments, lines: Sequence[str], number: int) -> set[int]:
    """The ignore comments in the comment lines directly above an insertion, which hold for the next line."""
    numbers = set()
    while number >= 1 and _COMMENT.match(lines[number - 1]):
        if comments.ignore.search(lines[number - 1]):
            numbers.add(number)
        number -= 1
    return numbers


def _region_ends(comments: IgnoreComments, lines: Sequence[str], start: int, length: int) -> int:
    block = lines[max(start - 1, 0) : max(start - 1, 0) + length]
    return sum(comments.region_end.search(line) is not None for line in block)
