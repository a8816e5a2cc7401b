"""Merging into the files of a base, one weight after another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.installed import require_installed

torch = pytest.importorskip("torch")
require_installed("peft")

from safetensors.torch import load_file, save_file  # noqa: E402

from tests.lab.training import tiny  # noqa: E402
from wardround.errors import TrainingError  # noqa: E402
from wardround.inference.metadata import Lora  # noqa: E402
from wardround_lab.training.base_model import Located, locate, read_base  # noqa: E402
from wardround_lab.training.encoder import load_encoder, load_from_disk  # noqa: E402
from wardround_lab.training.lora import add_lora, lora_weights, set_lora_weights  # noqa: E402
from wardround_lab.training.parity import embed_texts, embedded_together, wrap_encoder  # noqa: E402
from wardround_lab.training.sharded_merge import merge_shards  # noqa: E402

TEXTS = [[5, 6, 7, 3], [8, 9, 3], [10, 11, 12, 13, 14, 3]]


@pytest.fixture
def located(tmp_path: Path) -> Located:
    return locate(read_base(str(tiny.sharded_base(tmp_path))))


@pytest.fixture
def lora(located: Located) -> Lora:
    return Lora(rank=4, alpha=8, dropout=0.0, targets=located.base.targets, layers=(2, 3))


@pytest.fixture
def weights(located: Located, lora: Lora) -> dict[str, torch.Tensor]:
    """LoRA weights that change something."""
    generator = torch.Generator().manual_seed(3)
    adapted = add_lora(load_encoder(located), lora, 0)
    return {
        name: torch.randn(value.shape, generator=generator) * 0.1
        for name, value in lora_weights(adapted).items()
    }


def test_the_merged_model_equals_the_adapter(
    located: Located, lora: Lora, weights: dict[str, torch.Tensor], tmp_path: Path
) -> None:
    import dataclasses

    encoder = load_encoder(located)
    plain = embed_texts(wrap_encoder(encoder), TEXTS)
    set_lora_weights(add_lora(encoder, lora, 0), weights)
    adapted = embed_texts(wrap_encoder(encoder), TEXTS)
    merge_shards(located, lora, weights, tmp_path / "merged")
    merged = dataclasses.replace(located, folder=tmp_path / "merged")
    found = embedded_together(load_from_disk(merged), TEXTS)
    assert abs(found - adapted).max() < 0.01  # bfloat16
    assert abs(found - plain).max() > 0.1
    assert abs(embed_texts(wrap_encoder(load_encoder(merged)), TEXTS) - found).max() < 1e-5


def test_all_other_weights_equal_the_base_byte_by_byte(
    located: Located, lora: Lora, weights: dict[str, torch.Tensor], tmp_path: Path
) -> None:
    merge_shards(located, lora, weights, tmp_path / "merged")
    files = sorted(path.name for path in located.folder.glob("*.safetensors"))
    assert len(files) > 2
    assert sorted(path.name for path in (tmp_path / "merged").iterdir()) == [
        "config.json", *files, "model.safetensors.index.json",
    ]  # fmt: skip
    changed = set()
    for name in files:
        before, after = load_file(located.folder / name), load_file(tmp_path / "merged" / name)
        assert before.keys() == after.keys()
        changed |= {key for key, value in after.items() if not torch.equal(value, before[key])}
    assert changed == {
        f"model.layers.{layer}.{part}.{target}.weight"
        for layer in (2, 3)
        for part, targets in (
            ("self_attn", ("q_proj", "k_proj", "v_proj", "o_proj")),
            ("mlp", ("gate_proj", "up_proj", "down_proj")),
        )
        for target in targets
    }


@pytest.mark.parametrize(
    ("kind", "said"), [(None, "is not there"), (torch.int8, "is of I8")]
)  # fmt: skip
def test_a_weight_that_cannot_be_merged_is_named(
    located: Located,
    lora: Lora,
    weights: dict[str, torch.Tensor],
    tmp_path: Path,
    kind: torch.dtype | None,
    said: str,
) -> None:
    index = json.loads((located.folder / located.base.weights).read_bytes())["weight_map"]
    name = "model.layers.2.mlp.up_proj.weight"
    file = located.folder / index[name]
    tensors = load_file(file)
    used = tensors.pop(name)
    save_file(tensors if kind is None else tensors | {name: used.to(kind)}, file)
    with pytest.raises(TrainingError, match=rf"the weight of layers\.2\.mlp\.up_proj {said}"):
        merge_shards(located, lora, weights, tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


def test_a_truncated_file_is_rejected(
    located: Located, lora: Lora, weights: dict[str, torch.Tensor], tmp_path: Path
) -> None:
    file = sorted(located.folder.glob("*.safetensors"))[0]
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises(TrainingError, match=r"00001-of-.*; download the file again"):
        merge_shards(located, lora, weights, tmp_path / "merged")
