"""Companions of a change: the files that earlier commits changed together with its files, as a reading list.

A file is listed if earlier commits that changed one of the files mostly changed it too; recent commits count
more. ``evals/intent_notes.py companions`` measures how often a file that was left out of a commit is listed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from itertools import islice
from typing import NamedTuple

from wardround.change.encoding import escape_undecodable
from wardround.planes.intent_notes import CompanionNote
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
    usual = (one for one in _ranked(frozenset(changed), past) if not _NOT_READ.search(one.path))
    listed = islice((one for one in usual if exists(one.path)), MOST_LISTED)
    return tuple(CompanionNote(escape_undecodable(one.path), one.reason) for one in listed)


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


def _ranked(changed: frozenset[str], past: Sequence[CommitIndex]) -> list[_Companion]:
    """Return the usual companions, each with the changed file that it goes with most."""
    commits: Counter[str] = Counter()
    weights: dict[str, float] = defaultdict(float)
    pairs: Counter[tuple[str, str]] = Counter()
    shared: dict[tuple[str, str], float] = defaultdict(float)
    for age, commit in enumerate(past):
        weight = 0.5 ** (age / _HALF_LIFE)
        for one in changed.intersection(commit.paths):
            commits[one] += 1
            weights[one] += weight
            for other in set(commit.paths) - changed:
                pairs[one, other] += 1
                shared[one, other] += weight
    best: dict[str, _Companion] = {}
    for (one, other), count in sorted(pairs.items()):
        share = round(shared[one, other] / (weights[one] + _PRIOR), 6)
        is_usual = count >= FEWEST_COMMITS and share >= LEAST_SHARE
        if is_usual and (other not in best or share > best[other].share):
            best[other] = _Companion(share, count, other, one, commits[one])
    return sorted(best.values(), key=lambda one: (-one.share, one.path))
