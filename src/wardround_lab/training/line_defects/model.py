"""A base with token heads: one for defective lines, and one for each class of defect."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn

from wardround_lab.training.encoder import Encoder, causal_mask, pad
from wardround_lab.training.line_defects.encoding import EncodedWindow
from wardround_lab.training.onnx_export import INPUT, write_graph

OUTPUT = "logits"
HEADS = "heads."
"""Prefix of the names of the heads' weights among those of LoRA."""


class LineModel(nn.Module):
    """Logits of shape (texts, tokens, 1 + classes); only those at the positions of marks are meaningful."""

    def __init__(self, encoder: Encoder, classes: int) -> None:
        super().__init__()
        self.encoder = encoder
        width = int(encoder.model.config.hidden_size)  # type: ignore[union-attr, arg-type]
        self.heads = nn.Linear(width, 1 + classes)
        nn.init.normal_(self.heads.weight, std=0.02)
        nn.init.zeros_(self.heads.bias)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        mask = causal_mask(attention_mask) if self.encoder.causal else attention_mask
        hidden = self.encoder.model(input_ids=input_ids, attention_mask=mask).last_hidden_state
        created: torch.Tensor = self.heads(hidden.float())
        return created

    def classify(self, sheets: Sequence[EncodedWindow], device: torch.device | None = None) -> torch.Tensor:
        """Return the logits of the judged lines of several windows, in order: shape (lines, 1 + classes)."""
        ids, mask = pad([sheet.tokens for sheet in sheets], device)
        created = self(ids, mask)
        return torch.cat([created[at, list(sheet.places)] for at, sheet in enumerate(sheets)])


class _Unfilled(nn.Module):
    """A model over windows without padding."""

    def __init__(self, model: LineModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        created: torch.Tensor = self.model(input_ids, torch.ones_like(input_ids))
        return created


def head_weights(model: LineModel) -> dict[str, torch.Tensor]:
    """Return the weights of the heads by name."""
    return {f"{HEADS}{name}": value.detach().clone() for name, value in model.heads.state_dict().items()}


def set_head_weights(model: LineModel, weights: dict[str, torch.Tensor]) -> None:
    """Replace the weights of the heads by those among ``weights``."""
    own = {name.removeprefix(HEADS): value for name, value in weights.items() if name.startswith(HEADS)}
    model.heads.load_state_dict(own)


def export_lines(model: LineModel, tokens: Sequence[int], file: Path) -> None:
    """Write a model as an ONNX file: ``input_ids`` (texts, tokens) in, ``logits`` out.

    Raises:
        TrainingError: ONNX does not support an operation of the model.
    """
    ids = torch.tensor([list(tokens), list(tokens)], dtype=torch.int64)
    axes = {INPUT: {0: "texts", 1: "tokens"}, OUTPUT: {0: "texts", 1: "tokens"}}
    write_graph(_Unfilled(model), {INPUT: ids}, OUTPUT, axes, file)
