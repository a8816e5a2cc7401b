"""What names of steps and jobs say of versions and tools."""

from __future__ import annotations

from typing import Any

import pytest
from wardround_docker_ci.docdrift.step_names import tools_in, versions_in

from tests.conftest import GitRepository


@pytest.mark.parametrize(
    ("name", "versions"),
    [
        ("Set up Python 3.9", ["3.9"]),
        ("Python v3.9.1 and Node 18", ["3.9.1", "18"]),
        ("Node.js 18 on ubuntu-22.04", ["22.04", "18"]),
        ("Shard 3 of 10", []),
        ("${{ matrix.v3.9 }} $PY3.9", []),
        ("cp39 a1.2b x/1.2", []),
        ("", []),
    ],
)
def test_versions_are_read_from_names(name: str, versions: list[str]) -> None:
    found = versions_in(name)
    assert sorted(found) == sorted(versions)
    assert all(name.startswith(version, place) for version, place in found.items())


@pytest.mark.parametrize(
    ("name", "tools"),
    [
        ("Run flake8", ["flake8"]),
        ("Lint (ESLint, Prettier)", ["ESLint", "Prettier"]),
        ("src/flake8/check", []),
        ("pre-npm-step", []),
        ("Push Docker image with npm", ["npm"]),
        ("Run ${{ matrix.flake8 }}", []),
    ],
)
def test_tools_are_read_from_names(name: str, tools: list[str]) -> None:
    assert sorted(tools_in(name)) == sorted(tools)


BEFORE = """\
name: Tests
on: push
permissions: {}
jobs:
  test:
    name: Python 3.9 on Linux
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - name: Set up Python 3.9
        uses: actions/setup-python@0123456789012345678901234567890123456789
        with:
          python-version: "3.9"
      - name: Lint with flake8
        run: |
          # flake8 is quick
          flake8 src
      - name: Lint with flake8
        run: flake8 tests
"""


def found_in(repo: GitRepository, after: str) -> list[dict[str, Any]]:
    repo.commit({".github/workflows/ci.yml": BEFORE})
    return found_after(repo, after)


def test_a_raised_version_is_reported_in_the_names_of_the_step_and_its_job(repo: GitRepository) -> None:
    found = found_in(repo, BEFORE.replace('"3.9"', '"3.13"'))
    assert [(f["line"], f["column"], f["status"]) for f in found] == [(6, 18, "caused"), (10, 29, "caused")]
    assert found[1]["message"] == 'the name contains "3.9", but this change sets 3.13; rename it'


def test_a_name_that_changed_too_is_right(repo: GitRepository) -> None:
    assert found_in(repo, BEFORE.replace("3.9", "3.13")) == []


def test_names_that_cannot_be_told_apart_are_passed_over(repo: GitRepository) -> None:
    assert found_in(repo, BEFORE.replace("flake8 src", "ruff check src")) == []


def test_another_tool_is_reported_where_the_name_says_the_old_one(repo: GitRepository) -> None:
    second = "      - name: Lint with flake8\n        run: flake8 tests\n"
    assert BEFORE.endswith(second)
    repo.commit({".github/workflows/ci.yml": BEFORE.removesuffix(second)})
    (found,) = found_after(repo, BEFORE.removesuffix(second).replace("flake8 src", "ruff check src"))
    assert (found["rule"], found["line"], found["column"]) == ("docker-ci/DC104", 14, 25)


def found_after(repo: GitRepository, after: str) -> list[dict[str, Any]]:
    repo.stage({".github/workflows/ci.yml": after, ".wardround.toml": "preview = true\n"})
    report = repo.report("--staged", "--only", "docker-ci", "--exit-zero")
    return [f for f in report["findings"] if f["rule"] in ("docker-ci/DC103", "docker-ci/DC104")]


def test_a_base_that_is_no_yaml_is_no_reason_to_stop(repo: GitRepository) -> None:
    repo.commit({".github/workflows/ci.yml": "a: [3.9\n" * 20})
    assert found_after(repo, BEFORE) == []
