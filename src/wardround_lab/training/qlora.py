"""QLoRA: frozen base weights in four bits, with separately trained LoRA weights.

Source: Dettmers et al. 2023, "QLoRA: Efficient Finetuning of Quantized LLMs".
"""

from __future__ import annotations

import importlib.util
from functools import partial
from typing import Any

import torch
from torch.utils.checkpoint import checkpoint

from wardround.errors import TrainingError
from wardround_lab.training.base_model import Located
from wardround_lab.training.encoder import Encoder, load_encoder, silence_transformers
from wardround_lab.training.trainer import Precision


def load_trainable(located: Located, precision: Precision) -> Encoder:
    """Load the base for a LoRA training: frozen, in four bits if its description requires that.

    Args:
        precision: number format of the computation of a four-bit base. Its other tensors, and every other
            base, are in float32.

    Raises:
        TrainingError: its files are not a valid model, or bitsandbytes is missing for four bits.
    """
    if not located.base.four_bit:
        return load_encoder(located)
    encoder = load_encoder(located, **four_bit_options(located, precision))
    _recompute(encoder)
    return encoder


def four_bit_options(located: Located, precision: Precision) -> dict[str, Any]:
    """Return transformers' options to load a base in four bits: on the GPU, or on the CPU without one.

    Raises:
        TrainingError: bitsandbytes is missing.
    """
    if importlib.util.find_spec("bitsandbytes") is None:
        raise TrainingError(
            f"{located.base.id}: a base in four bits needs bitsandbytes; pip install 'wardround[qlora]'"
        )
    import transformers

    configuration: Any = transformers.BitsAndBytesConfig
    quantisation = configuration(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=getattr(torch, precision),
    )  # fmt: skip
    location = 0 if torch.cuda.is_available() else "cpu"
    return {"quantization_config": quantisation, "device_map": {"": location}}


def _recompute(encoder: Encoder) -> None:
    """Recompute each layer in the backward pass, since storing all activations would exceed the memory."""
    with silence_transformers():
        from bitsandbytes.nn.modules import Linear4bit
        from transformers.modeling_layers import GradientCheckpointingLayer

    for module in encoder.modules():
        if isinstance(module, GradientCheckpointingLayer):
            complete: Any = module
            complete.forward = partial(checkpoint, module.forward, use_reentrant=False)
        if isinstance(module, Linear4bit):
            # On a processor it would repack its weights at the first look at validation questions, in a way
            # that no gradient passes.
            module.support_avx512bf16_for_cpu = False
