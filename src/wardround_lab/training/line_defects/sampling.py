"""Sample the windows of a step: first pairs that grow as often as they shrink, then mostly correct ones."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wardround.training_tasks import Window
from wardround_lab.corpora.defect_windows import tokens_of
from wardround_lab.training.line_defects.encoding import EncodedWindow
from wardround_lab.training.line_defects.recipe import PhasesPart

_BUCKETS = (-12, -6, -2, -1, 0, 1, 2, 6, 12)
"""Boundaries, in added tokens, of the size groups of edits."""


def growth(window: Window) -> int:
    """Return added tokens less removed tokens."""
    return sum(
        (mark == "+") * len(tokens_of(line)) - (mark == "-") * len(tokens_of(line))
        for mark, line in zip(window.marks, window.lines, strict=True)
    )


def pairs_of(sheets: Sequence[EncodedWindow]) -> list[tuple[EncodedWindow, EncodedWindow]]:
    """Return (broken, correct) of each complete pair, in the order of the broken ones."""
    by_pair: dict[tuple[str, str, str], dict[bool, EncodedWindow]] = defaultdict(dict)
    for sheet in sheets:
        window = sheet.window
        key = (window.repository, window.group, window.pair)
        by_pair[key].setdefault(bool(window.faults), sheet)
    return [
        (both[True], both[False]) for both in by_pair.values() if len(both) == 2 and any(both[True].faulty)
    ]


def balance_pairs(
    pairs: Sequence[tuple[EncodedWindow, EncodedWindow]], seed: int
) -> list[tuple[EncodedWindow, EncodedWindow]]:
    """Return as many pairs whose broken window grew as pairs whose broken window shrank by a similar size."""
    reported = random.Random(f"{seed}:balance")  # noqa: S311  (repeatable)
    by_size: dict[int, list[int]] = defaultdict(list)
    for at, (bad, _) in enumerate(pairs):
        by_size[_bucket(growth(bad.window))].append(at)
    retained = []
    for size, found in by_size.items():
        few = min(len(found), len(by_size.get(-size, ())))
        retained += reported.sample(found, few)
    return [pairs[at] for at in sorted(retained)]


def _bucket(size: int) -> int:
    """Return the group of a size; that of its opposite is its negative."""
    return sum(size >= edge for edge in _BUCKETS if edge > 0) - sum(
        size <= edge for edge in _BUCKETS if edge < 0
    )


@dataclass(frozen=True, slots=True)
class BatchSampler:
    """The pools of windows for batches.

    Attributes:
        pairs: injected defects, balanced by size.
        real_right: fixes and ordinary changes; ``real_broken``: reversed fixes.
    """

    pairs: tuple[tuple[EncodedWindow, EncodedWindow], ...]
    real_right: tuple[EncodedWindow, ...]
    real_broken: tuple[EncodedWindow, ...]

    @classmethod
    def of(cls, sheets: Sequence[EncodedWindow], seed: int) -> BatchSampler:
        """Sort windows into pools."""
        injected = [sheet for sheet in sheets if sheet.window.origin == "injected"]
        real = [sheet for sheet in sheets if sheet.window.origin != "injected"]
        return cls(
            tuple(balance_pairs(pairs_of(injected), seed)),
            tuple(sheet for sheet in real if not sheet.window.faults),
            tuple(sheet for sheet in real if any(sheet.faulty)),
        )

    def batches(
        self, size: int, phases: PhasesPart, steps: int, seed: int, start: int
    ) -> Iterator[WindowBatch]:
        """Yield batches from step ``start`` to the last; the batch of step N depends on the arguments
        only.
        """
        first = round(steps * phases.balanced)
        for step in range(start, steps):
            reported = random.Random(f"{seed}:{step}")  # noqa: S311  (repeatable)
            if step < first or not self.real_right:
                drawn = [sheet for _ in range(max(1, size // 2)) for sheet in reported.choice(self.pairs)]
                yield WindowBatch(tuple(drawn), balanced=True)
            else:
                yield WindowBatch(
                    tuple(self._draw_window(phases, reported) for _ in range(size)), balanced=False
                )

    def _draw_window(self, phases: PhasesPart, told: random.Random) -> EncodedWindow:
        real, broken = told.random() < phases.real, told.random() < phases.broken
        if not real:
            return told.choice(self.pairs)[0 if broken else 1]
        return told.choice(self.real_broken if broken and self.real_broken else self.real_right)


@dataclass(frozen=True, slots=True)
class WindowBatch:
    """The windows of one step, and whether it is one of the balanced phase."""

    sheets: tuple[EncodedWindow, ...]
    balanced: bool
