"""Tests of every kind judge a candidate as pytest itself does."""

from __future__ import annotations

import pytest

from tests.authoring.repair.small_project import project, verdicts
from tests.conftest import GitRepository
from wardround.authoring.repair.model import CandidateResult

CODE = "def double(value):\n    return value + 1\n\n\ndef other():\n    return 0\n"
TESTS = '''\
import unittest
import warnings

import pytest

from code_under import double

seen = []


@pytest.mark.parametrize("value", [2, 3])
def test_numbers(value):
    assert double(value) == 2 * value


@pytest.fixture(scope="module")
def counted():
    seen.append(1)
    assert len(seen) == 1
    yield seen
    seen.clear()


def test_fixture(counted, tmp_path, monkeypatch, capsys, request):
    monkeypatch.setattr("os.sep", "x")
    (tmp_path / "a").write_text("a")
    print("shown")
    assert capsys.readouterr().out == "shown\\n"
    counted.append(double(5))
    assert counted == [1, 10]


class TestObject:
    values = []

    def test_own_object(self):
        assert not hasattr(self, "mark")
        self.mark = 1
        self.values.append(double(6))
        assert self.values == [12]


class Case(unittest.TestCase):
    made = 0

    @classmethod
    def setUpClass(cls):
        cls.made += 1

    def setUp(self):
        self.value = 7

    def test_case(self):
        self.assertEqual(self.made, 1)
        self.assertEqual(double(self.value), 14)

    def test_parts(self):
        for value in (8, 9):
            with self.subTest(value=value):
                self.assertEqual(double(value), 2 * value)


@pytest.mark.xfail(strict=True)
def test_not_yet():
    assert double(2) == 5


@pytest.mark.filterwarnings("error")
def test_no_warning():
    assert double(1) == 2
'''
FILE = "tests/test_it.py"
FAILING = ("test_numbers", "test_fixture", "TestObject::test_own_object", "Case::test_case")


def test_each_test_has_fresh_objects_and_fixtures(repo: GitRepository) -> None:
    files = {"code_under.py": CODE, FILE: TESTS, "pytest.ini": "[pytest]\npythonpath = .\n"}
    kinds = project(repo, files, *(f"{FILE}::{name}" for name in FAILING))
    observation = kinds.observed()

    found = kinds.validated(
        observation,
        ("value + 1", "value * 3"),
        ("value + 1", "value * 2 or 'unreachable'"),
        ("value + 1", "value * 2 + (value == 1)"),
        ("value + 1", "value * 2"),
        ("value + 1", "__import__('warnings').warn('old') or value * 2"),
    )

    assert [test.id.partition("::")[2] for test in observation.failing] == [
        "test_numbers[2]", "test_numbers[3]", "TestObject::test_own_object", "Case::test_case", "test_fixture",
    ] or len(observation.failing) == 5  # fmt: skip
    assert verdicts(found) == {1: "", 2: "test_no_warning", 3: "", 4: "test_no_warning"}
    assert found.unstable == ()
    assert [result.passed for result in found.results if result.is_plausible] == [7, 7]


def test_a_test_that_fails_for_another_reason_in_one_process_judges_nothing(repo: GitRepository) -> None:
    tests = (
        "import os\n\nfrom code_under import double\n\n\ndef test_right():\n    assert double(2) == 4\n\n\n"
        "def test_first():\n    os.environ['FIRST'] = '1'\n    assert double(1) == 2\n\n\n"
        "def test_second():\n    assert os.environ.get('FIRST')\n    sum(range(10**6))\n"
        "    assert double(1) == 2\n"
    )
    files = {"code_under.py": CODE, FILE: tests, "pytest.ini": "[pytest]\npythonpath = .\n"}
    order = project(repo, files, f"{FILE}::test_right")
    observation = order.observed()

    found = order.validated(observation, ("value + 1", "value + value"))

    assert verdicts(found) == {0: ""}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("STEP = 1\n", "STEP = 2\n", ""),
        ("STEP = 1\n", "STEP = 3\n", None),
        ("STEP = 1\n", "STEP = \n", None),
        ("by=STEP", "by=2", ""),
        ("STEP = 1\n", "STEP = 1\nwhile True: pass\n", None),
    ],
)
def test_code_outside_of_functions_is_imported_again(
    repo: GitRepository, old: str, new: str, expected: str | None
) -> None:
    code = "STEP = 1\n\n\ndef moved(value, by=STEP):\n    return value + by\n"
    tests = "from code_under import moved\n\n\ndef test_moved():\n    assert moved(1) == 3\n"
    files = {"code_under.py": code, FILE: tests, "pytest.ini": "[pytest]\npythonpath = .\n"}
    constants = project(repo, files, f"{FILE}::test_moved")

    found = constants.validated(constants.observed(), (old, new))

    assert (found.tried, found.reimported, found.problem) == (1, 1, "")
    assert found.results == (() if expected is None else (CandidateResult(0, "", 1),))
