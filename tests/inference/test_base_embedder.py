"""The base model as an embedder: loaded late, and rejected with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.installed import require_installed
from wardround.config.schema import RunSettings
from wardround.errors import ModelError
from wardround.inference import runtime
from wardround.inference.base_embedder import base_embedder

require_installed("onnxruntime")
np = pytest.importorskip("numpy")


def test_close_texts_have_close_vectors(tmp_path: Path) -> None:
    embedder = base_embedder(RunSettings(), tmp_path)
    vectors = embedder.embed(["parse a date", "read a day and month from text", "draw a red circle"])
    assert embedder.name.startswith("base ")
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


def test_a_missing_runtime_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "_package", lambda versions: None)
    with pytest.raises(ModelError, match=r"model 'base' cannot be used: .*onnxruntime.* not installed"):
        base_embedder(RunSettings(), tmp_path)


def test_an_unusable_folder_of_models_is_a_reason(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "base"
    folder.mkdir(parents=True)
    (folder / "adapter.metadata.json").write_text("{")
    with pytest.raises(ModelError, match="model 'base' cannot be used"):
        base_embedder(RunSettings(model_folders=("models",)), tmp_path)
