"""TE011."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround_tests.check import PythonTestCheck
from wardround_tests.module import TestCase, last_name, own_nodes

_FIND = "def test_find():\n    found = find('a')\n"


class ConditionalAssertion(PythonTestCheck):
    """Every assertion of a test stands in a branch or loop that the result itself decides about.

    If the code under test returns nothing, no assertion runs and the test passes: the failure it should show
    is the one it hides. Assert the condition first, or that there is something to loop over.
    """

    ID = "TE011"
    NAME = "conditional-assertion"
    TRIED_ON = (
        "331,000 lines of tests of flask, httpx, urllib3, celery, pytest, aiohttp, pydantic: 2 hits, "
        "both right."
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            f"{_FIND}    assert found\n    for one in found:\n        assert one.ok\n", path="test_case.py"
        ),
        Valid(
            "def test_find():\n    for name in ['a', 'b']:\n        assert find(name)\n", path="test_case.py"
        ),
        Valid(
            f"{_FIND}    if found.old:\n        assert found.a\n    else:\n        assert found.b\n",
            path="test_case.py",
        ),
        Valid(
            "import sys\ndef test_find():\n    if sys.platform == 'linux':\n        assert find('a')\n",
            path="test_case.py",
        ),
        Valid("def test_find(kind):\n    if kind == 'a':\n        assert find(kind)\n", path="test_case.py"),
        Valid("def test_find():\n    for n in range(3):\n        assert find(n)\n", path="test_case.py"),
        Valid(
            "import shop\n@given(text())\ndef test_find(name):\n    for one in shop.find(name):\n"
            "        assert one.ok\n",
            path="test_case.py",
        ),
        Valid("def test_find(rows):\n    for row in rows:\n        assert find(row)\n", path="test_case.py"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            f"{_FIND}    for one in found:\n        assert one.ok\n", line=3, column=5, path="test_case.py"
        ),
        Invalid(
            f"{_FIND}    if found:\n        assert found.name == 'a'\n", line=3, column=5, path="test_case.py"
        ),
        Invalid(
            "import shop\ndef test_find():\n    for one in shop.find('a'):\n        assert one.ok\n",
            line=3,
            column=5,
            path="test_case.py",
        ),
    ]

    def look_at(self, case: TestCase) -> None:
        made = [node for node in own_nodes(case.node.body) if self.module.asserts(node)]
        made = [node for node in made if not any(p in made for p in self.module.ancestors(node))]
        if not made or self._asserts_out_of_sight(case) or _is_run_over_many_inputs(case):
            return
        branches = {self._branch(node, case) for node in made}
        only = next(iter(branches))
        if len(branches) != 1 or only is None or not self._is_decided_by_result(only, case):
            return
        how = "the loop runs" if isinstance(only, ast.For) else "the condition holds"
        width = len("for") if isinstance(only, ast.For) else len("if")
        self.report(self.module.keyword_span(only, width), f'"{case.name}" asserts something only if {how}')

    def _asserts_out_of_sight(self, case: TestCase) -> bool:
        """Whether something else of the test can fail: a context manager, a nested function."""
        nested = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        return any(
            isinstance(node, nested) and any(self.module.asserts(n) for n in ast.walk(node))
            for node in ast.walk(case.node)
            if node is not case.node
        )

    def _branch(self, node: ast.AST, case: TestCase) -> ast.For | ast.If | None:
        """The outermost loop or branch of the test around a node."""
        found: ast.For | ast.If | None = None
        for parent in self.module.ancestors(node):
            if parent is case.node:
                break
            if isinstance(parent, (ast.While, ast.Try, ast.With, ast.AsyncWith, ast.Match, ast.AsyncFor)):
                found = None
                break
            if isinstance(parent, (ast.For, ast.If)):
                found = parent
        return found

    def _is_decided_by_result(self, branch: ast.For | ast.If, case: TestCase) -> bool:
        decided = branch.iter if isinstance(branch, ast.For) else branch.test
        if isinstance(branch, ast.If) and branch.orelse:
            return False
        if isinstance(branch, ast.For):
            return self._is_result(decided, case)
        test = decided.operand if isinstance(decided, ast.UnaryOp) else decided
        return isinstance(test, ast.Name) and self._is_result(test, case)

    def _is_result(self, node: ast.expr, case: TestCase) -> bool:
        """Whether an expression is what a call of the code under test returned, as it came."""
        if isinstance(node, ast.Await):
            node = node.value
        if isinstance(node, ast.Call):
            root = node.func
            while isinstance(root, ast.Attribute):
                root = root.value
            is_builtin = isinstance(node.func, ast.Name) and node.func.id not in self.module.imported
            about_values = last_name(node.func) in (
                "items",
                "keys",
                "values",
                "product",
                "parametrize",
                "copy",
            )
            return (
                not is_builtin
                and not about_values
                and isinstance(root, ast.Name)
                and (root.id in self.module.imported)
            )
        if isinstance(node, ast.Name):
            values = [
                n.value
                for n in own_nodes(case.node.body)
                if isinstance(n, ast.Assign)
                and any(isinstance(t, ast.Name) and t.id == node.id for t in n.targets)
            ]
            return (
                len(values) == 1
                and isinstance(values[0], (ast.Call, ast.Await))
                and not self._is_builtin(values[0])
            )
        return False

    def _is_builtin(self, node: ast.expr) -> bool:
        call = node.value if isinstance(node, ast.Await) else node
        return isinstance(call, ast.Call) and last_name(call.func) in (
            "list",
            "dict",
            "tuple",
            "set",
            "range",
            "zip",
            "sorted",
            "enumerate",
            "split",
            "splitlines",
            "glob",
            "get",
            "environ",
            "getenv",
            "product",
            "iterdir",
            "rglob",
        )


def _is_run_over_many_inputs(case: TestCase) -> bool:
    """Whether a property is tested: of many inputs, some must bring a result."""
    calls = (node.func if isinstance(node, ast.Call) else node for node in case.node.decorator_list)
    return any(last_name(call) == "given" for call in calls)
