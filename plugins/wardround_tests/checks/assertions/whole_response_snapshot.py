"""TE019: snapshots of complete responses."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import FUNCTIONS, either_order

_FIXTURES = LazyPattern(r"^(snapshot(_\w+)?|\w+_snapshot|data_regression|file_regression)$")
_MATCHES = frozenset(
    {"assert_match", "assert_match_dir", "check", "assertMatchSnapshot", "assert_match_snapshot"}
)
_COMPLETE = LazyPattern(
    r"(\b|_)(response|resp|res|rv|page|r|client\.\w+\(.*\))\.(json\(\)|content|text|data|body|html|get_json\(\)|get_data\(|json\b|"
    r"rendered_content|output)|\.(page_source|to_html\(\)|prettify\(|model_dump\(\)|to_dict\(\)|asdict\(|"
    r"render\(\))|render_to_string\(|\basdict\(|result\.(output|stdout)|capsys\.readouterr\(\)|"
    r"^(response|resp|html|page|output|payload|body|document)$"
)
_GATHERING = LazyPattern(r"\basdict\(|\bvars\(|\.__dict__|model_dump\(\)|\.to_dict\(\)|\.(json|dict)\(\)")
"""Calls that collect all fields of an object."""


class WholeResponseSnapshot(PythonTestCheck):
    """A test's only assertion compares a complete response with a snapshot.

    It fails at every change of the response and is then updated without review; nothing states which part
    matters. Assert the relevant fields, text or status, and keep snapshots small.
    """

    ID = "TE019"
    NAME = "whole-response-snapshot"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "whole-snapshot"
    SEVERITY = Severity.INFO
    VALID = [
        code("""
            def test_page(client, snapshot):
                response = client.get('/page')
                assert response.status_code == 200
                assert response.json() == snapshot
        """),
        code("""
            def test_page(client, snapshot):
                response = client.get('/page')
                assert response.json()['title'] == snapshot
        """),
    ]
    INVALID = [
        code("""
            import dataclasses
            def everything(plan):
                return {'plan': dataclasses.asdict(plan)}
            def test_plan(data_regression):
                «data_regression.check(everything(plan_of(2)))»
        """),
        code("""
            def test_page(client, snapshot):
                «assert client.get('/page?all=1').json == snapshot»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return any(word in source.text for word in ("snapshot", "Snapshot", "_regression"))

    def check_test(self, case: TestCase) -> None:
        nodes = self.module.nodes_of(case)
        assertions = [n for n in nodes if isinstance(n, ast.Assert) or _is_match(n)]
        others = (n for n in nodes if n not in assertions)
        if len(assertions) != 1 or any(map(self.module.asserts, others)):
            return
        node = assertions[0]
        value = _snapshot_of(node, case)
        if value is not None and self._is_complete(value) and isinstance(node, (ast.Assert, ast.Call)):
            text = "snapshot covers the complete response; assert the relevant fields"
            self.report(self.module.span(node), text)

    def _is_complete(self, value: ast.expr) -> bool:
        """Return True if a value is a complete response or object, also through a helper."""
        text = unparse(value)
        if _COMPLETE.search(text) is not None and "]" not in text:
            return True
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
            return False
        helpers = [s for s in self.module.tree.body if isinstance(s, FUNCTIONS) and s.name == value.func.id]
        return any(_GATHERING.search(unparse(step)) for one in helpers for step in one.body)


def _is_match(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MATCHES


def _snapshot_of(node: ast.AST, case: TestCase) -> ast.expr | None:
    """Return the value that is compared with a snapshot; None if there is none."""
    if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare) and len(node.test.ops) == 1:
        operands = (node.test.left, node.test.comparators[0])
        return next((other for side, other in either_order(operands) if _is_snapshot(side, case)), None)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return None
    is_method = node.func.attr.lower().endswith("matchsnapshot")
    return node.args[0] if is_method or _is_snapshot(node.func.value, case) else None


def _is_snapshot(node: ast.expr, case: TestCase) -> bool:
    """Return True if an expression is a snapshot fixture of a test."""
    if not isinstance(node, ast.Name) or node.id not in case.parameters:
        return False
    return _FIXTURES.match(node.id) is not None
