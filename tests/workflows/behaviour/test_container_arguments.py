"""Arguments whose classes are containers with constructors of their own."""

from __future__ import annotations

from tests.conftest import GitRepository
from tests.workflows.behaviour.compared_project import Results, compared

BASE = """\
from collections import deque


class Noted(set):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind


class Lines(list):
    def __init__(self, kind, *, first):
        super().__init__([first])
        self.kind = kind

    def append(self, one):
        raise TypeError("it is not to be called")


class Pair(tuple):
    def __new__(cls, first, second):
        return super().__new__(cls, (first, second))


class Checked(dict):
    def __init__(self, allowed):
        self.allowed = allowed

    def __setitem__(self, key, value):
        if key not in self.allowed:
            raise KeyError(key)
        super().__setitem__(key, value)


class Latest(deque):
    def __init__(self, most):
        super().__init__(maxlen=most)


def described(value):
    return [type(value).__name__, sorted(value), getattr(value, "kind", None)]
"""
TESTS = """\
import pytest

from lib.core import Checked, Latest, Lines, Noted, Pair, described


def filled(value, add):
    add(value)
    return value


@pytest.mark.parametrize("value", [
    filled(Noted("a"), lambda value: value.add("x")),
    Lines("b", first="x"),
    Pair("x", "y"),
    filled(Checked(["x"]), lambda value: value.update({"x": 1})),
    filled(Latest(2), lambda value: value.extend("xyz")),
])
def test_it(value):
    described(value)
"""


def test_containers_are_recorded_without_their_constructors(repo: GitRepository) -> None:
    files = {"lib/__init__.py": "", "lib/core.py": BASE, "tests/test_core.py": TESTS}
    head = BASE.replace("return [type(value).__name__, sorted(value), ", "return [sorted(value), ")

    found = Results(compared(repo, files, {**files, "lib/core.py": head}))

    assert found.inputs("described") == (5, 5)
