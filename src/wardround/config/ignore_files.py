"""Paths that the ``.gitignore`` files of a repository exclude.

By the rules of git, without escapes (``\\#``); a line that cannot be read as a pattern matches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

_FILES_KEPT = 64
_NOTHING = re.compile(r"(?!)")
_GLOB = re.compile(r"\*\*/|/\*\*$|\*+|\?|\[[^][/]+\]|[^*?\[]+|\[")
_OF_ANY_NAME = re.compile(r"(?:\*\*/)?\*\.(?:d\.)?\w+(?:\.map)?$")
"""Patterns that consist of a suffix only."""


class _Entry(NamedTuple):
    """A line of an ignore file."""

    pattern: re.Pattern[str]
    is_negated: bool
    is_of_folders: bool
    is_of_suffix: bool


def is_ignored(path: str, read: Callable[[str], str | None], by_suffix: bool = True) -> bool:
    """Return True if git ignores a path that it does not track.

    Args:
        read: returns the content of a file of the repository, None if it does not exist.
        by_suffix: consider patterns of a suffix alone, such as ``*.js``.
    """
    parts = path.split("/")
    heads = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    return any(_is_excluded(head, read, by_suffix, is_folder=head != path) for head in heads)


def _is_excluded(head: str, read: Callable[[str], str | None], by_suffix: bool, is_folder: bool) -> bool:
    """Return True if the last matching line of the ignore files above a path or a folder excludes it."""
    excluded = False
    for folder, text in _ignore_files(head, read):
        inner = head[len(folder) :]
        for entry in _entries(text):
            is_meant = (is_folder or not entry.is_of_folders) and (by_suffix or not entry.is_of_suffix)
            if is_meant and entry.pattern.fullmatch(inner):
                excluded = not entry.is_negated
    return excluded


def _ignore_files(path: str, read: Callable[[str], str | None]) -> Iterator[tuple[str, str]]:
    """Yield the folders above a path, each with a final slash, with the contents of their ignore files."""
    folders = ["", *(path[: at + 1] for at, sign in enumerate(path) if sign == "/")]
    for folder in folders:
        text = read(f"{folder}.gitignore")
        if text is not None:
            yield folder, text


@lru_cache(maxsize=_FILES_KEPT)
def _entries(text: str) -> tuple[_Entry, ...]:
    entries = []
    for line in text.splitlines():
        bare = line.rstrip().removeprefix("!")
        if bare and not bare.startswith("#"):
            entries.append(_entry(bare, is_negated=line.startswith("!")))
    return tuple(entries)


def _entry(text: str, is_negated: bool) -> _Entry:
    body = text.rstrip("/")
    # a pattern with a slash is relative to the folder of its file; others match at any depth
    prefix = "" if "/" in body else "(?:.*/)?"
    expression = prefix + "".join(map(_expression, _GLOB.findall(body.removeprefix("/"))))
    try:
        pattern = re.compile(expression)
    except re.error:  # a range such as [z-a], or an empty class
        pattern = _NOTHING
    return _Entry(pattern, is_negated, text.endswith("/"), _OF_ANY_NAME.match(body) is not None)


def _expression(piece: str) -> str:
    """Return the regular expression for a piece of a pattern."""
    fixed = {"**/": "(?:.*/)?", "/**": "/.*", "?": "[^/]"}
    if piece in fixed:
        return fixed[piece]
    if piece.strip("*") == "":
        return "[^/]*"
    if piece.startswith("[") and piece.endswith("]"):
        signs = re.escape(piece[1:-1].lstrip("!^")).replace(r"\-", "-")
        return f"[^{signs}]" if piece[1] in "!^" else f"[{signs}]"
    return re.escape(piece)
