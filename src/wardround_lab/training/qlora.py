"""QLoRA: the frozen weights of a base in four bits, and LoRA weights trained beside them.

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
    """The base as LoRA weights are trained on it: frozen, in four bits where its description says so.

    Args:
        precision: what the layers of a base in four bits compute in. What else it holds, and every other
            base, is in float32.

    Raises:
        TrainingError: its files do not make a model, or four bits are wanted without bitsandbytes.
    """
    if not located.base.four_bit:
        return load_encoder(located)
    if importlib.util.find_spec("bitsandbytes") is None:
        raise TrainingError(
            f"{located.base.id}: a base in four bits needs bitsandbytes; pip install 'wardround[qlora]'"
        )
    encoder = load_encoder(located, **_four_bits(precision))
    _recompute(encoder)
    return encoder


def _four_bits(precision: Precision) -> dict[str, Any]:
    """What transformers is to load a base in four bits with: on the GPU, or on the processor without one."""
    import transformers

    configuration: Any = transformers.BitsAndBytesConfig
    quantisation = configuration(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=getattr(torch, precision),
    )  # fmt: skip
    place = 0 if torch.cuda.is_available() else "cpu"
    return {"quantization_config": quantisation, "device_map": {"": place}}


def _recompute(encoder: Encoder) -> None:
    """Compute each layer again on the way back: what all of them computed would need more room than they."""
    with silence_transformers():
        from bitsandbytes.nn.modules import Linear4bit
        from transformers.modeling_layers import GradientCheckpointingLayer

    for module in encoder.modules():
        if isinstance(module, GradientCheckpointingLayer):
            whole: Any = module
            whole.forward = partial(checkpoint, module.forward, use_reentrant=False)
        if isinstance(module, Linear4bit):
            # On a processor it would repack its weights at the first look at validation questions, in a way
            # that no gradient passes.
            module.support_avx512bf16_for_cpu = False
