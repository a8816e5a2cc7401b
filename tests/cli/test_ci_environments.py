"""``wardround ci --build-environments``: missing environments are built before the run, and a failure is one
line.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.workflows.environments.conftest import index, program, wheel

pytestmark = pytest.mark.usefixtures("without_slow_tools")

__all__ = ["index"]

FILES = {
    "requirements.txt": "leaf\n",
    "prices.py": "def double(price):\n    return price * 2\n",
    "tests/test_prices.py": "def test_double():\n    assert True\n",
    "pytest.ini": "[pytest]\n",
}


@pytest.fixture
def changed(repo: GitRepository) -> GitRepository:
    repo.commit(FILES)
    repo.commit({"prices.py": "def double(price):\n    return price + price\n"})
    return repo


def ci(repo: GitRepository, address: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {
        "PATH": os.pathsep.join((program("uv"), program("git"))),
        "VIRTUAL_ENV": "",
        "XDG_CACHE_HOME": str(folder / "cache"),
        "UV_CACHE_DIR": str(folder / "uv"),
        "UV_DEFAULT_INDEX": address,
    }
    return repo.wardround(
        "ci", "--provider", "jenkins", "--base-ref", "HEAD~1", "--no-fetch", "--run=tests", *arguments,
        "--reports-dir", str(folder / f"reports-{len(list(folder.iterdir()))}"), env=env,
    )  # fmt: skip


def test_a_missing_environment_is_built_once(
    changed: GitRepository, index: tuple[Path, str], tmp_path: Path
) -> None:
    folder, address = index
    for name in ("leaf", "coverage", "pytest"):
        wheel(folder, name, "1.0", {f"{name}.py": ""})
    folder = tmp_path / "ci"
    folder.mkdir()

    without = ci(changed, address, folder)
    first, second = (ci(changed, address, folder, "--build-environments") for _ in range(2))

    assert "has no Python environment" in without.stdout
    assert first.stderr.startswith("wardround: built .: Python ")
    assert "the environment built from requirements.txt\n" in first.stderr
    assert "built" not in second.stderr
    assert "has no Python environment" not in first.stdout + second.stdout
    assert (without.returncode, first.returncode, second.returncode) == (4, 4, 4)


def test_a_failed_build_is_one_line_and_the_review_is_inconclusive(
    changed: GitRepository, index: tuple[Path, str], tmp_path: Path
) -> None:
    folder = tmp_path / "ci"
    folder.mkdir()

    done = ci(changed, index[1], folder, "--build-environments")

    lines = [line for line in done.stderr.splitlines() if line.startswith("wardround: .: ")]
    assert len(lines) == 2, done.stderr
    assert "leaf" in lines[0]
    assert done.returncode == 4
    assert "has no Python environment" in done.stdout
    assert "Traceback" not in done.stderr
