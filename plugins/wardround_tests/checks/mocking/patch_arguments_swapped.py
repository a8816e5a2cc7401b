from __future__ import annotations

import ast
import re
from typing import ClassVar

from wardround.languages.python.tree import unparse
from wardround.rules.cases import code
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
        injected = list(filter(None, map(_injected_name, reversed(case.node.decorator_list))))
        if len(injected) < 2 or len(set(injected)) < len(injected):
            return
        arguments = (*case.node.args.posonlyargs, *case.node.args.args)
        names = [argument.arg for argument in arguments if argument.arg not in ("self", "cls")]
        wrong = [
            (name, target)
            for name, target in zip(names, injected, strict=False)
            if _plain(name) in injected and _plain(name) != target
        ]
        if len(wrong) >= 2:
            name, target = wrong[0]
            text = f'"{name}" receives the mock of {target}: patches apply bottom up'
            self.report(self.module.name_span(case.node), text)


def _injected_name(decorator: ast.expr) -> str:
    """Return the replaced name of a patch that passes a mock to the test; empty if it does not."""
    if not isinstance(decorator, ast.Call) or any(k.arg in ("new", None) for k in decorator.keywords):
        return ""
    path = unparse(decorator.func)
    match decorator.args:
        case [_, target] if path.endswith("patch.object"):
            return _plain(str(target.value)) if isinstance(target, ast.Constant) else "?"
        case [target] if last_name(decorator) == "patch":
            return _name_of_target(target) if re.search(r"(^|\.)patch$", path) else "?"
    return ""


def _name_of_target(target: ast.expr) -> str:
    if isinstance(target, ast.Constant) and isinstance(target.value, str):
        return _plain(target.value.rpartition(".")[2])
    return "?"


def _plain(name: str) -> str:
    """Return a name without words for a mock: ``mock_load``, ``load_mock`` and ``Load`` are equal."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_")
    return "".join(word for word in words if word not in _WORDS_OF_MOCKS) or name


_WORDS_OF_MOCKS = ("mock", "mocked", "patched", "fake", "m", "spy")
