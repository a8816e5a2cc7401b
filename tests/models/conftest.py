from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.models.making import ARCHITECTURES

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def decoders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one small decoder of each architecture; all workers of a run share it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "decoders"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            command = [sys.executable, "-m", "tests.models.making", str(folder)]
            subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=300)
            (folder / "complete").touch()
    return folder


@pytest.fixture(params=ARCHITECTURES)
def architecture(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name
