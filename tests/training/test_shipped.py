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
