"""The base of a chat model: its size before its weights are read, and the loaded decoder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from wardround.errors import TrainingError
from wardround_lab.training.base_model import Located
from wardround_lab.training.chat.recipe import ChatRecipe
from wardround_lab.training.encoder import Encoder, silence_transformers
from wardround_lab.training.qlora import four_bit_options
from wardround_lab.training.resource_checks import require_bytes
from wardround_lab.training.trainer import Precision, precision_of

_BYTES = {"float32": 4, "bfloat16": 2}
_FOUR_BITS = 0.52
"""Bytes of a number in four bits with its doubly quantised scale."""
_OPTIMISER = 16
"""Bytes of a trained number: itself, its gradient, and both moments of Adam in float32."""
_LOGITS = 16
"""Bytes of a logit: itself, twice as the loss takes it, and its gradient, in float32."""
_SAVED = 30
"""Numbers that a layer saves for the backward pass, in multiples of the hidden size."""
_RUNTIME = 1.0e9
"""Bytes of torch, transformers and the tokenizer."""


@dataclass(frozen=True, slots=True)
class DecoderSize:
    """The size of a decoder, from its configuration alone.

    Attributes:
        numbers: of all weights; ``linear``: of those in the layers, which are held in four bits.
        layers, hidden, vocabulary: as in its configuration.
    """

    numbers: int
    linear: int
    layers: int
    hidden: int
    vocabulary: int

    @classmethod
    def of(cls, located: Located) -> DecoderSize:
        """Read the configuration of a base.

        Raises:
            TrainingError: it has none that this version of transformers knows.
        """
        model = _skeleton(located)
        linear = [part for part in model.modules() if isinstance(part, nn.Linear)]
        head = model.get_output_embeddings()
        config = model.config.get_text_config()
        return cls(
            numbers=sum(weight.numel() for weight in model.parameters()),
            linear=sum(part.weight.numel() for part in linear if part is not head),
            layers=config.num_hidden_layers,
            hidden=config.hidden_size,
            vocabulary=config.vocab_size,
        )

    def training_bytes(self, recipe: ChatRecipe, *, four_bit: bool) -> int:
        """Return the memory of a training of a recipe in bytes, about: logits are computed for answers alone,
        and a training in four bits computes the layers again in the backward pass.
        """
        size = _BYTES[precision_of(recipe.training)]
        weights = self.numbers * size
        if four_bit:
            weights = int((self.numbers - self.linear) * size + self.linear * _FOUR_BITS)
        trained = int(self.linear * 2 * recipe.lora.rank / self.hidden) * _OPTIMISER
        batch = recipe.training.batch
        logits = batch * (recipe.answer.tokens + 1) * self.vocabulary * _LOGITS
        layers = batch * recipe.window * self.layers * self.hidden * size * (1 if four_bit else _SAVED)
        return int(weights + trained + logits + layers + _RUNTIME)


def require_training_memory(located: Located, recipe: ChatRecipe) -> None:
    """Require enough free memory for a training, before any weight is read.

    Raises:
        TrainingError: it would take more, or a base in four bits has no GPU.
    """
    four_bit = located.base.four_bit
    if four_bit and not torch.cuda.is_available():
        raise TrainingError(
            f"{located.base.id}: a base in four bits is trained on a GPU with CUDA, and there is none; use a "
            "base without `four-bit`"
        )
    needed = DecoderSize.of(located).training_bytes(recipe, four_bit=four_bit)
    advice = "decrease training.batch or window, or use a smaller base"
    free = torch.cuda.mem_get_info()[0] if torch.cuda.is_available() else None
    require_bytes(located.base.id, "training it", needed, advice, free)


def load_decoder(located: Located, precision: Precision = "float32") -> Any:
    """Load the base with its head: frozen, in four bits if its description requires that.

    Args:
        precision: number format of the frozen weights; of a base in four bits, that of the computation.

    Raises:
        TrainingError: its files are not a valid model.
    """
    options: dict[str, Any] = {}
    if located.base.four_bit:
        options = four_bit_options(located, precision)
    return _load(located, getattr(torch, precision), options)


def load_plain(located: Located) -> Any:
    """Load the base, or a merged model in its folder, in float32 and never in four bits."""
    return _load(located, torch.float32, {})


def wrap(model: Any) -> Encoder:
    """Return a decoder as the functions for LoRA take it."""
    return Encoder(model, "last", True)


def _load(located: Located, dtype: torch.dtype, options: dict[str, Any]) -> Any:
    import transformers

    models: Any = transformers.AutoModelForCausalLM
    with silence_transformers():
        try:
            model = models.from_pretrained(located.folder, local_files_only=True, dtype=dtype, **options)
        except (OSError, ValueError, KeyError, RuntimeError) as cause:
            what = " ".join(str(cause).split())[:300]
            raise TrainingError(
                f"{located.folder}: {what}; download the files of {located.base.id} again"
            ) from cause
    for weight in model.parameters():
        weight.requires_grad_(False)
    return model.eval()


def _skeleton(located: Located) -> Any:
    import transformers

    configurations: Any = transformers.AutoConfig
    models: Any = transformers.AutoModelForCausalLM
    try:
        with silence_transformers():
            configuration = configurations.from_pretrained(located.folder, local_files_only=True)
            with torch.device("meta"):
                return models.from_config(configuration)
    except (OSError, ValueError, KeyError) as cause:
        what = " ".join(str(cause).split())[:200]
        raise TrainingError(
            f"{located.folder}: its config.json is not of a decoder that transformers "
            f"{transformers.__version__} knows: {what}; use another base, or download the files again"
        ) from cause
