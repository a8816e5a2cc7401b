"""Detect renames in a commit: deleted and added files that are equal or similar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from wardround.training_tasks import Changed

_PAIRS_AT_MOST = 400
"""Maximum number of pairs of deleted and added files whose contents are compared; above it, only equal ones
match.
"""
_ALIKE = 0.5
"""Share of lines that must be preserved, as in git's default."""


def pair_renames(changes: Sequence[Changed], text: Callable[[str | None], str | None]) -> tuple[Changed, ...]:
    """Return the changes by path, with each matching pair of deleted and added files as one rename.

    Args:
        changes: the changed files of one commit.
        text: blob -> its content, None if it cannot be read; such files match only if they are equal.
    """
    removed = sorted((change for change in changes if change.blob is None), key=_path)
    come = sorted((change for change in changes if change.base_blob is None), key=_path)
    if not removed or not come:
        return tuple(sorted(changes, key=_path))
    pairs = _equal(removed, come)
    removed = [change for change in removed if all(change is not old for old, _ in pairs)]
    come = [change for change in come if all(change is not new for _, new in pairs)]
    if len(removed) * len(come) <= _PAIRS_AT_MOST:
        pairs += _alike(removed, come, text)
    parted = {id(change) for pair in pairs for change in pair}
    moved = [Changed(new.path, old.base_path, new.blob, old.base_blob) for old, new in pairs]
    return tuple(sorted([change for change in changes if id(change) not in parted] + moved, key=_path))


def _path(change: Changed) -> str:
    return change.path


def _name(change: Changed) -> str:
    return change.path.rpartition("/")[2]


def _equal(gone: Sequence[Changed], come: Sequence[Changed]) -> list[tuple[Changed, Changed]]:
    """Return pairs of (deleted, added) files with the same blob, those with the same name first."""
    left: dict[str | None, list[Changed]] = {}
    for old in gone:
        left.setdefault(old.base_blob, []).append(old)
    pairs = []
    for new in come:
        if sources := left.get(new.blob):
            source = min(sources, key=lambda old: _name(old) != _name(new))
            sources.remove(source)
            pairs.append((source, new))
    return pairs


def _alike(
    gone: Sequence[Changed], come: Sequence[Changed], text: Callable[[str | None], str | None]
) -> list[tuple[Changed, Changed]]:
    """Return pairs of (deleted, added) files that share most lines, the most similar first, each file
    once.
    """
    before = [_lines(text(change.base_blob)) for change in gone]
    after = [_lines(text(change.blob)) for change in come]
    scored = sorted(
        (-likeness, i, j)
        for i, old in enumerate(before)
        for j, new in enumerate(after)
        if (likeness := _likeness(old, new)) >= _ALIKE
    )
    pairs: dict[int, int] = {}
    for _, i, j in scored:
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return [(gone[i], come[j]) for i, j in pairs.items()]


def _lines(text: str | None) -> Counter[str]:
    return Counter(line for line in (text or "").split("\n") if line.strip())


def _likeness(counter: Counter[str], other: Counter[str]) -> float:
    """Return the share of the lines of the longer text that both have, 0 to 1."""
    total, other_total = counter.total(), other.total()
    if min(total, other_total) < _ALIKE * max(total, other_total):
        return 0.0
    return (counter & other).total() / max(total, other_total, 1)
