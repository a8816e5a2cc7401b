"""Tests of findings in files that are data of tests."""

from __future__ import annotations

import json

import pytest

from tests.conftest import GitRepository
from wardround import host
from wardround.context.test_data import TestData, is_broken_data

EXCLUDED = host.load().excluded_files
PATH = "tests/fixtures/a.py"
LEFT_OUT = {
    "ruff": {"pyproject.toml": '[tool.ruff]\nextend-exclude = ["tests/fixtures"]\n'},
    "ruff-lint": {"ruff.toml": '[lint]\nexclude = ["fixtures/*.py"]\n'},
    "black": {"pyproject.toml": "[tool.black]\nforce-exclude = '''\n(\n  /fixtures/  # input\n)\n'''\n"},
    "isort": {"pyproject.toml": '[tool.isort]\nskip_glob = ["tests/fixtures/*"]\n'},
    "flake8": {".flake8": "[flake8]\nexclude =\n    build,\n    tests/fixtures\n"},
    "prettier": {".prettierignore": "dist\n/tests/fixtures/**\n"},
    "eslint": {".eslintignore": "fixtures\n"},
    "biome": {"biome.json": '{"files": {"ignore": ["**/fixtures"]}}'},
    "biome-includes": {"biome.jsonc": '{\n// data\n"files": {"includes": ["**", "!**/fixtures"]}}'},
    "pre-commit": {".pre-commit-config.yaml": "exclude: ^tests/fixtures/\nrepos: []\n"},
    "pre-commit-hook": {
        ".pre-commit-config.yaml": "repos:\n- hooks:\n  - id: a\n    exclude: ^tests/fixtures/\n"
    },
    "attributes": {".gitattributes": "tests/fixtures/* linguist-generated\n"},
}
KEPT = {
    "nothing": {},
    "another-folder": {"pyproject.toml": '[tool.ruff]\nexclude = ["build", "docs"]\n'},
    "negated": {".prettierignore": "!tests/fixtures\n# fixtures\n"},
    "broken-settings": {"pyproject.toml": "[tool.ruff\n", "biome.json": "{", ".flake8": "exclude"},
    "broken-pattern": {".pre-commit-config.yaml": "exclude: (^tests\nrepos: []\n"},
}
_BROKEN = "def f(:\n    pass\n"


@pytest.mark.parametrize("files", LEFT_OUT.values(), ids=LEFT_OUT)
def test_data_is_excluded_by_the_projects_tools(files: dict[str, str]) -> None:
    data = TestData(files.get, lambda: EXCLUDED)

    assert data.is_excluded(PATH)
    assert not data.is_excluded("src/a.py")


@pytest.mark.parametrize("files", KEPT.values(), ids=KEPT)
def test_data_is_retained_otherwise(files: dict[str, str]) -> None:
    assert not TestData(files.get, lambda: EXCLUDED).is_excluded(PATH)


def test_excluded_code_is_not_a_data() -> None:
    files = {"pyproject.toml": '[tool.ruff]\nexclude = ["src"]\n'}

    assert not TestData(files.get, lambda: EXCLUDED).is_excluded("src/fixture_loader.py")


def test_data_states_in_its_path_that_it_is_broken() -> None:
    assert is_broken_data("tests/data/invalid/a.py")
    assert is_broken_data("test/fixtures/syntax_error.ts")
    assert not is_broken_data("src/invalid/a.py")
    assert not is_broken_data("tests/data/a.py")


def _rules(repo: GitRepository, *options: str) -> tuple[str, set[str]]:
    repo.git("add", "-A")
    repo.git("commit", "-qm", "head")
    done = repo.wardround("review", "--base", "HEAD~1", "--format", "json", *options)
    report = json.loads(done.stdout)
    return report["gate"]["outcome"], {finding["rule"] for finding in report["findings"]}


@pytest.fixture
def base(repo: GitRepository) -> GitRepository:
    repo.write("pyproject.toml", '[tool.ruff]\nextend-exclude = ["tests/fixtures", "src"]\n')
    repo.git("add", "-A")
    repo.git("commit", "-qm", "base")
    return repo


def test_test_data_gives_no_finding(base: GitRepository) -> None:
    base.write(PATH, _BROKEN)

    assert _rules(base) == ("pass", set())


def test_excluded_code_that_is_not_a_data_does(base: GitRepository) -> None:
    base.write("src/a.py", _BROKEN)

    outcome, rules = _rules(base)

    assert outcome == "blocked"
    assert rules


def test_security_findings_in_test_data_are_retained(base: GitRepository) -> None:
    token = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o50smkjE"
    base.write(PATH, f'TOKEN = "{token}"\n')

    assert any(rule.startswith("secrets/") for rule in _rules(base)[1])


def test_settings_of_an_untrusted_change_leave_nothing_out(repo: GitRepository) -> None:
    repo.write("README.md", "shop\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "base")
    repo.write("pyproject.toml", '[tool.ruff]\nextend-exclude = ["tests/fixtures"]\n')
    repo.write(PATH, _BROKEN)

    outcome, _ = _rules(repo, "--config-from", "base")

    assert outcome == "blocked"
