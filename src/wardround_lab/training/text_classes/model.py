"""A base with a linear head over its pooled tokens, and the graph that is shipped: adapter and words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from wardround.inference.text_classifier import COUNTS, INPUT, PROBABILITIES, WORDS
from wardround_lab.training.encoder import Encoder, causal_mask, length_buckets, pad
from wardround_lab.training.onnx_export import write_graph
from wardround_lab.training.text_classes.fusion import FusedScore
from wardround_lab.training.text_classes.words import WordModel

HEAD = "head."
"""Prefix of the names of the head's weights among those of LoRA."""


class TextClassifier(nn.Module):
    """Logits of shape (texts, classes)."""

    def __init__(self, encoder: Encoder, classes: int) -> None:
        super().__init__()
        self.encoder = encoder
        width = int(encoder.model.config.hidden_size)  # type: ignore[union-attr, arg-type]
        self.head = nn.Linear(width, classes)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        mask = causal_mask(attention_mask) if self.encoder.causal else attention_mask
        hidden = self.encoder.model(input_ids=input_ids, attention_mask=mask).last_hidden_state.float()
        weights = attention_mask.unsqueeze(-1).to(hidden.dtype)
        logits: torch.Tensor = self.head((hidden * weights).sum(1) / weights.sum(1))
        return logits

    def classify(self, tokens: Sequence[Sequence[int]], device: torch.device | None = None) -> torch.Tensor:
        """Return the logits of texts in their order; computed by length, to minimise padding."""
        parts, locations = [], []
        for bucket in length_buckets([len(row) for row in tokens]):
            ids, mask = pad([tokens[location] for location in bucket], device)
            parts.append(self(ids, mask))
            locations += bucket
        return torch.cat(parts)[torch.argsort(torch.tensor(locations, device=parts[0].device))]


class ShippedClassifier(nn.Module):
    """The probabilities of one text by adapter and words, as one graph without padding."""

    def __init__(self, model: TextClassifier, words: WordModel, fused: FusedScore) -> None:
        super().__init__()
        self.model = model
        self.fused = fused
        embedding: Any = nn.Embedding
        self.rarity = embedding.from_pretrained(torch.from_numpy(words.rarity).unsqueeze(1))
        self.weights = embedding.from_pretrained(torch.from_numpy(words.weights))
        self.register_buffer("bias", torch.from_numpy(words.bias))

    def forward(self, input_ids: torch.Tensor, words: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
        """Return shape (1, classes).

        Args:
            input_ids: shape (1, tokens).
            words, counts: shape (features,): numbers of features, and how often each occurs.
        """
        adapter = self.model(input_ids, torch.ones_like(input_ids)) / self.fused.adapter_temperature
        value = (1 + counts.log()) * self.rarity(words).squeeze(1)
        value = value / value.pow(2).sum().sqrt().clamp_min(1e-9)
        logits = (value.unsqueeze(0) @ self.weights(words) + self.bias) / self.fused.word_temperature
        share = self.fused.share
        both: torch.Tensor = share * adapter.softmax(-1) + (1 - share) * logits.softmax(-1)
        return both


def head_weights(model: TextClassifier) -> dict[str, torch.Tensor]:
    """Return the weights of the head by name."""
    return {f"{HEAD}{name}": value.detach().clone() for name, value in model.head.state_dict().items()}


def set_head_weights(model: TextClassifier, weights: dict[str, torch.Tensor]) -> None:
    """Replace the weights of the head by those among ``weights``."""
    own = {name.removeprefix(HEAD): value for name, value in weights.items() if name.startswith(HEAD)}
    model.head.load_state_dict(own)


def export_classifier(model: ShippedClassifier, inputs: Sequence[torch.Tensor], file: Path) -> None:
    """Write a shipped classifier as an ONNX file.

    Args:
        inputs: those of one text, to trace the computation.

    Raises:
        TrainingError: ONNX does not support an operation of the model.
    """
    named = dict(zip((INPUT, WORDS, COUNTS), inputs, strict=True))
    axes = {INPUT: {1: "tokens"}, WORDS: {0: "features"}, COUNTS: {0: "features"}}
    write_graph(model, named, PROBABILITIES, axes, file)
