from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.file_kinds import PYTEST_SETTINGS
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import FUNCTIONS, body_of, is_certain_assertion, last_name, own_nodes

_CASES = frozenset(
    {
        "unittest.TestCase", "unittest.IsolatedAsyncioTestCase", "django.test.TestCase",
        "django.test.SimpleTestCase", "django.test.TransactionTestCase", "rest_framework.test.APITestCase",
    }
)  # fmt: skip
"""Base classes without tests of their own."""


class UncollectedTest(PythonTestCheck):
    """A test is not collected: it never runs, and no report shows that it is missing.

    Runners collect functions named test..., and pytest collects classes named Test... without ``__init__``.
    Anything else, and functions inside another test, are ignored silently. So is a ``TestCase`` without a
    test method, and pytest skips a test that is parametrized with an empty list.
    """

    ID = "TE037"
    NAME = "uncollected-test"
    DEFECT_CLASS = "not-collected"
    VALID = [
        code("""
            class BoxTest(TestCase):
                def test_open(self):
                    self.assertTrue(Box())
                    self.is_open(1)
                def is_open(self, n):
                    self.assertEqual(n, 1)
        """),
        code(
            """
            class BoxTest(TestCase):
                def test_open(self):
                    self.assertTrue(Box())
                def should_be_open(self):
                    self.assertTrue(Box())
            """,
            others={
                "test_more.py": """
                class MoreTest(BoxTest):
                    def test(self):
                        self.should_be_open()""",
            },
        ),
    ]
    INVALID = [
        code("""
            class BoxTest(TestCase):
                def «__init__»(self, *args):
                    super().__init__(*args)
                    self.box = Box()
                def test_open(self):
                    self.assertTrue(self.box)
        """),
        code("""
            from unittest import TestCase
            class «BoxTest»(TestCase):
                def check_open(self):
                    self.assertTrue(Box())
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        words = ("class ", "    def test", "fixture", "parametrize")
        return "assert" in source.text and any(word in source.text for word in words)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        if not self.module.is_collected or self.module.function_of(node) is not None:
            return
        methods = [statement for statement in node.body if isinstance(statement, FUNCTIONS)]
        if any(map(_has_test_name, methods)):
            self._check_class(node, methods)
        else:
            self._report_without_tests(node, methods)

    def _check_class(self, node: ast.ClassDef, methods: Sequence[FunctionNode]) -> None:
        """Check a class with tests: whether it is collected, and the methods that look like tests."""
        is_plain = not node.bases and not node.keywords and not node.decorator_list
        if is_plain and not self._is_collected_class(node, methods):
            return
        if node.bases:
            self._check_constructor(methods)
        for method in methods:
            if not _has_test_name(method) and self._is_test(method):
                text = f'"{method.name}" is not collected; name it test_...'
                self.report(self.module.name_span(method), text)

    def _check_constructor(self, methods: Sequence[FunctionNode]) -> None:
        """Report a constructor of a TestCase that creates objects."""
        constructor = next((method for method in methods if method.name == "__init__"), None)
        if constructor is not None and _creates_objects(constructor):
            text = "__init__ runs at collection, once for each test; use setUp"
            self.report(self.module.name_span(constructor), text, severity=Severity.INFO)

    def _report_without_tests(self, node: ast.ClassDef, methods: Sequence[FunctionNode]) -> None:
        """Report a TestCase whose methods assert but are not called by a runner."""
        if node.keywords or node.decorator_list or not any(map(_contains_assertion, methods)):
            return
        bases = {self.module.imported_name(base) for base in node.bases}
        if not bases or not bases <= _CASES:
            return
        if self._is_known(node.name) or self._is_used(node.name) or any(map(_is_run, methods)):
            return
        text = f'"{node.name}" has no method named test..., so none of it runs'
        self.report(self.module.name_span(node), text)

    def _is_collected_class(self, node: ast.ClassDef, methods: Sequence[FunctionNode]) -> bool:
        """Report a class that pytest does not collect; return True if it does."""
        if not node.name.startswith("Test"):
            if not self._is_known(node.name) and self._uses_default_classes and not self._is_used(node.name):
                text = f'pytest collects only classes named Test..., so none of "{node.name}" runs'
                self.report(self.module.name_span(node), text)
            return False
        constructor = next((method for method in methods if method.name == "__init__"), None)
        if constructor is not None:
            text = f'pytest does not collect "{node.name}" because it has an __init__; use a fixture'
            self.report(self.module.name_span(constructor), text)
            return False
        return True

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Report a test that is decorated as a fixture, which runs only where requested."""
        if not node.name.startswith("test_") or not self.module.is_collected:
            return
        is_fixture = any(last_name(decorator) == "fixture" for decorator in node.decorator_list)
        if is_fixture and _contains_assertion(node) and self.module.text.count(node.name) == 1:
            text = f'"{node.name}" is a fixture that nothing requests, so it never runs; remove the decorator'
            self.report(self.module.name_span(node), text)

    def check_test(self, case: TestCase) -> None:
        for values in filter(None, map(_empty_cases, case.node.decorator_list)):
            text = f'pytest skips "{case.name}": no parameter sets; add one or remove the test'
            self.report(self.module.span(values), text)
        for statement in case.node.body:
            if isinstance(statement, FUNCTIONS) and self._is_nested_test(statement, case):
                text = f'"{statement.name}" is nested in "{case.name}" and never runs; move it out'
                self.report(self.module.name_span(statement), text)

    def _is_nested_test(self, function: FunctionNode, case: TestCase) -> bool:
        """Return True if a nested function is a test that the enclosing one does not use."""
        if (
            not re.match(r"test_[a-z]", function.name)
            or function.decorator_list
            or not _contains_assertion(function)
        ):
            return False
        names = (n.id for n in self.module.all_nodes_of(case) if isinstance(n, ast.Name))
        if any(name == function.name for name in names):
            return False
        return not re.search(r"\b(locals|exec|eval)\(", self.module.text_of(case.node))

    def _is_test(self, method: FunctionNode) -> bool:
        """Return True if a method is a test except for its name, and nothing calls it."""
        arguments = method.args
        if (
            method.decorator_list
            or method.name.startswith(("_", "test"))  # both runners collect every method named test...
            or len(arguments.args) != 1
            or arguments.vararg
        ):
            return False
        if re.match(
            r"(?i)set_?up|tear_?down|run|id$|assert|check|verify|expect|given|when|then|and_|step|runtest|shortdesc",
            method.name,
        ):
            return False
        return _contains_assertion(method) and not self._is_used(method.name)

    def _is_used(self, name: str) -> bool:
        """Return True if another file, or another line of this one, names a function or class."""
        if self.module.names.words[name] > 1:
            return True
        return any(path != self.module.path for path in self.source.project.files_with_word([name], ["*.py"]))

    def _is_known(self, name: str) -> bool:
        return (
            re.search(r"(?i)mixin|base|abstract|common|cases?$|suite|template|shared|fake|stub|mock", name)
            is not None
        )

    @property
    def _uses_default_classes(self) -> bool:
        """True if pytest collects classes by its default pattern."""
        settings = (self.source.project.read(path) for path in PYTEST_SETTINGS)
        return not any(text and "python_classes" in text for text in settings)


def _has_test_name(method: FunctionNode) -> bool:
    return re.match(r"test(_|[A-Z])", method.name) is not None


def _is_run(method: FunctionNode) -> bool:
    """Return True if unittest runs a method."""
    return method.name == "runTest" or method.name.startswith("test")


def _empty_cases(decorator: ast.expr) -> ast.expr | None:
    """Return the empty list of parameter sets of a decorator, if there is one."""
    if not isinstance(decorator, ast.Call) or last_name(decorator) != "parametrize":
        return None
    named = [keyword.value for keyword in decorator.keywords if keyword.arg == "argvalues"]
    for values in (*decorator.args[1:2], *named):
        if isinstance(values, (ast.List, ast.Tuple)) and not values.elts:
            return values
    return None


def _creates_objects(constructor: FunctionNode) -> bool:
    """Return True if a constructor creates objects for the tests beyond its base class."""
    return any(
        isinstance(n, ast.Assign)
        and isinstance(n.value, ast.Call)
        and isinstance(n.targets[0], ast.Attribute)
        and unparse(n.targets[0].value) == "self"
        for n in constructor.body
    )


def _contains_assertion(function: FunctionNode) -> bool:
    return any(is_certain_assertion(node) for node in own_nodes(body_of(function)))
