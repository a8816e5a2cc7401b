"""A function is compared with its decorators, as its callers see it."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository
from tests.workflows.behaviour.compared_project import Results, compared

BASE = """\
import contextlib
import functools


def reporting(check):
    @functools.wraps(check)
    def report(value):
        return check(value) or "invalid"

    return report


def command(body):
    @functools.wraps(body)
    def run():
        return body(3)

    return run


@reporting
def is_digit(text):
    return text.isdigit()


@reporting
def first(text):
    return text[:1]


@command
def printed(count):
    return count


@contextlib.contextmanager
def opened(name):
    yield name


class Shelf:
    @functools.lru_cache
    def size(self, count):
        return count

    @staticmethod
    @reporting
    def label(text):
        return text.strip()
"""
EDITS = [
    ("text.isdigit()", "text.isdigit() or None"),
    ("text[:1]", "text[1:]"),
    ("    return count\n\n\n@context", "    return count + 1\n\n\n@context"),
    ("yield name", "yield name + '!'"),
    ("def size(self, count):\n        return count", "def size(self, count):\n        return count + 1"),
    ("text.strip()", "text.strip() * 2"),
]
TESTS = """\
from lib import core


def test_all():
    core.is_digit("1")
    core.is_digit("a")
    core.first("ab")
    core.printed()
    with core.opened("file"):
        pass
    core.Shelf().size(2)
    core.Shelf.label(" a")
"""


@pytest.fixture(scope="module")
def kept() -> dict[str, Results]:
    return {}


@pytest.fixture
def results(repo: GitRepository, kept: dict[str, Results]) -> Results:
    if not kept:
        files = {"lib/__init__.py": "", "lib/core.py": BASE, "tests/test_core.py": TESTS}
        head = BASE
        for old, new in EDITS:
            assert head.count(old) == 1
            head = head.replace(old, new)
        kept["both"] = Results(compared(repo, files, {**files, "lib/core.py": head}))
    return kept["both"]


def test_a_difference_that_the_decorator_hides_is_not_shown(results: Results) -> None:
    inputs = results.inputs("is_digit")

    assert inputs is not None
    assert inputs[1] == 0


@pytest.mark.parametrize(
    ("name", "call", "before", "after"),
    [
        ("first", "first('ab')", "'a'", "'b'"),
        ("opened", "opened('file')", "iterator ['file']", "iterator ['file!']"),
        ("Shelf.size", "Shelf().size(2)", "2", "3"),
        ("Shelf.label", "Shelf.label(' a')", "'a'", "'aa'"),
    ],
)
def test_the_result_of_the_decorated_function_is_shown(
    results: Results, name: str, call: str, before: str, after: str
) -> None:
    assert results.texts(name) == (call, before, after)


def test_a_function_whose_decorator_takes_other_arguments_is_listed(results: Results) -> None:
    assert results.reason("printed") == "its decorators take other arguments than the function"
    assert results.difference("printed") is None
