"""Findings of ty about definitions that the repository shows entirely, and about others."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository

SHAPES = """\
import abc
import dataclasses
from typing import NamedTuple, Optional

import records
from framework import Base, Registry


@records.record
class Row:
    name: str


@records.record(
    frozen=True,
)
class Cell:
    name: str


class Cells(Cell):
    pass


class Plugin(metaclass=Registry):
    name: str


@dataclasses.dataclass
class Entry(Base):
    name: str


@dataclasses.dataclass
class Size:
    width: int


class Point(NamedTuple):
    x: int


class Plain:
    pass


class Store(abc.ABC):
    @abc.abstractmethod
    def load(self): ...

    @abc.abstractmethod
    def drop(self): ...


class FileStore(Store):
    def load(self, name=""): ...

    def drop(self): ...


class Lock:
    def __enter__(self) -> None: ...

    def __exit__(self, kind: type = None, error: Exception = None, trace: object = None) -> None: ...


class Broken:
    def __enter__(self) -> None: ...

    def __exit__(self) -> None: ...


class Mixin:
    def __init__(self, name: str) -> None:
        super().__init__(name)


def leave(text: str):
    print(text)
    raise SystemExit(1)
"""
CALLS = """\
import asyncio
from collections.abc import Callable
from importlib.resources import files

from app import shapes
from app.shapes import Broken, Cell, Cells, Entry, Lock, Plain, Plugin, Point, Row, Size, Store, leave

Row("a")
Row(name="a")
Cell("a")
Cells(name="a")
Plugin("a")
Entry(title="a")
Size(width=1, height=2)  # unknown-argument
Size()  # missing-argument
shapes.Point(1, 2)  # too-many-positional-arguments
Plain(1)  # too-many-positional-arguments


def run(store: Store, done: Callable[[int], None]) -> None:
    store.load(name="a")
    store.drop(name="a")  # unknown-argument
    done()
    leave()  # missing-argument
    files("app").joinpath("a", "b")
    with Lock():
        pass
    with Broken():  # invalid-context-manager
        pass


def size(text: str) -> int:
    if text.isdigit():
        return int(text)
    leave(text)


def attempt(text: str) -> int:
    for number in range(3):
        try:
            return int(text)
        except ValueError:
            if number == 2:
                raise


def width(text: str) -> int:  # invalid-implicit-return
    if text.isdigit():
        return int(text)


async def wait() -> None:
    try:
        await asyncio.sleep(1)
    except asyncio.TimeoutError:
        asyncio.timer()  # missing-attribute
"""
SETTINGS = '[project]\nname = "app"\nversion = "1"\nrequires-python = ">=3.7"\n'


def _expected(text: str) -> set[tuple[int, str]]:
    marks = ((number, line.partition("  # ")[2]) for number, line in enumerate(text.splitlines(), 1))
    return {(number, f"ty/{code}") for number, code in marks if code}


@pytest.fixture
def findings(repo: GitRepository) -> set[tuple[int, str]]:
    repo.commit({"README": "", "pyproject.toml": SETTINGS, "app/__init__.py": "", "app/shapes.py": SHAPES})
    repo.stage({"app/calls.py": CALLS})
    found = repo.report("--staged")["findings"]
    return {(item["line"], item["rule"]) for item in found if item["rule"].startswith("ty/")}


def test_only_calls_of_visible_definitions_are_compared_with_them(findings: set[tuple[int, str]]) -> None:
    assert findings == _expected(CALLS)


def test_packages_of_our_own_environment_are_not_those_of_the_project(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    repo.commit({"README": ""})
    repo.stage({"app.py": "from packaging.version import Version\n\nVersion('1', 2, 3)\nlen()\n"})
    found = repo.report("--staged")["findings"]
    assert [(item["line"], item["rule"]) for item in found] == [(4, "ty/missing-argument")]


_SELF = "from typing import Self\n\nSelf\n"
_SKIPPED = """\
import sys
import unittest


@unittest.skipIf(sys.version_info < (3, {}), "old")
def test_a():
    from typing import Self

    assert Self
