"""The complete chain on small real models of each architecture."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.installed import require_installed

torch = pytest.importorskip("torch")
require_installed("peft")

from tests.lab.training import tiny  # noqa: E402
from wardround.errors import ModelError, TrainingError  # noqa: E402
from wardround.inference.metadata import read_metadata, write_metadata  # noqa: E402
from wardround.inference.registry import ModelRegistry  # noqa: E402
from wardround.inference.runtime import detect_runtime  # noqa: E402
from wardround.inference.verify import verify  # noqa: E402
from wardround_lab.training import merge as merging  # noqa: E402
from wardround_lab.training import packaging  # noqa: E402
from wardround_lab.training.base_model import locate, read_base  # noqa: E402
from wardround_lab.training.merge import read_trained  # noqa: E402
from wardround_lab.training.promote import model_of  # noqa: E402
from wardround_lab.training.train import train  # noqa: E402


def silent(text: str) -> None:
    pass


@pytest.fixture(params=tiny.ARCHITECTURES)
def chain(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """Folders of a trained and shipped adapter and of its base."""
    described = tiny.base(tmp_path, request.param)
    run = tmp_path / "run"
    train(tiny.recipe(tmp_path, described), run)
    base = packaging.export_base(locate(read_base(str(described))), tmp_path / "base", progress=silent)
    packaging.finish(run, base.folder, progress=silent)
    return run, base.folder


def test_each_architecture_ships_with_parity(chain: tuple[Path, Path]) -> None:
    run, base = chain
    metadata = read_metadata(run / "model")
    steps = {item.step: item for item in metadata.parity}
    assert list(steps) == ["merged", "onnx-fp32", "onnx-int8"]
    assert steps["merged"].largest < 1e-5
    assert steps["onnx-fp32"].largest < 1e-5
    assert steps["onnx-int8"].correlation > 0.98
    assert metadata.shared
    shelf = ModelRegistry.of([run / "model", base])
    assert shelf.refused == ()
    vectors = shelf.embedder("tiny", detect_runtime("cpu")).embed(["alpha", "this beta holds beta"])
    trained = read_trained(run)
    tokens = trained.tokenizer.encode("alpha").ids
    exact = trained.load_merged()(torch.tensor([tokens]), torch.ones(1, len(tokens), dtype=torch.int64))
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert float(vectors[0] @ exact[0].detach().numpy()) > 0.98
    if "bert" in str(read_trained(run).located.folder):
        assert packaging.against_optimum(run).largest < 1e-5


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Folders of a trained adapter, exported, and of its base."""
    folder = tmp_path_factory.mktemp("made")
    described = tiny.base(folder)
    train(tiny.recipe(folder, described), folder / "run")
    base = packaging.export_base(locate(read_base(str(described))), folder / "base", progress=silent)
    packaging.finish(folder / "run", base.folder, progress=silent)
    return folder / "run", base.folder


def test_untrained_layers_are_in_the_base_only(made: tuple[Path, Path]) -> None:
    run, base = made
    own, theirs = read_metadata(run / "model"), read_metadata(base)
    locations = {tensor.offset for tensor in theirs.shared}
    assert len(theirs.shared) == 8  # two large products in each of four layers
    assert len(own.shared) == 4
    assert {tensor.offset for tensor in own.shared} <= locations
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
    packaging.export(run)
    assert packaging.quantise(run, base, tmp_path).metadata.model.sha256 == before


def test_a_standalone_export_scores_like_the_shipped_model(made: tuple[Path, Path], tmp_path: Path) -> None:
    run, base = made
    trained = read_trained(run)
    file = packaging.export_alone(trained, tmp_path, int8=True).folder / "model.onnx"
    tokens = trained.tokenizer.encode("this beta holds beta").ids
    alone = packaging.parity.wrap_session(packaging.plain_session(file))(tokens)
    together = packaging.session(run / "model", read_metadata(run / "model"), base)
    assert np.array_equal(alone, packaging.parity.wrap_session(together)(tokens))


@pytest.mark.parametrize("int8", [False, True])
def test_a_standalone_export_can_be_used_by_other_programs(
    made: tuple[Path, Path], tmp_path: Path, int8: bool
) -> None:
    """onnxruntime and tokenizers alone, on a text far beyond the window, give the same vectors as
    wardround.
    """
    import onnxruntime
    from tokenizers import Tokenizer

    packaging.export_alone(read_trained(made[0]), tmp_path, int8=int8)
    text = " ".join(tiny.WORDS * 200)
    tokens = Tokenizer.from_file(str(tmp_path / "tokenizer.json")).encode(text).ids
    assert len(tokens) == 16
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    theirs = session.run(None, {"input_ids": np.array([tokens], dtype=np.int64)})[0][0]
    shelf = ModelRegistry.of([tmp_path])
    assert np.allclose(shelf.embedder("tiny", detect_runtime("cpu")).embed([text])[0], theirs, atol=1e-6)


