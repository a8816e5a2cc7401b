"""The selection of ruff's codes: the project's own if there is one, else ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wardround_python.tools import RUFF

from tests.conftest import GitRepository
from wardround.tools.tool import Invocation

IN_VAIN = "import subprocess\n\nLINE = 'df | tail'\nsubprocess.run(LINE, shell=True, check=True)\n"
"""ruff reports this shell, whose argument is a constant of the module."""


def _codes(repo: GitRepository) -> set[str]:
    repo.stage({"tool.py": IN_VAIN})
    return {found["rule"] for found in repo.report("--staged")["findings"]}


@pytest.mark.parametrize(
    "config",
    [
        {"ruff.toml": '[lint]\nselect = ["S602"]\n'},
        {".ruff.toml": '[lint]\nselect = ["ALL"]\n'},
        {"pyproject.toml": '[tool.ruff.lint]\nselect = ["S"]\n'},
        {"ruff.toml": 'extend = "shared/strict.toml"\n', "shared/strict.toml": 'lint.select = ["S"]\n'},
        {"ruff.toml": 'lint.extend-select = ["S6"]\n'},
        {"pyproject.toml": "[tool.ruff]\nline-length = 90\nlint.extend-select = ['S602']\n"},
    ],
)
def test_a_code_that_a_project_selects_is_reported_even_if_ours_would_not(
    repo: GitRepository, config: dict[str, str]
) -> None:
    repo.commit(config)
    assert "ruff/S602" in _codes(repo)


@pytest.mark.parametrize(
    "config",
    [
        {"README": "no configuration\n"},
        {"pyproject.toml": "[tool.ruff]\nline-length = 90\n"},
        {"pyproject.toml": "[tool.black]\nline-length = 90\n"},
        {"ruff.toml": 'lint.extend-select = ["D"]\n'},
    ],
)
def test_a_refuted_code_is_not_reported_if_the_project_does_not_select_it(
    repo: GitRepository, config: dict[str, str]
) -> None:
    repo.commit(config)
    assert "ruff/S602" not in _codes(repo)


def test_a_selection_that_ruff_cannot_read_is_reported_without_a_crash(repo: GitRepository) -> None:
    repo.commit({"ruff.toml": "lint.extend-select = 5\n"})
    repo.stage({"tool.py": IN_VAIN})
    (trouble,) = repo.report("--staged")["unreviewed"]
    assert trouble["tool"] == "ruff"
    assert "ruff.toml" in trouble["reason"]
    assert "line 1, column 22" in trouble["reason"]


NAMED_ONLY = """\
import time
from unittest import mock


def test_retry() -> None:
    with mock.patch("time.sleep"):
        time.sleep(1)
"""


def test_only_what_the_parser_reports_is_a_syntax_error(repo: GitRepository) -> None:
    repo.commit({"ruff.toml": 'preview = true\n[lint]\nselect = ["ALL"]\n'})
    repo.stage({"tests/test_retry.py": NAMED_ONLY, "broken.py": "def f(:\n"})
    found = repo.report("--staged", "--all")["findings"]
    assert {item["file"] for item in found if item["rule"].endswith("syntax")} == {"broken.py"}


@pytest.mark.parametrize(
    ("files", "is_reported"),
    [
        ({}, False),
        ({"pyproject.toml": '[tool.ruff]\nlint.select = ["UP"]\n'}, False),
        ({"pyproject.toml": '[project]\nrequires-python = ">=3.9"\n'}, True),
        ({"ruff.toml": 'target-version = "py39"\nlint.select = ["UP"]\n'}, True),
    ],
)
def test_code_for_old_versions_is_outdated_only_if_the_oldest_version_is_known(
    tmp_path: Path, files: dict[str, str], is_reported: bool
) -> None:
    root = tmp_path / "side" / "repo"
    root.mkdir(parents=True)
    for name, text in {**files, "a.py": "import sys\nif sys.version_info < (3, 8):\n    x = 1\n"}.items():
        (root / name).write_text(text, "utf-8")
    location = {"row": 2, "column": 1}
    result = {
        "code": "UP036", "filename": str(root / "a.py"), "location": location, "end_location": location,
        "message": "Version block is outdated for minimum Python version", "name": "outdated-version-block",
    }  # fmt: skip
    run = Invocation(Path("ruff"), root, ("a.py",), None, tmp_path)

    assert bool(RUFF.parse(json.dumps([result]).encode(), run)) is is_reported
