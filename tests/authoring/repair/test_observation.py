"""The tests of an instance at its base: how they fail, the lines that they run, and why there is nothing."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.authoring.repair.small_project import project
from tests.conftest import GitRepository
from wardround.authoring.repair.model import Frame
from wardround.authoring.repair.observation import observe
from wardround.change.repository import Repository
from wardround.context.run_evidence import TestOutcome
from wardround.workflows.environments.existing_python import existing_python

CODE = """\
LIMIT = 3


def known(key):
    table = {"a": 1}
    if key is None:
        return 0
    return table[key]
"""
TESTS = """\
from table import known


def test_a_known_key():
    assert known("a") == 1


def test_an_unknown_key():
    assert known("b") == 0


def test_no_key():
    assert known(None) == 0
"""
FILE = "tests/test_table.py"
INI = "[pytest]\npythonpath = .\n"


@pytest.mark.parametrize("isolation", ["auto", "none"])
def test_a_failure_has_its_exception_its_frames_and_its_lines(repo: GitRepository, isolation: str) -> None:
    files = {"table.py": CODE, FILE: TESTS, "pytest.ini": INI}
    found = project(repo, files, f"{FILE}::test_an_unknown_key", isolation=isolation).observed()

    assert (found.problem, found.is_complete) == ("", True)
    assert [(test.id, test.outcome) for test in found.tests] == [
        (f"{FILE}::test_an_unknown_key", TestOutcome.FAILED),
        (f"{FILE}::test_a_known_key", TestOutcome.PASSED),
        (f"{FILE}::test_no_key", TestOutcome.PASSED),
    ]
    failure = found.failing[0].failure
    assert failure is not None
    assert (failure.exception, failure.message) == ("KeyError", "'b'")
    assert failure.frames == (Frame(FILE, 9, "test_an_unknown_key"), Frame("table.py", 8, "known"))
    assert "KeyError: 'b'" in failure.text
    assert [test.lines["table.py"] for test in found.tests] == [(5, 6, 8), (5, 6, 8), (5, 6, 7)]


def test_an_id_without_parameters_includes_all_of_them(repo: GitRepository) -> None:
    tests = (
        "import pytest\n\n\n@pytest.mark.parametrize('value', [1, 2])\ndef test_value(value):\n"
        "    assert value == 1\n"
    )
    found = project(repo, {FILE: tests}, f"{FILE}::test_value").observed()

    assert found.requested == {f"{FILE}::test_value[1]", f"{FILE}::test_value[2]"}
    assert [test.id for test in found.failing] == [f"{FILE}::test_value[2]"]


@pytest.mark.parametrize(
    ("tests", "problem"),
    [
        ("def test_it():\n    pass\n", f"{FILE}::test_it does not fail at the base: it passes"),
        (
            "import pytest\n\n\ndef test_it():\n    pytest.skip()\n",
            f"{FILE}::test_it does not fail at the base: it is skipped",
        ),
        (
            "import time\n\n\ndef test_it():\n    import os\n"
            "    path = '/tmp/flaky-' + os.environ['HOME'].replace('/', '-')\n"
            "    if os.path.exists(path):\n        assert False\n    open(path, 'w').close()\n",
            f"{FILE}::test_it is flaky: at the base it failed in one of two runs",
        ),
        (
            "def test_other():\n    pass\n",
            f"{FILE}::test_it did not run; pytest did not find it, or the time ended",
        ),
        (
            "import nothing_of_this_name\n",
            f"{FILE}::test_it did not run: ModuleNotFoundError: No module named 'nothing_of_this_name'",
        ),
    ],
)
def test_the_problem_is_one_sentence(repo: GitRepository, tests: str, problem: str) -> None:
    found = project(repo, {FILE: tests}, f"{FILE}::test_it", isolation="auto").observed()

    assert found.problem == problem
    assert project(repo, {FILE: tests, "a": "a"}).validated(found).problem == problem


def test_an_environment_without_pytest_is_a_problem(repo: GitRepository) -> None:
    repo.commit({FILE: TESTS})
    prefix = repo.root.parent / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(prefix)], check=True)
    with Repository(repo.root) as repository:
        found = observe(
            repository, repository.commit("HEAD"), [f"{FILE}::test_no_key"],
            existing_python(repo.root, {"VIRTUAL_ENV": str(prefix)}), 5.0,
            environ=os.environ, log=repo.root.parent / "log", isolation="none",
        )  # fmt: skip

    assert found.problem == "pytest is not installed in the environment"


def test_a_test_that_ends_its_process_is_a_problem(repo: GitRepository) -> None:
    tests = "import os\n\n\ndef test_it():\n    os._exit(3)\n"
    found = project(repo, {FILE: tests}, f"{FILE}::test_it").observed()

    assert not found.is_complete
    assert found.problem.startswith(f"{FILE}::test_it did not run")


def test_options_that_pytest_does_not_know_are_a_problem(repo: GitRepository) -> None:
    files = {FILE: TESTS, "pytest.ini": "[pytest]\naddopts = --of-no-plugin\n"}
    found = project(repo, files, f"{FILE}::test_no_key").observed()

    assert found.problem.startswith("pytest ended with status 4 before the tests; its output is in ")
