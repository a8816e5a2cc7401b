"""``wardround doctor`` calls a tool missing where a file of the repository is for that tool."""

from __future__ import annotations

import re

import pytest
from wardround_docker_ci.specialist import DockerCiSpecialist
from wardround_docker_ci.tools import TOOLS

from tests.conftest import GitRepository
from tests.variants import variant
from wardround import host
from wardround.cli import doctor
from wardround.context.code_graph import extraction
from wardround.host import PluginHost

_MISSING = re.compile(r"^  docker-ci +(\w+) +missing \(commit and CI\): pip", re.MULTILINE)


@pytest.fixture(autouse=True)
def _nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tool of the Docker and CI specialist is found."""
    absent = tuple(variant(tool, find=lambda root: None) for tool in TOOLS)
    monkeypatch.setattr(host, "load", lambda: PluginHost([variant(DockerCiSpecialist(), tools=absent)]))


@pytest.mark.parametrize(
    ("files", "needed"),
    [
        ({".pre-commit-config.yaml": "repos: []\n", "app.py": "x = 1\n"}, []),
        ({"Dockerfile": "FROM scratch\n"}, ["hadolint"]),
        ({".github/workflows/ci.yml": "on: push\n"}, ["actionlint", "ruff", "shellcheck", "zizmor"]),
    ],
)
def test_a_tool_is_missing_where_a_file_is_for_it(
    repo: GitRepository, capfd: pytest.CaptureFixture[str], files: dict[str, str], needed: list[str]
) -> None:
    repo.stage(files)
    status = doctor.command.callback(repo=repo.root)  # type: ignore[misc]
    assert sorted(set(_MISSING.findall(capfd.readouterr().out))) == needed
    assert status == (4 if needed else 0)


def test_a_file_that_is_not_checked_out_is_no_trouble(
    repo: GitRepository, capfd: pytest.CaptureFixture[str]
) -> None:
    repo.stage({"Dockerfile": "FROM scratch\n"})
    (repo.root / "Dockerfile").unlink()
    assert doctor.command.callback(repo=repo.root) == 0  # type: ignore[misc]
    assert "hadolint   missing, and nothing here needs it" in capfd.readouterr().out


def test_settings_are_printed_as_they_are_written(repo: GitRepository) -> None:
    written = (
        'fail-level = "warn"\nskip = ["sql"]\nfold = false\njobs = 2\ntool-timeout = 2.5\n'
        'rules = {"ruff/S307" = "error"}\n'
    )
    repo.stage({".wardround.toml": written})
    printed = repo.wardround("doctor").stdout
    for line in (*written.splitlines(), 'baseline = ".wardround-baseline.json"', "only = []"):
        assert f"  {line}  (" in printed
    assert "'" not in printed.partition("settings\n")[2].replace("'wardround", "")
    assert "None" not in printed


def test_a_missing_grammar_is_named_with_its_effect_and_the_remedy(
    repo: GitRepository, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extraction, "has_sql_grammar", lambda: False)
    assert doctor.command.callback(repo=repo.root) == 0  # type: ignore[misc]
    assert "  sql        without tables and columns: pip install 'wardround[sql]'\n" in capfd.readouterr().out
