"""A probe shows the values of a run, and its expression cannot harm what it runs in."""

from __future__ import annotations

import os
import sys

import pytest

from tests.conftest import GitRepository
from wardround.authoring.repair.probe import Probe, ProbeResult, run_probe
from wardround.authoring.repair.project import ProjectRun
from wardround.change.repository import Repository
from wardround.workflows.environments.existing_python import existing_python

CODE = """\
def squares(number):
    found = []
    for value in range(number):
        found.append(value * value)
    return found
"""
TESTS = """\
from work import squares


def test_the_last_square():
    assert squares(30)[-1] == 900
"""
TEST = "tests/test_work.py::test_the_last_square"


def probe(
    repo: GitRepository, expression: str, *, line: int = 4, test: str = TEST, isolation: str = "none"
) -> ProbeResult:
    repo.commit({"work.py": CODE, "tests/test_work.py": TESTS, "conftest.py": ""})
    project = ProjectRun(existing_python(repo.root, {"VIRTUAL_ENV": sys.prefix}), isolation, "")
    with Repository(repo.root) as repository:
        return run_probe(
            repository, repository.commit("HEAD"), Probe(test, "work.py", line, expression), project,
            environ=os.environ, log=repo.root.parent / "probe.log", budget_s=5.0,
        )  # fmt: skip


def test_values_before_the_line_are_shown_and_an_exception_is_a_value(repo: GitRepository) -> None:
    found = probe(repo, "[value // number for _ in found[-1:]] if value < 3 else 'x' * (600 // (19 - value))")
    assert found.values[:4] == ("[]", "[0]", "[0]", f"'{'x' * 37}'")
    assert found.values[18] == f"'{'x' * 499}"
    assert found.values[19] == "ZeroDivisionError: integer division or modulo by zero"
    assert (len(found.values), found.outcome, found.problem) == (20, "failed", "")


def test_a_line_that_is_not_reached_is_reported(repo: GitRepository) -> None:
    found = probe(repo, "1", line=99)
    assert (found.values, found.outcome, found.problem) == ((), "failed", "the line was not reached")


def test_an_unknown_test_is_reported(repo: GitRepository) -> None:
    found = probe(repo, "1", test="tests/test_work.py::test_other")
    assert (found.values, found.problem) == ((), "pytest did not find the test")


@pytest.mark.parametrize(
    ("expression", "values", "problem"),
    [
        ("__import__('os')._exit(0)", 0, "the process ended"),
        ("[0 for _ in iter(int, 1)]", 1, ""),
    ],
    ids=["exit", "endless"],
)
def test_a_hostile_expression_ends_its_own_run(
    repo: GitRepository, expression: str, values: int, problem: str
) -> None:
    found = probe(repo, expression)
    assert (len(found.values), found.problem) == (values, problem)
    assert all(value == "it took more than 1 s" for value in found.values)


def test_an_expression_cannot_write_into_the_tree(repo: GitRepository) -> None:
    found = probe(repo, "open('work.py', 'w').write('')", isolation="auto")
    assert found.values[0].startswith(("OSError:", "PermissionError:"))
    assert repo.read("work.py").decode() == CODE
    assert repo.git("status", "--short") == ""
