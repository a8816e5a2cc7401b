"""Companions of a change: the files that earlier commits changed together with its files, as a reading list.

A file is listed if earlier commits that changed one of the files mostly changed it too; recent commits count
more. ``evals/intent_notes.py companions`` measures how often a file that was excluded of a commit is listed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from itertools import islice
from typing import NamedTuple

from wardround.analyses.stated_intent.notes import CompanionNote
from wardround.change.encoding import escape_undecodable
from wardround.retrieval.commit_signals import CommitIndex

MOST_LISTED = 3
FEWEST_COMMITS = 5
"""Earlier commits that changed both files; fewer are chance."""
LEAST_SHARE = 0.7
"""The share of the commits of a file that changed the other one too."""
_HALF_LIFE = 200
"""The number of commits after which one counts half."""
_PRIOR = 0.5
"""Commits of a file without the other that are assumed in addition, so that few commits are no proof."""
_NOT_READ = re.compile(
    r"\.(?:lockb?|snap|map|min\.\w+|png|jpe?g|gif|ico|pdf|woff2?)$|(?:-lock|shrinkwrap)\.(?:json|yaml)$"
)
"""Files that tools write."""


def companions(
    changed: Collection[str], past: Sequence[CommitIndex], exists: Callable[[str], bool]
) -> tuple[CompanionNote, ...]:
    """Return the files that changes of these files usually include, the most usual first; pure.

    Args:
        changed: the paths of the change, both names of a renamed file.
        past: the commits before the change, newest first; those of very many files have no paths.
        exists: the head has a file at a path.
    """
    history = _History(frozenset(changed))
    for age, commit in enumerate(past):
        history.add(commit.paths, 0.5 ** (age / _HALF_LIFE))
    written = (usual for usual in history.usual_companions() if not _NOT_READ.search(usual.path))
    listed = islice((usual for usual in written if exists(usual.path)), MOST_LISTED)
    return tuple(CompanionNote(escape_undecodable(usual.path), usual.reason) for usual in listed)


class _Companion(NamedTuple):
    """A file, and the changed file that it is most often changed with."""

    share: float
    commits: int
    path: str
    changed: str
    of: int

    @property
    def reason(self) -> str:
        """The evidence in words."""
        name = escape_undecodable(self.changed)
        return f"{self.commits} of {self.of} earlier commits that changed {name} changed it too"


class _History:
    """The earlier commits that changed files of the change, counted as they are and by their weight."""

    def __init__(self, changed: frozenset[str]) -> None:
        self._changed = changed
        self._commits: Counter[str] = Counter()
        self._weights: dict[str, float] = defaultdict(float)
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._pair_weights: dict[tuple[str, str], float] = defaultdict(float)

    def add(self, paths: Collection[str], weight: float) -> None:
        """Count the files of a commit."""
        others = set(paths) - self._changed
        for path in self._changed.intersection(paths):
            self._commits[path] += 1
            self._weights[path] += weight
            for other in others:
                self._pairs[path, other] += 1
                self._pair_weights[path, other] += weight

    def usual_companions(self) -> list[_Companion]:
        """Return the usual companions, each with the changed file that most often changes with it."""
        best: dict[str, _Companion] = {}
        for (path, other), count in sorted(self._pairs.items()):
            share = round(self._pair_weights[path, other] / (self._weights[path] + _PRIOR), 6)
            if count < FEWEST_COMMITS or share < LEAST_SHARE:
                continue
            if other not in best or share > best[other].share:
                best[other] = _Companion(share, count, other, path, self._commits[path])
        return sorted(best.values(), key=lambda companion: (-companion.share, companion.path))
