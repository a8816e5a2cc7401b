"""Ignore comments of tools that a change adds, blanked out in copies of both sides of a file.

Where the change is not trusted, its files are reviewed a second time with these copies: what is reported
there and was not before is what the comments hide. Blanking replaces letters by the same number of letters,
so every position stays; it works on lines and words, not on comments, since it must not depend on one
language's syntax, and a string that holds such a word loses nothing but its letters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import msgspec

from wardround.change.diff import ChangedFile, Hunk
from wardround.checks.lazy import LazyPattern

_IGNORES = LazyPattern(
    r"(?:#|--|//|/\*)[ \t]*noqa\b"
    r"|#\s*(?:ruff|flake8|pylint)\s*[:=]"
    r"|#\s*(?:type|ty|mypy)\s*:\s*ignore"
    r"|#\s*(?:pyright|mypy)\s*:"
    r"|#\s*nosec\b"
    r"|\bnosem(?:grep)?\b"
    r"|\b(?:eslint|oxlint)-(?:disable|env)"
    r"|(?:/\*|^)[\s*]*eslint\b"
    r"|\bbiome-ignore"
    r"|@ts-(?:ignore|nocheck|expect-error)\b"
    r"|\bast-grep-ignore\b"
    r"|\bsquawk-ignore"
    r"|--\s*sqlfluff\s*:"
    r"|#\s*hadolint\s+(?:global\s+)?ignore\s*="
    r"|#\s*check\s*="
    r"|#\s*shellcheck\s[^\n#]{0,200}?\bdisable\s*="
    r"|#\s*zizmor\s*:\s*ignore"
    r"|\b(?:checkov|bridgecrew|cortex)(?:\.io/skip|:skip)"
    r"|\bgitleaks:allow\b",
    re.IGNORECASE,
)
_REGIONS = LazyPattern(
    r"(?:eslint|oxlint)-(?:disable(?!-next-line|-line)|env)|(?:/\*|^)[\s*]*eslint\b(?!-)|biome-ignore-(?:all|start)"
    r"|@ts-nocheck|#\s*(?:ruff|flake8|pylint|pyright|mypy)\s*[:=]|squawk-ignore-file|noqa\s*:\s*disable"
    r"|global\s+ignore|sqlfluff\s*:|#\s*check\s*=",
    re.IGNORECASE,
)
"""Those that hold for more than a line or a statement."""
_ENDS = LazyPattern(
    r"(?:eslint|oxlint)-enable|biome-ignore-end|(?:noqa|ruff)\s*:\s*enable", re.IGNORECASE
)  # fmt: skip
"""What ends such a region: where the change takes it away, the region grows."""
_COMMENT = LazyPattern(r"\s*(?:#|//|/\*|\*|--|<!--|\{/\*)")
_LETTER = re.compile(r"[^\W\d_]")


class Blanked(msgspec.Struct, frozen=True):
    """Both sides of a file without the ignore comments at issue; ``base`` is empty for an added file."""

    base: bytes
    head: bytes


def blanked(file: ChangedFile, base: bytes | None, head: bytes) -> Blanked | None:
    """Both sides without the ignore comments the change adds; None if it adds none.

    A comment is the base's where the lines that a hunk replaces have the same one to their end, so the code
    beside it may be edited. Those that hold for a region or a file, those above a line that is inserted, and
    all of a file in which the end of a region is removed, never are. On the base side the counterparts are
    blanked too, and those on replaced lines: what they hid there was there before.
    """
    old, new = _lines(base or b""), _lines(head)
    added, removed = _at_issue(file, old, new)
    if not added:
        return None
    return Blanked(_without(old, removed), _without(new, added))


def cut(text: str) -> str:
    """The text of a file with each line ending where an ignore comment begins."""
    lines = text.split("\n")
    ends = ((line, _IGNORES.search(line)) for line in lines)
    return "\n".join(line if match is None else line[: match.start()] for line, match in ends)


def _lines(content: bytes) -> list[str]:
    return content.decode("utf-8", "surrogateescape").split("\n")


def _without(lines: Sequence[str], numbers: set[int]) -> bytes:
    found = (
        _IGNORES.sub(_letters_blanked, line) if n in numbers else line for n, line in enumerate(lines, 1)
    )
    return "\n".join(found).encode("utf-8", "surrogateescape")


def _letters_blanked(match: re.Match[str]) -> str:
    return _LETTER.sub("x", match[0])


def _at_issue(file: ChangedFile, old: Sequence[str], new: Sequence[str]) -> tuple[set[int], set[int]]:
    """The 1-based lines whose ignore comments are blanked, at the head and at the base."""
    added: set[int] = set()
    removed: set[int] = set()
    for hunk in (Hunk(0, 0, 1, len(new)),) if file.is_all_added else file.hunks:
        before = _marked(old, hunk.base_start, hunk.base_length)
        after = _marked(new, hunk.head_start, hunk.head_length)
        removed |= before.keys()
        known = Counter(before.values())
        for number, ending in after.items():
            known[ending] -= 1
            if known[ending] < 0 or _REGIONS.search(ending[1]):
                added.add(number)
        if hunk.base_length == 0:
            above = _marked_above(new, hunk.head_start - 1)
            added |= above
            removed |= {number - hunk.head_start + 1 + hunk.base_start for number in above}
        if _ends(old, hunk.base_start, hunk.base_length) > _ends(new, hunk.head_start, hunk.head_length):
            return {*_marked(new, 1, len(new))}, {*_marked(old, 1, len(old))}
    return added, removed


def _marked(lines: Sequence[str], start: int, length: int) -> dict[int, tuple[bool, str]]:
    """The lines of a block with an ignore comment: whether it has its line alone, and that to its end."""
    found = {}
    for number in range(max(start, 1), min(start + length, len(lines) + 1)):
        line = lines[number - 1]
        match = _IGNORES.search(line)
        if match is not None:
            found[number] = _COMMENT.match(line) is not None, line[match.start() :].strip()
    return found


def _marked_above(lines: Sequence[str], number: int) -> set[int]:
    """The ignore comments in the comment lines directly above an insertion, which hold for what follows."""
    found = set()
    while number >= 1 and _COMMENT.match(lines[number - 1]):
        if _IGNORES.search(lines[number - 1]):
            found.add(number)
        number -= 1
    return found


def _ends(lines: Sequence[str], start: int, length: int) -> int:
    block = lines[max(start - 1, 0) : max(start - 1, 0) + length]
    return sum(_ENDS.search(line) is not None for line in block)
