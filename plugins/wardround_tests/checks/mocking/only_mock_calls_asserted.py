from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.fixtures import SET_UP
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import last_name

_LOOSE = frozenset({"assert_called", "assert_called_once", "assert_awaited", "assert_awaited_once"})


class OnlyMockCallsAsserted(PythonTestCheck):
    """A test only asserts that a mock was called, not with which arguments or with which result.

    Wrong arguments and wrong results pass. Assert the arguments with assert_called_once_with, and the result
    of the call under test as well. Not reported if the mocked function is called without arguments.
    """

    ID = "TE004"
    NAME = "only-mock-calls-asserted"
    SEVERITY = Severity.INFO
    VALID = [
        code("""
            from unittest import mock
            def test_pay(mail):
                pay(mail)
                mail.send.assert_called_once_with('paid')
        """),
        code("""
            from unittest import mock
            def test_pay(mail):
                assert pay(mail) == 3
                mail.send.assert_called_once()
        """),
    ]
    INVALID = [
        code("""
            from unittest.mock import patch
            from shop import monthly
            @patch('shop.monthly.send')
            @patch('shop.monthly.render')
            @patch('shop.monthly.load')
            def «test_run»(load, render, send):
                monthly.run(2)
                load.assert_called_once_with(2)
                render.assert_called_once_with(load.return_value)
                send.assert_called_once_with(render.return_value)
        """),
        code("""
            from unittest import mock
            def «test_pay»(mail):
                pay(mail)
                assert mail.send.call_count == 1
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        words = ("assert_called", "assert_awaited", "assert_has_calls", ".called", ".call_count")
        return any(word in source.text for word in words)

    def check_test(self, case: TestCase) -> None:
        assertions = [node for node in self.module.nodes_of(case) if self.module.asserts(node)]
        if not assertions:
            return
        if all(map(_is_loose, assertions)):
            if self._assert_all_of_the_calls(assertions):
                return
            text = f'"{case.name}" only asserts that a mock was called; assert the arguments too'
            self.report(self.module.name_span(case.node), text)
        elif all(map(_is_of_mock, assertions)):
            self._check_replaced_functions(case, assertions)
            if not any(result.span == self.module.name_span(case.node) for result in self.results):
                self._check_discarded(case, assertions)

    def _assert_all_of_the_calls(self, assertions: Sequence[ast.AST]) -> bool:
        """Return True if the modules that a test imports call each mock, and never with an argument."""
        from wardround_tests.analysis.calls_without_arguments import has_no_arguments

        modules = [text for text in map(self._read_source, self._imported_modules()) if text]
        names = {_mock_name(assertion) for assertion in assertions}
        return bool(modules) and all(has_no_arguments(name, modules) for name in names)

    def _imported_modules(self) -> list[str]:
        """Return the modules that a test imports, and those from which it imports names."""
        imported = self.module.imported.values()
        return list(
            dict.fromkeys(name for dotted in imported for name in (dotted, dotted.rpartition(".")[0]))
        )

    def _check_discarded(self, case: TestCase, assertions: Sequence[ast.AST]) -> None:
        """Report a test that only asserts the calls of its mocks and discards the result."""
        mocks = set(_receivers(assertions))
        if _ON_CALLS.search(case.name) or any(_COMMAND.search(mock.rpartition(".")[2]) for mock in mocks):
            return
        if not mocks <= self._configured_mocks(case):
            return
        roots = {mock.partition(".")[0] for mock in mocks} - {"self"}
        for call in self._discarded_calls(case, assertions):
            root = unparse(call).partition(".")[0]
            if root not in roots and self._returns_result(call):
                text = f'"{case.name}" discards the result of {last_name(call.func)}(); assert it'
                self.report(self.module.name_span(case.node), text)
                return

    def _discarded_calls(self, case: TestCase, assertions: Sequence[ast.AST]) -> Iterator[ast.Call]:
        """Yield the calls other than assertions whose result a test discards."""
        for node in self.module.nodes_of(case):
            if isinstance(node, ast.Expr) and node.value not in assertions:
                call = node.value.value if isinstance(node.value, ast.Await) else node.value
                if isinstance(call, ast.Call):
                    yield call

    def _configured_mocks(self, case: TestCase) -> set[str]:
        """Return the mocks with a configured return value, in a test or its set-up, verbatim."""
        functions = self.module.support_functions
        makers = [function for function in functions if function.name in SET_UP | case.parameters]
        mocks = set(_configured_in(case.node))
        returned: dict[str, str] = {}
        for maker in makers:
            mocks.update(_configured_in(maker))
            value = _last_result(maker)
            if value:
                returned[maker.name] = value
        aliases = [_aliases(name, value, mocks) for name, value in returned.items()]
        return mocks.union(*map(set, aliases))

    def _returns_result(self, call: ast.Call) -> bool:
        """Return True if the called function returns a result, judged by its source."""
        name = last_name(call.func)
        if name.startswith("_") or _COMMAND.search(name):
            return False
        sources = [
            text
            for dotted in self.module.imported.values()
            if "." in dotted
            and (text := self._read_source(dotted.rpartition(".")[0]))
            and f"def {name}(" in text
        ]
        return any(_returns_call_result(text, name) for text in sources)

    def _read_source(self, module: str) -> str | None:
        path = module.lstrip(".").replace(".", "/")
        texts = (self.source.project.read(f"{root}{path}.py") for root in ("", "src/"))
        return next((text for text in texts if text is not None), None)

    def _check_replaced_functions(self, case: TestCase, assertions: Sequence[ast.AST]) -> None:
        """Report a test that replaces all steps of a function and only asserts the arguments passed to
        them.
        """
        if not any(map(_expects_passed_value, assertions)):
            return
        calls = [n for n in self.module.nodes_of(case) if isinstance(n, ast.Call)]
        patched = Counter(filter(None, map(self._patched_module, (*case.node.decorator_list, *calls))))
        called = {(self.module.imported_name(n.func) or "").rpartition(".")[0] for n in calls}
        for home, count in patched.items():
            if count >= _STEPS and home in called:
                text = f'"{case.name}" replaces every step of {home} and asserts only mock calls'
                self.report(self.module.name_span(case.node), text)
                return

    def _patched_module(self, node: ast.expr) -> str:
        """Return the module in which a decorator or call replaces a function."""
        if not isinstance(node, ast.Call) or not node.args:
            return ""
        target = node.args[0]
        if (
            last_name(node.func) == "patch"
            and isinstance(target, ast.Constant)
            and isinstance(target.value, str)
        ):
            return target.value.rpartition(".")[0]
        return self.module.imported_name(target) or "" if last_name(node.func) == "object" else ""


def _receivers(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Yield the objects whose methods are called, as code."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield unparse(node.func.value)


_COMMAND = LazyPattern(
    r"(?i)^(save|create|add|update|delete|remove|send|post|put|patch|publish|write|insert|execute|commit|run|call|"
    r"charge|notify|emit|enqueue|store|upload|register|set|push|dispatch|submit|start|stop|open|close|mark|apply|"
    r"refund|pay|log|handle|process|trigger|invoke|perform|persist|record|deliver|queue|schedule|cancel|lock)"
)
"""Methods that are called for their side effect, so that asserting the arguments is sufficient."""
_ON_CALLS = LazyPattern(
    r"(?i)(^|_)(uses?|calls?|called|calling|pass(es|ed)?|delegates?|asks?|forwards?|quer(y|ies)|invokes?|requests?|"
    r"once|only|caches?|cached|with|limits?|times|retr(y|ies))(_|$)"
)
"""Names of tests whose subject is the calls."""
_RETURNED = r"(?ms)^(?P<indent>[ ]*)(async )?def {name}\(.*?(?=^(?P=indent)\S|\Z)"
_STEPS = 3
"""Number of replaced functions of one module above which nothing of their caller is tested."""


def _returns_call_result(text: str, name: str) -> bool:
    """Return True if a function in a text returns something derived from its calls."""
    found = re.search(_RETURNED.format(name=re.escape(name)), text)
    returned = re.findall(r"(?m)^ +return (.+)$", found[0]) if found else []
    return any(
        not re.match(r"(None|True|False|self)\b|(await )?self\.\w+\.\w+\(", expression)
        for expression in returned
    )


def _is_plain(value: ast.expr) -> bool:
    """Return True if a return value is too plain for a result to be derived from it."""
    if isinstance(value, ast.Constant):
        return value.value in (None, True, False)
    return isinstance(value, ast.Call) and not value.args and not value.keywords


def _is_of_mock(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node).startswith(
        ("assert_called", "assert_awaited", "assert_has")
    )


def _expects_passed_value(node: ast.AST) -> bool:
    """Return True if an assertion expects that a mock received the return value of another one."""
    return isinstance(node, ast.Call) and any(
        isinstance(n, ast.Attribute) and n.attr == "return_value" for a in node.args for n in walk(a)
    )


def _is_loose(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        test = node.test
        if isinstance(test, ast.Compare) and isinstance(test.comparators[0], ast.Constant):
            test = test.left
        return isinstance(test, ast.Attribute) and test.attr in ("called", "call_count", "await_count")
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _LOOSE


def _mock_name(node: ast.AST) -> str:
    """Return the last name of the mock of a loose assertion: ``send`` of ``mail.send.assert_called()``."""
    if isinstance(node, ast.Assert):
        test = node.test.left if isinstance(node.test, ast.Compare) else node.test
        return last_name(test.value) if isinstance(test, ast.Attribute) else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return last_name(node.func.value)
    return ""


def _configured_in(function: ast.AST) -> Iterator[str]:
    """Yield the mocks whose return value or side effect a function sets."""
    for node in walk(function):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if not isinstance(node, ast.Assign) or not isinstance(target, ast.Attribute):
            continue
        if target.attr in ("return_value", "side_effect") and not _is_plain(node.value):
            yield unparse(target.value)


def _last_result(function: FunctionNode) -> str:
    """Return the expression that a function returns last, verbatim; empty if none."""
    last = function.body[-1]
    return unparse(last.value) if isinstance(last, ast.Return) and last.value else ""


def _aliases(name: str, own: str, mocks: set[str]) -> Iterator[str]:
    """Yield the names under which a test has the mocks of an object that a fixture returns."""
    return (f"{name}{mock[len(own) :]}" for mock in mocks if mock.startswith(f"{own}."))
