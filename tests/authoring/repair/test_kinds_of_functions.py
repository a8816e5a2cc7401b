"""The code of every kind of function can be exchanged in memory."""

from __future__ import annotations

import re

import pytest

from tests.authoring.repair.small_project import project
from tests.conftest import GitRepository
from wardround.authoring.repair.model import Validation

CODE = '''\
from __future__ import annotations

import asyncio
import contextlib
import functools
from dataclasses import dataclass


def loud(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return function(*arguments) + len("KIND0") - 5
    return wrapper


def adder(step):
    def add(value):
        return value + step + len("KIND1") - 5
    return add


add_nothing = adder(0)


@loud
def decorated():
    return len("KIND2") - 4


@functools.lru_cache(maxsize=None)
def cached():
    return len("KIND3") - 4


class Base:
    def value(self):
        return 0


class Shape(Base):
    def value(self):
        return super().value() + len("KIND4") - 4

    @classmethod
    def of_class(cls):
        return len("KIND5") - 4

    @staticmethod
    def of_none():
        return len("KIND6") - 4

    @property
    def area(self):
        return len("KIND7") - 4

    @functools.cached_property
    def edge(self):
        return len("KIND8") - 4

    def __hidden(self):
        return self.__mark + len("KIND9") - 4

    __mark = 0

    def shown(self):
        return self.__hidden()


def numbers():
    yield len("KINDA") - 4


async def awaited():
    return len("KINDB") - 4


@contextlib.contextmanager
def opened():
    yield len("KINDC") - 4


def outer():
    def inner():
        return (lambda: len("KINDD") - 4)()
    return inner()


if True:
    try:
        def conditional(): return len("KINDE") - 4
    finally:
        pass


@dataclass(frozen=True)
class Point:
    x: int = 0

    def moved(self) -> Point:
        return Point(self.x + len("KINDF") - 4)


def total():
    shape = Shape()
    with opened() as found:
        return (decorated() + add_nothing(1) + cached() + shape.value() + shape.of_class() + shape.of_none()
                + shape.area + shape.edge + shape.shown() + sum(numbers()) + asyncio.run(awaited()) + found
                + outer() + conditional() + Point().moved().x)
'''
TESTS = """\
from kinds import total


def test_the_total_has_one_more():
    assert total() == 16
"""
KINDS = re.findall(r"KIND[0-9A-F]", CODE)


@pytest.fixture(scope="module")
def validated(tmp_path_factory: pytest.TempPathFactory) -> Validation:
    repo = GitRepository(tmp_path_factory.mktemp("kinds"))
    repo.run("git", "init", "-q")
    files = {"kinds.py": CODE, "tests/test_kinds.py": TESTS, "pytest.ini": "[pytest]\npythonpath = .\n"}
    kinds = project(repo, files, "tests/test_kinds.py::test_the_total_has_one_more")
    observation = kinds.observed()
    assert observation.problem == ""
    return kinds.validated(observation, *((f'"{kind}"', f'"{kind}!"') for kind in KINDS))


def test_no_file_is_imported_again(validated: Validation) -> None:
    assert (validated.tried, validated.reimported, validated.problem) == (len(KINDS), 0, "")


@pytest.mark.parametrize("at", range(len(KINDS)), ids=KINDS)
def test_an_edit_of_a_function_has_an_effect(validated: Validation, at: int) -> None:
    assert [result.is_plausible for result in validated.results if result.index == at] == [True]
