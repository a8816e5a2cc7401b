"""TE025: swapped parameters of stacked patches."""

from __future__ import annotations

import ast
import re
from typing import ClassVar

from wardround.checks.cases import code
from wardround.languages.python.tree import unparse
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import last_name


class PatchArgumentsSwapped(PythonTestCheck):
    """The parameters of stacked patches are in the wrong order.

    ``patch`` decorators are applied from the bottom up, so the lowest one provides the first argument. With
    swapped names the test configures one mock and inspects another. Reverse the parameters.
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

    def check_test(self, case: TestCase) -> None:
        injected = list(filter(None, map(_injected, reversed(case.node.decorator_list))))
        if len(injected) < 2 or len(set(injected)) < len(injected):
            return
        arguments = (*case.node.args.posonlyargs, *case.node.args.args)
        names = [one.arg for one in arguments if one.arg not in ("self", "cls")]
        wrong = [
            (name, target)
            for name, target in zip(names, injected, strict=False)
            if _plain(name) in injected and _plain(name) != target
        ]
        if len(wrong) >= 2:
            name, target = wrong[0]
            text = f'"{name}" receives the mock of {target}: patches apply bottom up'
            self.report(self.module.name_span(case.node), text)


def _injected(decorator: ast.expr) -> str:
    """Return the replaced name of a patch that passes a mock to the test; empty if it does not."""
    if not isinstance(decorator, ast.Call) or any(k.arg in ("new", None) for k in decorator.keywords):
        return ""
    path, arguments = unparse(decorator.func), decorator.args
    if path.endswith("patch.object") and len(arguments) == 2:
        target = arguments[1]
        return _plain(str(target.value)) if isinstance(target, ast.Constant) else "?"
    if last_name(decorator) != "patch" or len(arguments) != 1:
        return ""
    return _name_of_target(arguments[0]) if re.search(r"(^|\.)patch$", path) else "?"


def _name_of_target(target: ast.expr) -> str:
    if isinstance(target, ast.Constant) and isinstance(target.value, str):
        return _plain(target.value.rpartition(".")[2])
    return "?"


def _plain(name: str) -> str:
    """Return a name without words for a mock: ``mock_load``, ``load_mock`` and ``Load`` are equal."""
    words = [w for w in re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_") if w]
    return "".join(w for w in words if w not in ("mock", "mocked", "patched", "fake", "m", "spy")) or name
