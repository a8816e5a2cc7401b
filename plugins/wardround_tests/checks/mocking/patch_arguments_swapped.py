"""TE025."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase, last_name

_START = "from unittest.mock import patch\n"


class PatchArgumentsSwapped(PythonTestCheck):
    """The mocks of stacked patches arrive under each other's names.

    ``patch`` decorators are applied from the bottom up, so the lowest one gives the first argument. Under
    the wrong name the test sets up one mock and asks another. Turn the parameters round.
    """

    ID = "TE025"
    NAME = "patch-arguments-swapped"
    DEFECT_CLASS = "patch-argument-order"
    TRIED_ON = (
        "583,000 lines of tests of 24 projects, celery, apprise, aiohttp and redash among them: 5 "
        "hits, all right."
    )
    WORDS: ClassVar[tuple[str, ...]] = ("patch",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            f"{_START}@patch('job.load')\n@patch('job.store')\ndef test_run(store, load):\n"
            "    assert run()\n",
            path="test_case.py",
        ),
        Valid(
            f"{_START}@patch('job.load')\n@patch('job.store')\ndef test_run(first, second):\n"
            "    assert run()\n",
            path="test_case.py",
        ),
        Valid(
            f"{_START}@patch('job.load', new=fake)\n@patch('job.store')\ndef test_run(store):\n"
            "    assert run()\n",
            path="test_case.py",
        ),
        Valid(
            f"{_START}@patch('old.load')\n@patch('new.load')\ndef test_run(load, load_old):\n"
            "    assert run()\n",
            path="test_case.py",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            f"{_START}@patch('job.load')\n@patch('job.store')\ndef test_run(load, store):\n"
            "    assert run()\n",
            line=4,
            column=5,
            path="test_case.py",
        ),
        Invalid(
            "from unittest import mock\nclass JobTest(TestCase):\n    @mock.patch.object(Job, 'load')\n"
            "    @mock.patch('job.time.sleep')\n    def test_run(self, mock_load, mock_sleep):\n"
            "        self.assertTrue(run())\n",
            line=5,
            column=9,
            path="test_case.py",
        ),
        Invalid(
            f"{_START}@patch('job.A')\n@patch('job.load')\n@patch('job.store')\n"
            "def test_run(a, load, store):\n    assert run()\n",
            line=5,
            column=5,
            path="test_case.py",
        ),
    ]

    def look_at(self, case: TestCase) -> None:
        given = [name for one in reversed(case.node.decorator_list) if (name := _injected(one))]
        if len(given) < 2 or len(set(given)) < len(given):
            return
        arguments = case.node.args
        names = [
            one.arg for one in (*arguments.posonlyargs, *arguments.args) if one.arg not in ("self", "cls")
        ]
        taken = [(_plain(name), place) for place, name in enumerate(names[: len(given)])]
        matched = [(given.index(name), place) for name, place in taken if name in given]
        wrong = [(names[place], given[place]) for own, place in matched if own != place]
        if len(wrong) >= 2:
            name, target = wrong[0]
            text = f'"{name}" is handed the mock of {target}: patches give their arguments from the bottom up'
            self.report(self.module.name_span(case.node), text)


def _injected(decorator: ast.expr) -> str:
    """What a patch that hands its mock to the test replaces, without the path; empty if it hands nothing."""
    if not isinstance(decorator, ast.Call) or any(k.arg in ("new", None) for k in decorator.keywords):
        return ""
    path = ast.unparse(decorator.func)
    if re.search(r"(^|\.)patch$", path) and len(decorator.args) == 1:
        target = decorator.args[0]
        if isinstance(target, ast.Constant) and isinstance(target.value, str):
            return _plain(target.value.rpartition(".")[2])
        return "?"
    if path.endswith("patch.object") and len(decorator.args) == 2:
        target = decorator.args[1]
        return _plain(str(target.value)) if isinstance(target, ast.Constant) else "?"
    return "?" if last_name(decorator) == "patch" and len(decorator.args) == 1 else ""


def _plain(name: str) -> str:
    """A name without what says that it is a mock: ``mock_load``, ``load_mock`` and ``Load`` are one."""
    words = [w for w in re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_") if w]
    return "".join(w for w in words if w not in ("mock", "mocked", "patched", "fake", "m", "spy")) or name