"""
NEWER = {
    "folder": ("tests/python_312/test_a.py", _SELF),
    "file": ("tests/test_a_py311.py", _SELF),
    "decorator": ("tests/test_a.py", _SKIPPED.format(11)),
    "skipped module": (
        "tests/test_a.py",
        f"import sys\n\nimport pytest\n\nif sys.version_info < (3, 11):\n    pytest.skip('x')\n{_SELF}",
    ),
}
OLD = {
    "no version": ("tests/test_a.py", _SELF),
    "version that is supported": ("tests/py39/test_a.py", _SELF),
    "condition on a supported version": ("tests/test_a.py", _SKIPPED.format(9)),
}


def _missing_members(repo: GitRepository, path: str, text: str) -> int:
    repo.commit({"README": "", "pyproject.toml": SETTINGS.replace("3.7", "3.9")})
    repo.stage({path: text})
    found = repo.report("--staged", "--all")["findings"]
    return [item["rule"] for item in found].count("ty/missing-module-member")


@pytest.mark.parametrize(("path", "text"), NEWER.values(), ids=NEWER)
def test_code_for_newer_versions_uses_what_they_have(repo: GitRepository, path: str, text: str) -> None:
    assert _missing_members(repo, path, text) == 0


@pytest.mark.parametrize(("path", "text"), OLD.values(), ids=OLD)
def test_code_for_all_versions_uses_only_what_all_have(repo: GitRepository, path: str, text: str) -> None:
    assert _missing_members(repo, path, text) == 1


OPEN = """\
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from framework import Base
from pydantic import BaseModel


class Check:
    @abstractmethod
    def run(self): ...


class Hook(Base):
    @abstractmethod
    def run(self): ...


class Request(BaseModel):
    @abstractmethod
    def run(self): ...


class StrictHook(Base, ABC):
    @abstractmethod
    def run(self): ...


class Filled(ABC):
    def __init_subclass__(cls):
        cls.run = cls._run

    @abstractmethod
    def run(self): ...


class Fast(Filled):
    def _run(self): ...


class Strict(ABC):
    @abstractmethod
    def run(self): ...


if TYPE_CHECKING:
    count: int
else:
    from counts import count

Check()
Hook()
Fast()
Strict()  # abstract-class-instantiation
Request()  # abstract-class-instantiation
StrictHook()  # abstract-class-instantiation
"""


def test_objects_of_classes_that_nothing_enforces_can_be_created(repo: GitRepository) -> None:
    repo.commit({"README": ""})
    repo.stage({"app.py": OPEN + "count\n"})
    found = repo.report("--staged")["findings"]
    assert {(item["line"], item["rule"]) for item in found if item["rule"].startswith("ty/")} == _expected(
        OPEN
    )


def test_names_of_a_star_import_that_cannot_be_followed_may_exist(repo: GitRepository) -> None:
    repo.commit({"README": "", "lib/app/names.py": "from .more import *\n", "names.py": "a = 1\n"})
    repo.stage({"open.py": "from app.names import *\n\nLIMIT\n", "known.py": "from names import *\n\nb\n"})
    found = repo.report("--staged")["findings"]
    assert [item["file"] for item in found if item["rule"] == "ty/unresolved-reference"] == ["known.py"]


OUTER = """\
class Scene:
    def __enter__(self):
        return self

    def __exit__(self, *error): ...


def show(run):
    scene = None
    empty = None

    def page():
        nonlocal scene
        scene = Scene()

        def add():
            with scene:
                pass
            with empty:  # invalid-context-manager
                pass

        run(add)

    def alone():
        scene = None if run else Scene()
        with scene:  # invalid-context-manager
            pass

    def other():
        empty = Scene()
        run(empty)

    run(page, alone, other)
"""


def test_variable_of_an_enclosing_function_that_is_set_there_is_not_none(repo: GitRepository) -> None:
    repo.commit({"README": ""})
    repo.stage({"app.py": OUTER})
    found = repo.report("--staged")["findings"]
    assert {(item["line"], item["rule"]) for item in found if item["rule"].startswith("ty/")} == _expected(
        OUTER
    )


LITERALS = """\
from __future__ import annotations

from typing import Literal

Name: type[Literal["system.cpu", "load.1m", "two words"]] = str
Other: type["two words"] = str  # invalid-syntax-in-forward-annotation
"""


def test_strings_of_a_literal_are_values(repo: GitRepository) -> None:
    repo.commit({"README": ""})
    repo.stage({"app.py": LITERALS})
    found = repo.report("--staged")["findings"]
    assert {(item["line"], item["rule"]) for item in found if item["rule"].startswith("ty/")} == _expected(
        LITERALS
    )
