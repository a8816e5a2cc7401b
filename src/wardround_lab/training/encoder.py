"""A base as a torch module that turns token ids into one vector of length 1 per text."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import nn

from wardround.errors import TrainingError
from wardround_lab.training.base_model import Located
from wardround_lab.training.recipe import MarkerPosition

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_TOKEN_BUDGET = 4096
"""Tokens per forward pass: as many as have activations that fit into the processor's cache."""


class Encoder(nn.Module):
    """A model with pooling and normalisation.

    Attributes:
        model: returns ``last_hidden_state`` of shape (texts, tokens, dimensions).
    """

    def __init__(self, model: nn.Module, pooling: Literal["mean", "last"], causal: bool) -> None:
        super().__init__()
        self.model = model
        self.pooling = pooling
        self.causal = causal

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Return vectors of shape (texts, dimensions) and length 1.

        Args:
            input_ids: shape (texts, tokens), padded on the right.
            attention_mask: 1 for tokens and 0 for padding, in the same shape.
        """
        mask = causal_mask(attention_mask) if self.causal else attention_mask
        hidden = self.model(input_ids=input_ids, attention_mask=mask).last_hidden_state
        return pool(hidden, attention_mask, self.pooling)


def causal_mask(attention_mask: torch.Tensor) -> torch.Tensor:
    """Return the attention mask of a decoder: shape (texts, 1, tokens, tokens).

    Created here, because the library's own cannot be traced into an ONNX graph.
    """
    locations = torch.cumsum(torch.ones_like(attention_mask), dim=1)
    before = locations.unsqueeze(1) <= locations.unsqueeze(2)
    return (before & attention_mask.bool().unsqueeze(1)).unsqueeze(1)


def pool(hidden: torch.Tensor, attention_mask: torch.Tensor, pooling: str) -> torch.Tensor:
    """Pool the vectors of the tokens of each text into one of length 1."""
    if pooling == "mean":
        weights = attention_mask.unsqueeze(-1).to(hidden.dtype)
        summed = (hidden * weights).sum(1)
        vector = summed / weights.sum(1)
    else:
        last = (attention_mask.sum(1, keepdim=True) - 1).unsqueeze(-1).expand(-1, -1, hidden.shape[-1])
        vector = hidden.gather(1, last).squeeze(1)
    return vector / vector.pow(2).sum(-1, keepdim=True).clamp_min(1e-18).sqrt()


def load_encoder(located: Located, **options: Any) -> Encoder:
    """Load the base, frozen and in float32.

    Args:
        options: options of transformers for loading: format and location of the weights.

    Raises:
        TrainingError: its files are not a valid model.
    """
    from transformers import AutoModel

    with silence_transformers():
        try:
            model = AutoModel.from_pretrained(
                located.folder, local_files_only=True, attn_implementation="sdpa", dtype=torch.float32,
                **options,
            )  # fmt: skip
        except (OSError, ValueError, KeyError, RuntimeError) as cause:
            what = " ".join(str(cause).split())[:300]
            raise TrainingError(
                f"{located.folder}: {what}; download the files of {located.base.id} again"
            ) from cause
    model.config.use_cache = False
    if hasattr(model.config, "reference_compile"):
        model.config.reference_compile = False  # ModernBERT would compile itself, anew in every process
    if getattr(model, "pooler", None) is not None:
        model.pooler = None
    for weight in model.parameters():
        weight.requires_grad_(False)
    return Encoder(model.eval(), located.base.pooling, located.base.architecture == "decoder")


def skeleton(located: Located) -> nn.Module:
    """Return the base without its weights, from its configuration only."""
    import transformers

    configurations: Any = transformers.AutoConfig
    models: Any = transformers.AutoModel
    configuration = configurations.from_pretrained(located.folder, local_files_only=True)
    with torch.device("meta"):
        model: nn.Module = models.from_config(configuration)
    return model


def load_from_disk(located: Located) -> Encoder:
    """Return the base with one layer at a time in memory; each call reads all of its files again."""
    parts = list(skeleton(located).named_children())
    locations = {name: "cpu" for name, part in parts if not isinstance(part, nn.ModuleList)}
    for name, part in parts:
        if isinstance(part, nn.ModuleList):
            locations |= {f"{name}.{layer}": "disk" for layer in range(len(part))}
    return load_encoder(located, device_map=locations, offload_folder=str(located.folder))


def load_tokenizer(located: Located, window: int, marker_position: MarkerPosition) -> Tokenizer:
    """Load the tokenizer of a base, with truncation at ``window`` tokens and without padding.

    It is self-contained: its JSON is sufficient at inference.
    """
    from tokenizers import Tokenizer

    file = located.folder / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(file)) if file.is_file() else _convert_tokenizer(located)
    tokenizer.no_padding()
    _mark(tokenizer, located.base.marker, marker_position, located.base.id)
    tokenizer.enable_truncation(window)
    return tokenizer


def _convert_tokenizer(located: Located) -> Tokenizer:
    """Convert the tokenizer of a base with a vocabulary and a list of merges."""
    import transformers

    kinds: Any = transformers.AutoTokenizer
    with silence_transformers():
        try:
            slow = kinds.from_pretrained(located.folder, local_files_only=True, use_fast=True)
            tokenizer: Tokenizer = slow.backend_tokenizer
        except (OSError, ValueError, AttributeError) as cause:
            raise TrainingError(f"{located.folder}: no tokenizer; download the files again") from cause
    return tokenizer


def _mark(tokenizer: Tokenizer, marker: str, position: MarkerPosition, base: str) -> None:
    """Let the tokenizer add ``marker`` at one end of every text, unless it already does."""
    if not marker:
        return
    number = tokenizer.token_to_id(marker)
    if number is None:
        raise TrainingError(f"the tokenizer of {base} has no token {marker!r}; correct the base's marker")
    created = tokenizer.encode("a").ids
    if created[0 if position == "start" else -1] == number:
        return
    from tokenizers.processors import Sequence as Both
    from tokenizers.processors import TemplateProcessing

    single = f"{marker} $A" if position == "start" else f"$A {marker}"
    template = TemplateProcessing(single=single, special_tokens=[(marker, number)])
    present = tokenizer.post_processor
    tokenizer.post_processor = template if present is None else Both([present, template])


def pad(
    rows: Sequence[Sequence[int]], device: torch.device | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the token ids of several texts as one tensor, padded with 0 on the right, and the mask."""
    longest = max(len(row) for row in rows)
    ids = torch.zeros((len(rows), longest), dtype=torch.int64)
    mask = torch.zeros((len(rows), longest), dtype=torch.int64)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = torch.tensor(row, dtype=torch.int64)
        mask[at, : len(row)] = 1
    return ids.to(device), mask.to(device)


def length_buckets(lengths: Sequence[int], budget: int = _TOKEN_BUDGET) -> Iterator[list[int]]:
    """Return the indices of texts by length, in buckets of about ``budget`` tokens with little padding."""
    order = sorted(range(len(lengths)), key=lambda place: (lengths[place], place))
    bucket: list[int] = []
    for place in order:
        if bucket and lengths[place] * (len(bucket) + 1) > budget:
            yield bucket
            bucket = []
        bucket.append(place)
    if bucket:
        yield bucket


@contextmanager
def silence_transformers() -> Iterator[None]:
    """Suppress the output of other libraries that users cannot act on."""
    import logging

    import transformers

    chatter: Any = transformers.logging
    level, root = chatter.get_verbosity(), logging.root.manager.disable
    chatter.set_verbosity_error()
    chatter.disable_progress_bar()
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(root)
        chatter.set_verbosity(level)
        chatter.enable_progress_bar()
