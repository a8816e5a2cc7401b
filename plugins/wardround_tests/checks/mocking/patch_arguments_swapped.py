"""TE025."""

from __future__ import annotations

import ast
import re
from typing import ClassVar

from wardround.checks.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase, last_name


class PatchArgumentsSwapped(PythonTestCheck):
    """The mocks of stacked patches arrive under each other's names.

    ``patch`` decorators are applied from the bottom up, so the lowest one gives the first argument. Under
    the wrong name the test sets up one mock and asks another. Turn the parameters round.
    """

    ID = "TE025"
    NAME = "patch-arguments-swapped"
    DEFECT_CLASS = "patch-argument-order"
    WORDS: ClassVar[tuple[str, ...]] = ("patch",)
    VALID = [
        code("""
            from unittest.mock import patch
            @patch('job.load')
            @patch('job.store')
            def test_run(store, load):
                assert run()
        """),
        code("""
            from unittest.mock import patch
            @patch('job.load')
            @patch('job.store')
            def test_run(first, second):
                assert run()
        """),
    ]
    INVALID = [
        code("""
            from unittest.mock import patch
            @patch('job.load')
            @patch('job.store')
            def «test_run»(load, store):
                assert run()
        """),
        code("""
            from unittest import mock
            class JobTest(TestCase):
                @mock.patch.object(Job, 'load')
                @mock.patch('job.time.sleep')
                def «test_run»(self, mock_load, mock_sleep):
                    self.assertTrue(run())
        """),
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
