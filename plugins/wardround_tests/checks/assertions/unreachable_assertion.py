from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.file_kinds import PYTEST_SETTINGS
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import FUNCTIONS, body_of, is_certain_assertion, last_name, own_nodes

_THREADS = frozenset({"threading.Thread", "threading.Timer", "multiprocessing.Process"})


class UnreachableAssertion(PythonTestCheck):
    """An assertion is in a function that the test passes on, so its failure may not reach the test.

    In a thread, the failure ends only that thread. In a callback, the assertion never runs if the callback is
    not called. Record the values in the function, and assert them in the test.
    """

    ID = "TE023"
    NAME = "unreachable-assertion"
    DEFECT_CLASS = "conditional-assertion"
    VALID = [
        code("""
            import threading
            from shop import total
            def test_total():
                seen = []
                def work():
                    seen.append(total([1]))
                t = threading.Thread(target=work)
                t.start()
                t.join()
                assert seen == [1]
        """),
        code("""
            from shop import each
            def test_each():
                seen = []
                def look(x):
                    assert x
                    seen.append(x)
                each([1], look)
                assert seen == [1]
        """),
    ]
    INVALID = [
        code("""
            import threading
            from shop import total
            def test_total():
                def work():
                    «assert total([1]) == 1»
                t = threading.Thread(target=work)
                t.start()
                t.join()
        """),
        code("""
            from shop import each
            def test_each():
                def look(x):
                    «assert x == 1»
                each([1], look)
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return re.search(r"(?m)^[ \t]+(async )?def (?!test|setUp|tearDown)\w+\(", source.text) is not None

    def check_test(self, case: TestCase) -> None:
        nodes = self.module.nodes_of(case)
        nested = [node for node in nodes if isinstance(node, FUNCTIONS) and not node.decorator_list]
        for function in nested:
            first = next(filter(self._asserts_alone, own_nodes(body_of(function))), None)
            if not isinstance(first, (ast.Assert, ast.Call)) or _only_fails(function):
                continue
            if self._is_thread(function, case):
                self._check_thread(first)
            elif self._is_only_passed_on(function, case, nested):
                text = f'test passes if "{function.name}" is never called; assert the call in the test'
                self.report(self.module.span(first), text, severity=Severity.INFO)

    def _check_thread(self, assertion: ast.Assert | ast.Call) -> None:
        if not self._reports_threads:
            text = "assertion fails only its thread, and the test passes; assert in the test"
            self.report(self.module.span(assertion), text)

    def _asserts_alone(self, node: ast.AST) -> bool:
        """Return True for an assertion, not for a call of the code under test whose result is used."""
        if not is_certain_assertion(node):
            return False
        is_plain = isinstance(node, ast.Assert) or last_name(node) in _OF_FRAMEWORKS
        return is_plain or isinstance(self.module.parents[node], (ast.Expr, ast.Await, ast.withitem))

    @cached_property
    def _reports_threads(self) -> bool:
        """True if pytest turns the warning about a failed thread into a failure."""
        settings = (self.source.project.read(path) for path in PYTEST_SETTINGS)
        return any(_WARNINGS_FAIL.search(text) for text in settings if text)

    def _is_thread(self, function: FunctionNode, case: TestCase) -> bool:
        """Return True if a function runs in a thread and does not handle its failures."""
        for call in _calls(case):
            if self.module.imported_name(call.func) in _THREADS and function.name in _targets_of(call):
                return not any(isinstance(node, (ast.Try, ast.ExceptHandler)) for node in walk(function))
        return False

    def _is_only_passed_on(
        self, function: FunctionNode, case: TestCase, nested: Sequence[FunctionNode]
    ) -> bool:
        """Return True if a function is only passed on and contains all assertions, so no call is verified."""
        if _records_result(function) or any(map(self.module.asserts, own_nodes(case.node.body))):
            return False
        others = [other for other in nested if other is not function]
        if any(any(map(self.module.asserts, walk(other))) for other in others):
            return False
        calls = list(_calls(case))
        if not _is_only_argument(function.name, case, calls):
            return False
        return not any(self._invokes_argument(call, function.name) for call in calls)

    def _invokes_argument(self, call: ast.Call, name: str) -> bool:
        """Return True if a call is known to invoke its argument."""
        is_argument = any(isinstance(a, ast.Name) and a.id == name for a in call.args)
        return is_argument and re.search(_RUNNING, last_name(call.func)) is not None


def _targets_of(call: ast.Call) -> set[str]:
    """Return the names that a thread may run: its target, or its second argument."""
    targets = [keyword.value for keyword in call.keywords if keyword.arg == "target"]
    return {value.id for value in (*targets, *call.args[1:2]) if isinstance(value, ast.Name)}


def _is_only_argument(name: str, case: TestCase, calls: Sequence[ast.Call]) -> bool:
    """Return True if a name is used, and only as an argument of calls."""
    passed: set[int] = set()
    for call in calls:
        passed.update(map(id, call.args))
        passed.update(id(keyword.value) for keyword in call.keywords)
    uses = [node for node in walk(case.node) if isinstance(node, ast.Name) and node.id == name]
    return bool(uses) and passed.issuperset(map(id, uses))


_WARNINGS_FAIL = LazyPattern(r"(?m)^\s*filterwarnings\s*=[\s\[(]*['\"]?error['\"]?\s*($|[,\])#])")
"""Settings of pytest under which each warning is an error, in their TOML and INI forms."""
_OF_FRAMEWORKS = frozenset({"raises", "warns", "fail", "deprecated_call"})
_RUNNING = (
    r"(?i)^_*(run|call|invoke|apply|execute|submit|map|filter|sorted|retry|spawn|wait|eventually|all|any|loop)|"
    r"run$|sync|thread|_for$|until|benchmark"
)


def _only_fails(function: FunctionNode) -> bool:
    """Return True if a function always fails, so the test expects that nothing calls it."""
    first = body_of(function)[0]
    if isinstance(first, ast.Assert):
        return isinstance(first.test, ast.Constant) and not first.test.value
    return (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Call) and last_name(first.value) == "fail"
    )


def _calls(case: TestCase) -> Iterator[ast.Call]:
    return (n for n in own_nodes(case.node.body) if isinstance(n, ast.Call))


def _records_result(function: FunctionNode) -> bool:
    """Return True if a function records or returns something that the test can assert."""
    return any(isinstance(n, (ast.Nonlocal, ast.Global, ast.Return, ast.Yield)) for n in walk(function))
