"""QLoRA on a small real decoder: from the recipe to the model, and the limits of the 4-bit error."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.installed import require_installed

torch = pytest.importorskip("torch")
require_installed("peft")
require_installed("bitsandbytes", reason="bitsandbytes is not installed: pip install 'wardround[qlora]'")

from tests.lab.training import broken, tiny  # noqa: E402
from wardround.cli.commands import invoke  # noqa: E402
from wardround.inference.metadata import read_metadata  # noqa: E402
from wardround.inference.registry import ModelRegistry  # noqa: E402
from wardround.inference.runtime import detect_runtime  # noqa: E402
from wardround_lab.training.base_model import locate, read_base  # noqa: E402
from wardround_lab.training.encoder import load_encoder  # noqa: E402
from wardround_lab.training.qlora import load_trainable  # noqa: E402
from wardround_lab.training.run_directory import read_steps  # noqa: E402
from wardround_lab.training.train import train  # noqa: E402


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_a_recipe_becomes_a_model(tmp_path: Path, precision: str, capsys: pytest.CaptureFixture[str]) -> None:
    described = tiny.sharded_base(tmp_path)
    recipe = tiny.recipe(tmp_path, described, steps=30, rate=0.01, validate=10, precision=precision)
    out = tmp_path / "out"
    assert invoke(["adapters", "train", str(recipe), "--out", str(out), "--only-train"]) == 0
    for step in (["merge"], ["export", "--with-optimum"], ["quantise"]):
        assert invoke(["adapters", step[0], str(out), *step[1:]]) == 0, capsys.readouterr().err
    losses = [step.loss for step in read_steps(out)]
    assert sum(losses[-5:]) < 0.7 * sum(losses[:5])
    steps = {item.step: item for item in read_metadata(out / "model").parity}
    assert steps["merged"].correlation > 0.8  # four bits are coarse for random weights of 64 dimensions
    assert steps["merged"].largest > 1e-3
    assert steps["onnx-fp32"].largest < 1e-5
    assert steps["onnx-int8"].correlation > 0.98
    shelf = ModelRegistry.of([out / "model", out / "base"])
    assert shelf.embedder("tiny", detect_runtime("cpu")).embed(["alpha"]).shape == (1, 64)


def test_the_merge_uses_the_weights_before_quantisation(tmp_path: Path) -> None:
    from safetensors.torch import load_file

    recipe = tiny.recipe(tmp_path, tiny.sharded_base(tmp_path), rate=0.01)
    train(recipe, tmp_path / "out")
    assert invoke(["adapters", "merge", str(tmp_path / "out")]) == 0
    lora = load_file(tmp_path / "out" / "lora" / "adapter_model.safetensors")
    merged, base = (
        {name: value for file in folder.glob("*.safetensors") for name, value in load_file(file).items()}
        for folder in (tmp_path / "out" / "merged", tmp_path / "sharded-files")
    )
    assert {value.dtype for value in merged.values()} == {torch.bfloat16}
    name = "layers.3.mlp.up_proj"
    down, up = (lora[f"base_model.model.{name}.lora_{part}.weight"] for part in "AB")
    exact = base[f"model.{name}.weight"].float() + 2 * (up @ down)
    assert torch.equal(merged[f"model.{name}.weight"], exact.to(torch.bfloat16))


def test_validation_does_not_change_the_training(tmp_path: Path) -> None:
    described = tiny.sharded_base(tmp_path)
    losses = []
    for validate in (1, 100):
        train(tiny.recipe(tmp_path, described, validate=validate), tmp_path / f"run{validate}")
        losses.append([step.loss for step in read_steps(tmp_path / f"run{validate}")])
    assert losses[0] == losses[1]


def test_the_same_seed_gives_the_same_weights(tmp_path: Path) -> None:
    recipe = tiny.recipe(tmp_path, tiny.sharded_base(tmp_path))
    first, again = (train(recipe, tmp_path / name) for name in ("a", "b"))
    assert first.weights == again.weights


def test_the_linear_layers_are_held_in_four_bits(tmp_path: Path) -> None:
    located = locate(read_base(str(tiny.sharded_base(tmp_path))))
    complete, held = load_encoder(located), load_trainable(located, "bfloat16")
    names = [name for name, weight in held.named_parameters() if weight.dtype == torch.uint8]
    assert len(names) == 4 * 7
    weights = dict(complete.named_parameters())
    packed = dict(held.named_parameters())
    assert all(packed[name].numel() * 2 == weights[name].numel() for name in names)


def test_a_line_model_is_trained_with_qlora_too(tmp_path: Path) -> None:
    recipe = broken.recipe(tmp_path, tiny.sharded_base(tmp_path))
    assert invoke(["adapters", "train", str(recipe), "--out", str(tmp_path / "out")]) == 0
    steps = {item.step: item for item in read_metadata(tmp_path / "out" / "model").parity}
    assert steps["merged"].largest > 1e-3
    assert steps["onnx-fp32"].largest < 1e-4
