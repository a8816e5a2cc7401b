"""The commits of a clone that are reviewed: single ones, and windows of many."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

MOST_ADDED_LINES = 2000
"""Commits that add more are mostly generated or vendored code."""
_SEARCHED = 5
"""The number of commits of the log for each one that is reviewed."""
_MOST_WINDOW_LINES = 60_000
"""A window that adds more is halved."""


@dataclass(frozen=True, slots=True)
class Window:
    """A range of first-parent commits.

    Attributes:
        base: the parent of the oldest commit.
        head: the newest commit.
        commits: the number of commits, with pathspecs of those that change such files.
    """

    base: str
    head: str
    commits: int


def git_output(folder: Path, *arguments: str) -> str:
    """Return the output of git; nothing if it fails."""
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], capture_output=True, text=True, errors="replace", check=False
    )
    return done.stdout if done.returncode == 0 else ""


def newest_commits(folder: Path, count: int) -> list[tuple[str, str]]:
    """Return (parent, commit) of the newest commits with one parent that add a reviewable number of lines."""
    log = git_output(folder, "log", "--no-merges", f"-n{_SEARCHED * count}", "--format=%H")
    found: list[tuple[str, str]] = []
    for commit in log.split():
        if len(found) == count:
            break
        parent = reviewable_parent(folder, commit)
        if parent:
            found.append((parent, commit))
    return found


def reviewable_parent(folder: Path, commit: str) -> str:
    """Return the parent of a commit that is reviewed separately; empty if it is not.

    It has one parent and adds a reviewable number of lines. The lines of each commit are counted apart: a
    clone may lack large objects, and git stops at the first.
    """
    parents = git_output(folder, "log", "-1", "--format=%P", commit).split()
    if len(parents) != 1:
        return ""
    return parents[0] if 0 < added_lines(folder, parents[0], commit) <= MOST_ADDED_LINES else ""


def added_lines(folder: Path, base: str, head: str, paths: Sequence[str] = ()) -> int:
    """Return the number of lines that a range adds; 0 if the clone lacks objects of it."""
    stat = git_output(folder, "diff", "--shortstat", base, head, "--", *paths)
    words = stat.replace(",", " ").split()
    return next((int(words[n - 1]) for n, word in enumerate(words) if word.startswith("insertion")), 0)


def windows(
    folder: Path, length: int, count: int, paths: Sequence[str] = (), since: str = "2000-01-01"
) -> Iterator[Window]:
    """Yield up to ``count`` adjacent windows, the newest first, and the halves of those that add too much.

    Args:
        length: the number of commits in a window.
        paths: pathspecs; with some, only the commits that change such files count for the length.
        since: older commits are excluded.
    """
    arguments = ("--first-parent", f"--since={since}", f"-n{length * count}", "--format=%H %P")
    rows = git_output(folder, "log", *arguments, "--", *paths).splitlines()
    chain = [(parts[0], parts[1]) for parts in map(str.split, rows) if len(parts) > 1]
    for first in range(0, len(chain), length):
        yield from _moderate(folder, chain[first : first + length], paths)


def _moderate(folder: Path, chain: Sequence[tuple[str, str]], paths: Sequence[str]) -> Iterator[Window]:
    window = Window(base=chain[-1][1], head=chain[0][0], commits=len(chain))
    if len(chain) == 1 or added_lines(folder, window.base, window.head, paths) <= _MOST_WINDOW_LINES:
        yield window
        return
    half = len(chain) // 2
    yield from _moderate(folder, chain[:half], paths)
    yield from _moderate(folder, chain[half:], paths)
