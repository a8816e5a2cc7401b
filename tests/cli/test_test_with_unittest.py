"""``wardround test`` with unittest: set-up and tear-down of classes, and skipped tests."""

from __future__ import annotations

import json
import sys

import pytest

from tests.conftest import GitRepository

HEAD = "import unittest\n\n\n"
FIXTURE = """\
class TestShop(unittest.TestCase):
    @classmethod
    def {fixture}(cls):
        raise {error}

    def test_price(self):
        pass

    def test_tax(self):
        pass


class TestOther(unittest.TestCase):
    def test_other(self):
        pass
"""


def outcomes(repo: GitRepository, text: str) -> tuple[int, dict[str, tuple[str, str]]]:
    """Run tests, and return the status, and outcome and explanation of each test."""
    repo.commit({"shop.py": "", "setup.py": "", "tests/__init__.py": "", "tests/test_shop.py": text})
    repo.commit({"shop.py": "PRICE = 1\n"})
    done = repo.wardround(
        "test", "--target", "all", "--base", "HEAD~1", "--no-record", env={"VIRTUAL_ENV": sys.prefix}
    )
    tests = json.loads(repo.read("artifacts/wardround/test-report.json"))["tests"]
    found = {
        item["id"].rpartition("::")[2]: (item["outcome"], (item["excerpt"] or item["detail"]).split("\n")[-1])
        for item in tests
    }
    return done.returncode, found


def test_tests_are_skipped_if_the_set_up_of_their_class_is(repo: GitRepository) -> None:
    text = HEAD + FIXTURE.format(fixture="setUpClass", error="unittest.SkipTest('no shop here')")

    assert outcomes(repo, text) == (
        0,
        {
            "test_price": ("skipped", "no shop here"),
            "test_tax": ("skipped", "no shop here"),
            "test_other": ("passed", ""),
        },
    )


def test_tests_are_errors_if_the_set_up_of_their_class_is(repo: GitRepository) -> None:
    text = HEAD + FIXTURE.format(fixture="setUpClass", error="ValueError('closed')")

    assert outcomes(repo, text) == (
        1,
        {
            "test_price": ("error", "ValueError: closed"),
            "test_tax": ("error", "ValueError: closed"),
            "test_other": ("passed", ""),
        },
    )


def test_the_last_test_of_a_class_is_an_error_if_its_tear_down_is(repo: GitRepository) -> None:
    text = HEAD + FIXTURE.format(fixture="tearDownClass", error="ValueError('open')")

    status, found = outcomes(repo, text)

    assert status == 1
    assert found["test_price"] == ("passed", "")
    assert found["test_tax"] == ("error", "ValueError: open")


@pytest.mark.parametrize("raised", ["unittest.SkipTest('no shop here')", "ValueError('closed')"])
def test_the_set_up_of_a_module_decides_about_all_its_tests(repo: GitRepository, raised: str) -> None:
    text = f"{HEAD}def setUpModule():\n    raise {raised}\n\n\n"
    text += FIXTURE.format(fixture="setUp_", error="KeyError")

    _, found = outcomes(repo, text)

    assert len(found) == 3
    assert {outcome for outcome, _ in found.values()} == {"skipped" if "Skip" in raised else "error"}


def test_tests_of_a_namespace_package_are_run_although_discovery_does_not_reach_them(
    repo: GitRepository,
) -> None:
    test = HEAD + "class TestShop(unittest.TestCase):\n    def test_price(self):\n        {}\n"
    files = {
        "setup.py": "",
        "src/space/shop/__init__.py": "",
        "src/space/shop/tests/__init__.py": "",
        "src/space/shop/tests/test_price.py": test.format("from space import shop"),
        "src/space/shop/tests/test_broken.py": "import absent\n" + test.format("pass"),
    }
    repo.commit(files)
    repo.commit({"src/space/shop/__init__.py": "PRICE = 1\n"})

    done = repo.wardround("test", "--target", "all", "--base", "HEAD~1", env={"VIRTUAL_ENV": sys.prefix})

    assert done.returncode == 4
    assert "No module named 'absent'; install it in the environment of the project" in done.stdout
    assert "\n1 passed, 1 not run in " in done.stdout


def test_a_run_that_collects_none_of_the_tests_is_inconclusive(repo: GitRepository) -> None:
    loader = "def load_tests(loader, tests, pattern):\n    return unittest.TestSuite()\n"
    repo.commit({"setup.py": "", "test_shop.py": HEAD + FIXTURE.format(fixture="x", error="e") + loader})
    repo.commit({"shop.py": "PRICE = 1\n"})

    done = repo.wardround("test", "--target", "all", "--base", "HEAD~1", env={"VIRTUAL_ENV": sys.prefix})

    assert done.returncode == 4
    assert (
        "unittest collected none of the 3 tests; check its settings with python -m unittest -v" in done.stdout
    )
