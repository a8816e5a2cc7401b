"""The whole chain on small real models of each architecture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("peft")

from tests.training import tiny  # noqa: E402
from wardround.errors import TrainingError  # noqa: E402
from wardround.inference.metadata import read_metadata  # noqa: E402
from wardround.inference.runtime import find  # noqa: E402
from wardround.inference.shelf import Shelf  # noqa: E402
from wardround.training import shipped  # noqa: E402
from wardround.training.base import locate, read_base  # noqa: E402
from wardround.training.merge import read_trained  # noqa: E402
from wardround.training.train import train  # noqa: E402


def silent(text: str) -> None:
    pass


@pytest.fixture(params=tiny.ARCHITECTURES)
def chain(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """Folders of a trained and shipped adapter and of its base."""
    described = tiny.base(tmp_path, request.param)
    run = tmp_path / "run"
    train(tiny.recipe(tmp_path, described), run)
    base = shipped.export_base(locate(read_base(str(described))), tmp_path / "base", progress=silent)
    shipped.finish(run, base.folder, progress=silent)
    return run, base.folder


def test_each_architecture_ships_with_parity(chain: tuple[Path, Path]) -> None:
    run, base = chain
    metadata = read_metadata(run / "model")
    steps = {one.step: one for one in metadata.parity}
    assert list(steps) == ["merged", "onnx-fp32", "onnx-int8"]
    assert steps["merged"].largest < 1e-5
    assert steps["onnx-fp32"].largest < 1e-5
    assert steps["onnx-int8"].correlation > 0.98
    assert metadata.shared
    shelf = Shelf.of([run / "model", base])
    assert shelf.refused == ()
    vectors = shelf.embedder("tiny", find("cpu")).embed(["alpha", "this beta holds beta"])
    trained = read_trained(run)
    tokens = trained.tokenizer.encode("alpha").ids
    exact = trained.merged()(torch.tensor([tokens]), torch.ones(1, len(tokens), dtype=torch.int64))
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert float(vectors[0] @ exact[0].detach().numpy()) > 0.98
    if "bert" in str(read_trained(run).located.folder):
        assert shipped.against_optimum(run).largest < 1e-5


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Folders of a trained adapter, exported, and of its base."""
    folder = tmp_path_factory.mktemp("made")
    described = tiny.base(folder)
    train(tiny.recipe(folder, described), folder / "run")
    base = shipped.export_base(locate(read_base(str(described))), folder / "base", progress=silent)
    shipped.finish(folder / "run", base.folder, progress=silent)
    return folder / "run", base.folder


def test_layers_that_were_not_trained_stand_in_the_base_alone(made: tuple[Path, Path]) -> None:
    run, base = made
    own, theirs = read_metadata(run / "model"), read_metadata(base)
    places = {tensor.offset for tensor in theirs.shared}
    assert len(theirs.shared) == 8  # two large products in each of four layers
    assert len(own.shared) == 4
    assert {tensor.offset for tensor in own.shared} <= places
    assert own.base is not None
    assert theirs.shares is not None
    assert own.base.shared == theirs.shares.sha256
    assert not (run / "model" / "tokenizer.json").exists()


def test_merging_leaves_other_layers_as_they_were(made: tuple[Path, Path]) -> None:
    from safetensors.torch import load_file

    merged = load_file(made[0] / "merged" / "model.safetensors")
    base = load_file(made[0].parent / "bert-files" / "model.safetensors")
    changed = {name for name, value in merged.items() if not torch.equal(value, base[name])}
    assert {name.split(".")[2] for name in changed} == {"2", "3"}
    assert all(name.endswith("weight") and "LayerNorm" not in name for name in changed)


def test_the_same_training_ships_the_same_bytes(made: tuple[Path, Path], tmp_path: Path) -> None:
    run, base = made
    before = read_metadata(run / "model").model.sha256
    shipped.export(run)
    assert shipped.quantise(run, base, tmp_path).metadata.model.sha256 == before


def test_an_adapter_alone_says_what_the_shipped_one_says(made: tuple[Path, Path], tmp_path: Path) -> None:
    run, base = made
    trained = read_trained(run)
    file = shipped.export_alone(trained, tmp_path, int8=True)
    tokens = trained.tokenizer.encode("this beta holds beta").ids
    alone = shipped.parity.of_session(shipped.plain_session(file))(tokens)
    together = shipped.session(run / "model", read_metadata(run / "model"), base)
    assert np.array_equal(alone, shipped.parity.of_session(together)(tokens))


def test_another_base_is_refused(made: tuple[Path, Path], tmp_path: Path) -> None:
    other = tiny.base(tmp_path, "roberta")
    foreign = shipped.export_base(locate(read_base(str(other))), tmp_path / "base", progress=silent)
    with pytest.raises(TrainingError, match="not the base tiny/bert"):
        shipped.quantise(made[0], foreign.folder, tmp_path / "model")


def test_a_training_that_was_not_exported_cannot_be_quantised(
    made: tuple[Path, Path], tmp_path: Path
) -> None:
    import shutil

    shutil.copytree(made[0], tmp_path / "run", ignore=shutil.ignore_patterns("onnx"))
    with pytest.raises(TrainingError, match="adapters export"):
        shipped.quantise(tmp_path / "run", made[1])


def test_weights_changed_by_one_byte_are_refused(made: tuple[Path, Path], tmp_path: Path) -> None:
    import shutil

    shutil.copytree(made[0], tmp_path / "run")
    file = tmp_path / "run" / "lora" / "adapter_model.safetensors"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.chmod(0o600)
    file.write_bytes(content)
    with pytest.raises(TrainingError, match="not the weights that were trained"):
        read_trained(tmp_path / "run")
