"""TE031: assertions on the order of unordered collections."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import code
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import FUNCTIONS, either_order, equality_operands

_LISTED = frozenset({"os.listdir", "os.scandir", "glob.glob", "glob.iglob"})
_LISTING = frozenset({"iterdir", "glob", "rglob"})
_OF_SETS = frozenset({"union", "intersection", "difference", "symmetric_difference"})


class UnorderedCollectionOrderAsserted(PythonTestCheck):
    """A test asserts the order of an unordered collection.

    A set of strings has another order in another process, and directory listings depend on the file system:
    the test fails intermittently or on another machine. Compare sets, or sort first.
    """

    ID = "TE031"
    NAME = "unordered-collection-order-asserted"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "unordered-collection"
    WORDS: ClassVar[tuple[str, ...]] = ("set(", "{", "listdir", "iterdir", "glob(", "scandir")
    VALID = [
        code("""
            import os
            def test_tags(tmp_path):
                assert sorted(os.listdir(tmp_path)) == ['a', 'b']
        """),
        code("""
            import os
            def test_tags(tmp_path):
                assert set(tags()) == {'a', 'b'}
        """),
    ]
    INVALID = [
        code("""
            import os
            def test_tags(tmp_path):
                «assert os.listdir(tmp_path) == ['a', 'b']»
        """),
        code("""
            import os
            def test_tags(tmp_path):
                names = [one.name for one in tmp_path.iterdir()]
                «assert names == ['a', 'b']»
        """),
    ]

    def check_test(self, case: TestCase) -> None:
        nodes = self.module.nodes_of(case)
        self._bound: dict[str, ast.expr] = {}
        for node in nodes:
            for side, other in (
                either_order(equality_operands(node)) if isinstance(node, (ast.Assert, ast.Call)) else ()
            ):
                if not _is_ordered(other):
                    continue
                if not self._bound:
                    self._bound = _bound(case.node)
                what = self._unordered(side) or self._built_from_set(side, other, nodes)
                if what:
                    assert isinstance(node, (ast.expr, ast.stmt))
                    self.report(self.module.span(node), f"{what} has no order; compare sets or sort first")
                    break

    def _unordered(self, node: ast.expr) -> str:
        """Return the unordered collection a value is built from; empty if it has an order."""
        if isinstance(node, ast.Name) and node.id in self._bound:
            return self._unordered(self._bound[node.id])
        if isinstance(node, ast.ListComp):
            return self._source(node.generators[0].iter) if len(node.generators) == 1 else ""
        if not isinstance(node, ast.Call):
            return ""
        if self.module.imported_name(node.func) in _LISTED:
            return "a directory listing"
        if isinstance(node.func, ast.Name) and node.func.id in ("list", "tuple", "enumerate") and node.args:
            return self._source(node.args[0])
        is_join = isinstance(node.func, ast.Attribute) and node.func.attr == "join" and len(node.args) == 1
        return self._source(node.args[0]) if is_join else ""

    def _source(self, node: ast.expr) -> str:
        """Return the unordered collection that is iterated over; empty if it has an order."""
        if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
            return self._source(node.generators[0].iter) if len(node.generators) == 1 else ""
        if isinstance(node, ast.Name) and node.id in self._bound:
            return self._source(self._bound[node.id])
        if self._is_set(node):
            return "a set"
        if isinstance(node, ast.Call):
            is_listing = isinstance(node.func, ast.Attribute) and node.func.attr in _LISTING
            if is_listing or self.module.imported_name(node.func) in _LISTED:
                return "a directory listing"
        return ""

    def _is_set(self, node: ast.expr) -> bool:
        if isinstance(node, (ast.Set, ast.SetComp)):
            return True
        if isinstance(node, ast.Name) and node.id in self._bound:
            return self._is_set(self._bound[node.id])
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.Sub, ast.BitXor)):
            return self._is_set(node.left) or self._is_set(node.right)
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                return node.func.id in ("set", "frozenset")
            is_of_sets = isinstance(node.func, ast.Attribute) and node.func.attr in _OF_SETS
            return is_of_sets and isinstance(node.func, ast.Attribute) and self._is_set(node.func.value)
        return False

    def _built_from_set(self, side: ast.expr, other: ast.expr, nodes: Sequence[ast.AST]) -> str:
        """Return a description if the test passes a set and expects a list of its elements."""
        if not _is_plain_list(side) or not isinstance(other, (ast.List, ast.Tuple)):
            return ""
        expected = {unparse(one) for one in other.elts}
        sets = (n for n in nodes if isinstance(n, ast.Set))
        return "a set" if any({unparse(e) for e in one.elts} == expected for one in sets) else ""


def _is_ordered(node: ast.expr) -> bool:
    """Return True if a value implies an order: a list of two or more, or a joined string."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return len(node.elts) > 1 and len({unparse(one) for one in node.elts}) > 1
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) > 1


def _is_plain_list(node: ast.expr) -> bool:
    """Return True if an expression is ``list(...)`` or ``tuple(...)`` without further calls."""
    if not isinstance(node, ast.Call) or unparse(node.func) not in ("list", "tuple"):
        return False
    return not any(isinstance(n, ast.Call) for n in walk(node) if n is not node)


def _bound(function: ast.AST) -> dict[str, ast.expr]:
    """Return the names that a test binds once and does not sort."""
    found: dict[str, list[ast.expr]] = {}
    for node in walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "sort":
            found.setdefault(unparse(node.func.value), []).extend([node, node])
        elif isinstance(node, (*FUNCTIONS, ast.Lambda)) and node is not function:
            found.update({one.arg: [] for one in node.args.args})
    once = {name: values[0] for name, values in found.items() if len(values) == 1}
    return {name: value for name, value in once.items() if not _mentions(value, name)}


def _mentions(value: ast.expr, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in walk(value))
