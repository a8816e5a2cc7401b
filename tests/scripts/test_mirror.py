"""The hook repository of a release is small, and its hooks are those of this repository."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

from wardround import __version__

ROOT = Path(__file__).parents[2]


def mirror(folder: Path) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-I", ROOT / ".ci" / "mirror.py", folder]
    return subprocess.run(argv, capture_output=True, text=True, check=False)


def test_it_requires_this_version_and_offers_its_hooks(tmp_path: Path) -> None:
    folder = tmp_path / "hooks"
    done = mirror(folder)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    assert project["dependencies"] == [f"wardround=={__version__}"]
    hooks = (folder / ".pre-commit-hooks.yaml").read_bytes()
    assert hooks == (ROOT / ".pre-commit-hooks.yaml").read_bytes()
    assert sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) < 64_000


def test_its_component_of_gitlab_is_our_pipeline_at_our_commit(tmp_path: Path) -> None:
    assert mirror(tmp_path / "hooks").returncode == 0
    header, jobs = yaml.safe_load_all((tmp_path / "hooks/templates/wardround.yml").read_text())
    expected, expected_jobs = yaml.safe_load_all((ROOT / ".ci/gitlab.yml").read_text())
    argv = ["git", "-C", ROOT, "rev-parse", "HEAD"]
    head = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()
    expected["spec"]["inputs"]["commit"]["default"] = head
    assert (header, jobs) == (expected, expected_jobs)


def test_a_folder_that_exists_is_refused_with_one_sentence(tmp_path: Path) -> None:
    done = mirror(tmp_path)
    assert done.returncode == 2
    assert done.stderr == f"{tmp_path}: File exists; name a folder that does not exist\n"
