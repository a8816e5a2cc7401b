"""TE027."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.languages.python.tree import walk
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import FUNCTIONS, last_name

_START = "import pytest\n@pytest.fixture\ndef user():\n    return User('a')\n"


class FixtureCalled(PythonTestCheck):
    """A test uses a fixture without asking for it.

    Without the parameter the name is that of the fixture's definition: calling it is an error of pytest's,
    and anything else that is asked of it is asked of the wrong object. Add the parameter.
    """

    ID = "TE027"
    NAME = "fixture-used-without-parameter"
    DEFECT_CLASS = "fixture-misuse"
    TRIED_ON = (
        "583,000 lines of tests of 24 projects, celery, apprise, aiohttp and redash among them: 1 hit, right."
    )
    WORDS: ClassVar[tuple[str, ...]] = ("fixture",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(f"{_START}def test_user(user):\n    assert user.name == 'a'\n", path="test_case.py"),
        Valid(
            f"{_START}def test_user():\n    user = User('b')\n    assert user.name == 'b'\n",
            path="test_case.py",
        ),
        Valid(
            f"{_START}def test_users(user):\n    def named(name):\n        return user.name == name\n"
            "    assert named('a')\n",
            path="test_case.py",
        ),
        Valid(
            f"{_START}def test_users():\n    assert [user for user in users()] == []\n", path="test_case.py"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(f"{_START}def test_user():\n    assert user().name == 'a'\n", line=6, column=12,
                path="test_case.py"),
        Invalid(f"{_START}def test_user():\n    assert user.name == 'a'\n", line=6, column=12,
                path="test_case.py"),
        Invalid(
            f"{_START}class TestUser:\n    @pytest.fixture(scope='class')\n    def group(self):\n"
            "        return Group(user())\n    def test_group(self, group):\n"
            "        assert group.size == 1\n",
            line=8,
            column=22,
            path="test_case.py",
        ),
    ]  # fmt: skip

    def visit_Name(self, node: ast.Name) -> None:
        if node.id not in self._fixtures or not isinstance(node.ctx, ast.Load):
            return
        if not self._is_asked_of(node) or not self.module.serves(node):
            return
        if any(
            node.id in _bound(p)
            for p in self.module.ancestors(node)
            if isinstance(p, (*FUNCTIONS, ast.Lambda))
        ):
            return
        text = f'"{node.id}" is a fixture, and this test does not ask for it'
        self.report(self.module.span(node), text)

    def _is_asked_of(self, node: ast.Name) -> bool:
        """Whether something is wanted of the value: a call, an attribute, an element or a comparison."""
        parent = self.module.parents[node]
        if isinstance(parent, ast.Call):
            return parent.func is node
        return (
            isinstance(parent, (ast.Attribute, ast.Subscript))
            and parent.value is node
            and not (isinstance(parent, ast.Attribute) and parent.attr.startswith("__"))
        )

    @cached_property
    def _fixtures(self) -> frozenset[str]:
        """The names of the module that stand for fixtures and for nothing else."""
        own = [s for s in self.module.tree.body if isinstance(s, (*FUNCTIONS, ast.ClassDef))]
        names = {s.name for s in own if any(_is_fixture(one) for one in s.decorator_list)}
        others = [s.name for s in own if s.name in names]
        return frozenset(
            name for name in names if others.count(name) == 1 and name not in self.module.imported
        )


def _is_fixture(decorator: ast.expr) -> bool:
    return last_name(decorator) == "fixture"


def _bound(function: ast.AST) -> set[str]:
    """The names a function takes or gives a value."""
    names: set[str] = set()
    for node in walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node is not function:
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names
