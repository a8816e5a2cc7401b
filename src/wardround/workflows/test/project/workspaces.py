"""The members of workspaces: of uv by ``pyproject.toml``, of npm, yarn, bun and pnpm by their own files."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Sequence

from wardround.text.globs import matches_whole
from wardround.workflows.test.project.projects import Fact

_MOST_PATTERNS = 200
_LONGEST_PATTERN = 200


def members(
    root: str, patterns: Sequence[str], excluded: Sequence[str], folders: Collection[str], source: Fact
) -> Iterator[tuple[str, Fact]]:
    """Yield the folders that match the patterns of a workspace, with the source of the membership.

    Args:
        root: the folder of the workspace.
        excluded: patterns that remove members; so do patterns that begin with an exclamation mark.
    """
    positive = [pattern for pattern in patterns[:_MOST_PATTERNS] if not pattern.startswith("!")]
    negative = [
        *excluded[:_MOST_PATTERNS],
        *(pattern[1:] for pattern in patterns[:_MOST_PATTERNS] if pattern.startswith("!")),
    ]
    for folder in folders:
        inside = _inside(folder, root)
        if inside and _matches_folder(inside, positive) and not _matches_folder(inside, negative):
            yield folder, source


def _inside(folder: str, root: str) -> str:
    if not root:
        return folder
    return folder[len(root) + 1 :] if folder.startswith(f"{root}/") else ""


def _matches_folder(folder: str, patterns: Sequence[str]) -> bool:
    """Return True if a pattern matches; ``*`` matches one part of a path, ``**`` any number of them."""
    for glob in patterns:
        if len(glob) > _LONGEST_PATTERN:
            continue
        pattern = posixpath.normpath(glob.removeprefix("./").rstrip("/") or ".")
        if "**" not in pattern and pattern.count("/") != folder.count("/"):
            continue
        if matches_whole(folder, [pattern]):
            return True
    return False
