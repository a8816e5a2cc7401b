"""Models on the disk; the tests are skipped without the libraries that create and run them."""

from __future__ import annotations

from pathlib import Path

import pytest

for _library in ("onnx", "onnxruntime", "tokenizers"):
    pytest.importorskip(_library)

from tests.inference.making import make_adapter, make_base, make_table  # noqa: E402


@pytest.fixture(scope="session")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    make_base(folder / "base")
    make_adapter(folder / "adapter", folder / "base")
    make_table(folder / "table")
    return folder


@pytest.fixture
def shelf_folder(_made: Path, tmp_path: Path) -> Path:
    """A folder with ``base``, ``adapter`` and ``table``, the test's own to break."""
    import shutil

    return Path(shutil.copytree(_made, tmp_path / "models"))