def test_a_standalone_export_records_its_sources(made: tuple[Path, Path], tmp_path: Path) -> None:
    exported = packaging.export_alone(read_trained(made[0]), tmp_path / "alone", int8=False).metadata
    model = read_metadata(made[0] / "model")
    assert read_metadata(tmp_path / "alone") == exported
    assert (exported.name, exported.window, exported.licence) == ("tiny", 16, "MIT")
    assert exported.source is not None
    assert exported.source.weights == next(
        item.sha256 for item in model.files if item.name == "adapter_model.safetensors"
    )
    assert exported.base is not None
    assert model.base is not None
    assert (exported.base.digest, exported.base.licence) == (model.base.digest, "MIT")
    assert [item.troubles for item in verify(ModelRegistry.of([tmp_path / "alone"]))] == [()]
    file = tmp_path / "alone" / "tokenizer.json"
    file.write_text(file.read_text().replace('"max_length":16', '"max_length":17'))
    assert (
        "tokenizer.json is not the file" in next(verify(ModelRegistry.of([tmp_path / "alone"]))).troubles[0]
    )
    packaging.export_alone(read_trained(made[0]), tmp_path / "alone", int8=True)
    assert [item.troubles for item in verify(ModelRegistry.of([tmp_path / "alone"]))] == [()]


@pytest.fixture
def model(made: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a model, without its training."""
    import shutil

    described = read_base(str(made[0].parent / "bert.yml"))
    monkeypatch.setattr(merging, "base_of_id", lambda identity: described)
    return Path(shutil.copytree(made[0] / "model", tmp_path / "model"))


def test_a_model_is_merged_from_the_weights_it_names(model: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in model.iterdir()}
    alone = packaging.export_alone(read_trained(model), tmp_path / "alone", int8=False)
    assert alone.metadata.source is not None
    assert packaging.merge(model, tmp_path / "merged").largest < 1e-5
    assert (tmp_path / "merged" / "model.safetensors").is_file()
    assert {path: path.read_bytes() for path in model.iterdir()} == before


def test_a_model_is_not_overwritten(model: Path) -> None:
    before = sorted(model.iterdir())
    for step in (packaging.merge, packaging.export):
        with pytest.raises(TrainingError, match="is a finished model, which is read-only; set --"):
            step(model)
    for write in (
        lambda: packaging.merge(model, model),
        lambda: packaging.export_alone(read_trained(model), model, int8=False),
    ):
        with pytest.raises(TrainingError, match="is a finished model, which is read-only; choose another"):
            write()
    assert sorted(model.iterdir()) == before


def test_the_base_is_not_overwritten(made: tuple[Path, Path]) -> None:
    files = made[0].parent / "bert-files"
    before = {path: path.read_bytes() for path in files.iterdir()}
    with pytest.raises(TrainingError, match="is the base, which is read-only; choose another"):
        packaging.merge(made[0], files)
    assert {path: path.read_bytes() for path in files.iterdir()} == before


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", None])
def test_weights_that_are_not_the_models_are_rejected(model: Path, content: bytes | None) -> None:
    file = model / "adapter_model.safetensors"
    changed = bytearray(file.read_bytes())
    changed[-1] ^= 1
    file.write_bytes(changed if content is None else content)
    with pytest.raises(ModelError, match=r"adapter_model\.safetensors (is not the file|has \d+ bytes)"):
        read_trained(model)
    with pytest.raises(ModelError, match=r"adapter_model\.safetensors"):
        model_of(str(model))


def test_weights_without_a_digest_are_not_used(model: Path) -> None:
    write_metadata(model, msgspec.structs.replace(read_metadata(model), files=()))
    with pytest.raises(
        TrainingError, match=r"has no digest in adapter\.metadata\.json, so it must not be used"
    ):
        read_trained(model)
    with pytest.raises(ModelError, match=r"has no digest in adapter\.metadata\.json, so it must not be used"):
        model_of(str(model))


def test_another_base_is_rejected(made: tuple[Path, Path], tmp_path: Path) -> None:
    other = tiny.base(tmp_path, "roberta")
    foreign = packaging.export_base(locate(read_base(str(other))), tmp_path / "base", progress=silent)
    with pytest.raises(TrainingError, match="not the base tiny/bert"):
        packaging.quantise(made[0], foreign.folder, tmp_path / "model")


def test_a_training_that_was_not_exported_cannot_be_quantised(
    made: tuple[Path, Path], tmp_path: Path
) -> None:
    import shutil

    shutil.copytree(made[0], tmp_path / "run", ignore=shutil.ignore_patterns("onnx"))
    with pytest.raises(TrainingError, match="adapters export"):
        packaging.quantise(tmp_path / "run", made[1])


def test_weights_changed_by_one_byte_are_rejected(made: tuple[Path, Path], tmp_path: Path) -> None:
    import shutil

    shutil.copytree(made[0], tmp_path / "run")
    file = tmp_path / "run" / "lora" / "adapter_model.safetensors"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.chmod(0o600)
    file.write_bytes(content)
    with pytest.raises(TrainingError, match="not the weights that were trained"):
        read_trained(tmp_path / "run")
