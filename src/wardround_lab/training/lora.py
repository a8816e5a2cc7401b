"""LoRA on the upper layers of a base; the layers below stay unchanged, byte by byte."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from wardround.errors import TrainingError
from wardround.inference.locations import LORA_FILES
from wardround.inference.metadata import Lora
from wardround_lab.training.encoder import Encoder, silence_transformers
from wardround_lab.training.recipe import LoraPart

if TYPE_CHECKING:
    from peft import PeftModel

WEIGHTS_FILE, CONFIG_FILE = LORA_FILES
_LAYER = re.compile(r"(?:^|\.)layers?\.(\d+)\.")


def choose_lora(encoder: Encoder, part: LoraPart, targets: Sequence[str]) -> Lora:
    """Return a recipe's LoRA configuration with the defaults of the base.

    Raises:
        TrainingError: the base has no such layer, or no linear layer is selected.
    """
    count = layer_count(encoder)
    layers = part.layers or tuple(range(count // 2, count))
    if layers[-1] >= count:
        raise TrainingError(
            f"lora.layers: {layers[-1]} is not a layer of the base, which has 0 to {count - 1}"
        )
    lora = Lora(
        rank=part.rank, alpha=part.alpha, dropout=part.dropout, layers=layers,
        targets=part.targets or tuple(targets),
    )  # fmt: skip
    linear_layers(encoder, lora)
    return lora


def layer_count(encoder: Encoder) -> int:
    """Return the number of layers of the base."""
    return 1 + max(layer_of(name) for name, _ in encoder.model.named_parameters())


def layer_of(name: str) -> int:
    """Return the 0-based layer of a weight; -1 for the embedding and everything after the last layer."""
    found = _LAYER.search(name)
    return int(found.group(1)) if found else -1


def linear_layers(encoder: Encoder, lora: Lora) -> list[str]:
    """Return the names of the linear layers that get LoRA weights.

    Raises:
        TrainingError: a target matches none.
    """
    linear = [name for name, module in encoder.model.named_modules() if isinstance(module, nn.Linear)]
    for target in lora.targets:
        if not any(_is_target(name, target) for name in linear):
            raise TrainingError(f"lora.targets: no linear layer of the base ends in {target!r}; correct it")
    return [
        name
        for name in linear
        if layer_of(f"{name}.") in lora.layers and any(_is_target(name, target) for target in lora.targets)
    ]


def _is_target(name: str, target: str) -> bool:
    return name == target or name.endswith(f".{target}")


def add_lora(encoder: Encoder, lora: Lora, seed: int) -> PeftModel:
    """Add LoRA weights, initially without effect, to the encoder's model."""
    with silence_transformers():
        from peft import LoraConfig, get_peft_model

    inner: Any = encoder.model
    config = LoraConfig(
        r=lora.rank, lora_alpha=lora.alpha, lora_dropout=lora.dropout, bias="none",
        target_modules=linear_layers(encoder, lora),
    )  # fmt: skip
    torch.manual_seed(seed)
    with silence_transformers():
        adapted: PeftModel = get_peft_model(inner, config)
    return adapted


class _Fused(torch.autograd.Function):
    """A linear layer with its LoRA weights as one product instead of three, without intermediate copies."""

    @staticmethod
    def forward(
        ctx: Any,
        given: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor | None,
        down: torch.Tensor,
        up: torch.Tensor,
        scale: float,
    ) -> torch.Tensor:
        complete = torch.addmm(weight, up, down, alpha=scale)
        ctx.save_for_backward(given, complete, down, up)
        ctx.scale = scale
        return nn.functional.linear(given, complete, bias)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        given, complete, down, up = ctx.saved_tensors
        gradient = gradients[0].reshape(-1, complete.shape[0])
        flat = given.reshape(-1, complete.shape[1])
        back = (gradient @ complete).view_as(given) if ctx.needs_input_grad[0] else None
        to_up = ctx.scale * (gradient.T @ (flat @ down.T))
        to_down = ctx.scale * ((gradient @ up).T @ flat)
        return back, None, None, to_down, to_up, None


def fuse(adapted: PeftModel) -> None:
    """Let the layers with LoRA weights compute one product, which is a third faster on a CPU.

    For training in float32 without dropout; the result is the same except for rounding.
    """
    from peft.tuners.lora import Linear

    modules: Any = adapted.modules()
    for module in modules:
        if isinstance(module, Linear) and type(module.base_layer) is nn.Linear:
            setattr(module, "forward", _fused_forward(module))  # noqa: B010  (a method of one object)


def _fused_forward(module: Any) -> Callable[[torch.Tensor], torch.Tensor]:
    base, scale = module.base_layer, float(module.scaling["default"])
    down, up = module.lora_A["default"], module.lora_B["default"]
    fused: Any = _Fused

    def forward(given: torch.Tensor) -> torch.Tensor:
        created: torch.Tensor = fused.apply(given, base.weight, base.bias, down.weight, up.weight, scale)
        return created

    return forward


def lora_weights(adapted: PeftModel) -> dict[str, torch.Tensor]:
    """Return the LoRA weights by the names in the file of an adapter."""
    from peft import get_peft_model_state_dict

    return {
        name: value.detach().clone().contiguous()
        for name, value in get_peft_model_state_dict(adapted).items()
    }


def set_lora_weights(adapted: PeftModel, weights: Mapping[str, torch.Tensor]) -> None:
    """Replace the LoRA weights.

    Raises:
        TrainingError: they are of another base or configuration.
    """
    from peft import set_peft_model_state_dict

    present = {name: value.shape for name, value in lora_weights(adapted).items()}
    if present != {name: value.shape for name, value in weights.items()}:
        raise TrainingError("the LoRA weights are those of another base or another LoRA configuration")
    set_peft_model_state_dict(adapted, dict(weights))


def save_lora(adapted: PeftModel, weights: Mapping[str, torch.Tensor], base: str, folder: Path) -> None:
    """Write LoRA weights and their configuration as peft reads them."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    config: Any = adapted.peft_config["default"]
    config.base_model_name_or_path = base
    config.inference_mode = True
    config.target_modules = sorted(config.target_modules)
    config.save_pretrained(str(folder))
    save_file(dict(weights), str(folder / WEIGHTS_FILE))


def read_lora(file: Path, content: bytes) -> dict[str, torch.Tensor]:
    """Read LoRA weights from file content that was verified by its digest; the format contains no code.

    Raises:
        TrainingError: they are damaged.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        return load(content)
    except SafetensorError as cause:
        raise TrainingError(f"{file}: {cause}; train the adapter again") from cause
