from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import FUNCTIONS, last_name, own_nodes

_DRAWS = LazyPattern(
    r"^(random\.(random|randint|randrange|choice|choices|sample|shuffle|uniform|gauss|normalvariate|getrandbits)|"
    r"numpy\.random\.(rand|randn|randint|random|random_sample|choice|normal|uniform|permutation|shuffle|"
    r"standard_normal|poisson|binomial|exponential|beta|gamma)|"
    r"torch\.(rand|randn|randint|randperm)|"
    r"secrets\.(choice|randbelow)|numpy\.random\.(random_integers|uniform|integers|bytes|laplace|lognormal))$"
)
_SEEDED = LazyPattern(r"(?i)\bseed\b|seed_|_seed|random_state|hypothesis|randomly")
_SOURCES = frozenset(
    {
        "faker.Faker", "faker.Factory.create", "random.Random", "numpy.random.default_rng",
        "numpy.random.RandomState", "mimesis.Generic", "mimesis.Person",
    }
)  # fmt: skip
"""Sources of random values when created without a seed."""

_UNIQUE_TEXT = LazyPattern(
    r"letters|alpha|\d{6}|digits|lowercase|uppercase|hexdigits|alphabet|string\.|chars|\bport|65535"
)
_UNIQUE = LazyPattern(
    r"(?i)(^|_)(u?u?id|name|e?mail|key|token|suffix|prefix|slug|port|path|file|label|title|tag|nonce|salt|string|str|"
    r"text|word|username|login|phone|address|unique|secret|password)s?(_|$|\d)"
)
"""Names of values that only have to be unique."""
_WORDS = ("random", "faker", "torch", "secrets", "mimesis")


class RandomInTest(PythonTestCheck):
    """A test uses random values without a seed.

    A failing run cannot be reproduced, and the next one passes. Use a Random instance with a seed that the
    failure prints, or hypothesis, which does so.
    """

    ID = "TE008"
    NAME = "random-in-test"
    SEVERITY = Severity.INFO
    VALID = [
        code("""
            from faker import Faker
            fake = Faker()
            Faker.seed(7)
            def test_name():
                assert short(fake.name())
        """),
        code("""
            def test_name(faker):
                assert short(faker.name())
        """),
    ]
    INVALID = [
        code("""
            import random
            import pytest
            @pytest.fixture
            def items():
                return [Item(weight=«random.randint(1, 40)») for _ in range(30)]
            def test_pack(items):
                assert len(pack(items)) <= 15
        """),
        code("""
            import random
            def make_order():
                return Order(total=«random.uniform(1, 9)»)
            def test_pay():
                assert pay(make_order()).fee < 1
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        text = source.text
        return any(word in text for word in _WORDS) and _SEEDED.search(text) is None

    def check_test(self, case: TestCase) -> None:
        draw = self._first_draw(case.node.body)
        if draw is not None:
            self._report(draw)

    def visit_Module(self, node: ast.Module) -> None:
        """Check the values that fixtures, helpers and parameters provide to tests."""
        for function in self.module.support_functions:
            self._check_provider(function)
        for case in self.module.tests:
            for decorator in case.node.decorator_list:
                if isinstance(decorator, ast.Call) and last_name(decorator) == "parametrize":
                    self._check_provider(decorator)
        if self.module.is_collected:
            for statement in node.body:
                if isinstance(statement, ast.Assign):
                    self._check_provider(statement)
        elif self._is_for_tests:
            self._check_source(node)

    def _check_provider(self, node: ast.AST) -> None:
        """Report the first random value whose content matters, not only its uniqueness."""
        body = node.body if isinstance(node, FUNCTIONS) else [node]
        draw = self._first_draw(body, named=False)
        if draw is not None:
            self._report(draw)

    def _check_source(self, node: ast.Module) -> None:
        """Report a source of values that the factories of a support module use."""
        owners = [part.value for part in self.module.nodes if isinstance(part, ast.Attribute)]
        used = _names_among(owners)
        for statement in node.body:
            if not isinstance(statement, ast.Assign) or not self._is_source(statement.value):
                continue
            if not used.isdisjoint(_names_among(statement.targets)):
                text = f"{unparse(statement.value)[:40]} has no seed; a failure cannot be reproduced"
                self.report(self.module.span(statement), text)
                return

    @property
    def _is_for_tests(self) -> bool:
        """True if a module supports tests without being one."""
        return re.search(r"(^|/)(tests?|testing)/|factor|conftest", self.module.path) is not None

    def _first_draw(self, statements: Sequence[ast.AST], named: bool = True) -> ast.Call | None:
        for node in own_nodes(statements):
            if (
                isinstance(node, ast.Call)
                and self._random_call(node)
                and not _UNIQUE_TEXT.search(unparse(node))
                and (named or not self._is_name(node))
            ):
                return node
        return None

    def _is_name(self, node: ast.Call) -> bool:
        """Return True if a random value only has to be unique."""
        for parent in self.module.ancestors(node):
            if isinstance(parent, (ast.JoinedStr, ast.FormattedValue)):
                return True
            if isinstance(parent, ast.keyword) and parent.arg and _UNIQUE.search(parent.arg):
                return True
            if isinstance(parent, ast.Assign) and _UNIQUE.search(unparse(parent.targets[0])):
                return True
            if isinstance(parent, FUNCTIONS):
                return _UNIQUE.search(parent.name) is not None
        return False

    def _report(self, node: ast.Call) -> None:
        text = f"{self._random_call(node)}() has no seed; a failure cannot be reproduced"
        self.report(self.module.span(node), text)

    def _random_call(self, call: ast.Call) -> str:
        """Return the function that draws a random value, as called; empty if the call does not."""
        name = self.module.imported_name(call.func)
        if name and _DRAWS.match(name):
            return name
        if isinstance(call.func, ast.Attribute):
            owner = call.func.value
            if isinstance(owner, ast.Call) and self._is_source(owner):
                return unparse(call.func)
            root = owner
            while isinstance(root, ast.Attribute):
                root = root.value
            return unparse(call.func) if isinstance(root, ast.Name) and root.id in self._sources else ""
        return ""

    def _is_source(self, node: ast.AST) -> bool:
        if not isinstance(node, ast.Call) or any(isinstance(a, ast.Constant) and isinstance(a.value, int)
                                                 for a in node.args):  # fmt: skip
            return False
        return self.module.imported_name(node.func) in _SOURCES

    @cached_property
    def _sources(self) -> frozenset[str]:
        """Variables that hold a source of random values."""
        return frozenset(
            target.id
            for node in self.module.nodes
            if isinstance(node, ast.Assign) and self._is_source(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        )


def _names_among(nodes: Sequence[ast.expr]) -> set[str]:
    return {node.id for node in nodes if isinstance(node, ast.Name)}
