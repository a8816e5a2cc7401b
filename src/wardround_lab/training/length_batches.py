"""The order of examples in a training: shuffled, with similar lengths in the same batch."""

from __future__ import annotations

import random
from collections.abc import Sequence

_BATCHES_OF_A_LENGTH = 16
"""Number of batches that are sorted by length together, to minimise padding."""


def epoch_order(lengths: Sequence[int], batch: int, seed: int, turn: int) -> list[int]:
    """Return the order of one epoch as indices; it depends on the arguments alone.

    Args:
        lengths: number of tokens of each example.
        batch: examples per batch; an incomplete one at the end is left out, unless it is the only one.
        turn: 0-based number of the epoch.
    """
    draw = random.Random(f"{seed}:{turn}")  # noqa: S311  (an order that can be repeated)
    order = list(range(len(lengths)))
    draw.shuffle(order)
    group = batch * _BATCHES_OF_A_LENGTH
    sorted_groups = [
        sorted(order[at : at + group], key=lambda place: lengths[place]) for at in range(0, len(order), group)
    ]
    parts = [members[at : at + batch] for members in sorted_groups for at in range(0, len(members), batch)]
    complete = [part for part in parts if len(part) == batch] or parts
    draw.shuffle(complete)
    return [place for part in complete for place in part]
