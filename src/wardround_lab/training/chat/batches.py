"""Examples as the batches of transformers' trainer: padded on the left, with a loss on the answers alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from wardround_lab.training.chat.examples import Example

_IGNORED = -100
"""The label of a token without a loss, as torch's cross entropy has it."""


class ChatExamples(torch.utils.data.Dataset[Example]):
    """Examples in an order."""

    def __init__(self, examples: Sequence[Example], order: Sequence[int]) -> None:
        self.examples, self.order = examples, order

    def __len__(self) -> int:
        return len(self.order)

    def __getitem__(self, index: int) -> Example:
        return self.examples[self.order[index]]


def collate(examples: Sequence[Example]) -> dict[str, Any]:
    """Return the arguments of a decoder for a batch, with labels.

    The answers end where the batch ends, so logits are computed for the last positions only: for a
    vocabulary of 262,144 tokens those of a whole request would take more time and memory than all layers. The
    positions are a tensor, since a slice would make torch copy the weights of the head for each example.
    """
    width = max(example.length for example in examples)
    kept = 1 + max(len(example.answer) for example in examples)
    ids = torch.zeros((len(examples), width), dtype=torch.int64)
    mask = torch.zeros_like(ids)
    labels = torch.full((len(examples), kept), _IGNORED)
    for row, example in enumerate(examples):
        ids[row, width - example.length :] = torch.tensor([*example.prompt, *example.answer])
        mask[row, width - example.length :] = 1
        labels[row, kept - len(example.answer) :] = torch.tensor(example.answer)
    return {
        "input_ids": ids,
        "attention_mask": mask,
        "position_ids": (mask.cumsum(1) - 1).clamp(min=0),
        "labels": labels,
        "logits_to_keep": torch.arange(width - kept, width),
    }
