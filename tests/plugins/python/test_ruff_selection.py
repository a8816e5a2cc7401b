"""Whose selection of ruff's codes counts: the project's where it makes one, else ours."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository

IN_VAIN = "import subprocess\n\nLINE = 'df | tail'\nsubprocess.run(LINE, shell=True, check=True)\n"
"""ruff warns of a shell here, and what it is given is nobody's but the module's."""


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
def test_a_code_that_a_project_selects_is_said_even_where_ours_would_be_silent(
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
def test_where_a_project_selects_nothing_of_the_kind_ours_is_silent(
    repo: GitRepository, config: dict[str, str]
) -> None:
    repo.commit(config)
    assert "ruff/S602" not in _codes(repo)


def test_a_selection_that_ruff_cannot_read_is_its_complaint_and_no_crash(repo: GitRepository) -> None:
    repo.commit({"ruff.toml": "lint.extend-select = 5\n"})
    repo.stage({"tool.py": IN_VAIN})
    (trouble,) = repo.report("--staged")["unreviewed"]
    assert trouble["tool"] == "ruff"
    assert "extend-select" in trouble["reason"]
