"""PY082: uncallable method."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.languages.python.module import FunctionNode, names_in
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_CLASS_WIDE = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})


class UncallableMethod(PythonCheck):
    """A method cannot be called on an object of its class.

    It has no parameter for the object, so the call raises TypeError; or ``__init__`` assigns an attribute of
    the same name, so the value hides the method. Add ``self``, or rename one of the two.
    """

    ID = "PY082"
    NAME = "uncallable-method"
    MATURITY = Maturity.PREVIEW
    WORDS = ("def __init__", "():")
    DEFECT_CLASS = "method-lost"
    VALID = [
        code("""
            class A:
                @staticmethod
                def f():
                    return 1
        """),
        code("""
            class A:
                def f():
                    return 1
                x = f()
        """),
    ]
    INVALID = [
        code("""
            class A:
                def __init__(self, x):
                    self.x = x
                    self.rows = []
                async def «rows»(self):
                    return self.x
        """),
        code("""
            class A:
                def «run»():
                    return 1
        """),
    ]

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        methods = [item for item in node.body if isinstance(item, FunctionNode)]
        if not node.bases and not node.keywords and not node.decorator_list:
            self._report_missing_self(node, methods)
        maker = next((method for method in methods if method.name == "__init__"), None)
        if maker is not None and maker.args.args:
            self._report_hidden(maker, methods)

    def _report_missing_self(self, node: ast.ClassDef, methods: Sequence[FunctionNode]) -> None:
        for method in methods:
            if self._has_no_parameters(method) and method.name not in _named_in(node, methods):
                self.report(
                    self.module.name_span(method),
                    "a call on an object raises TypeError: the method has no self; add it",
                )

    def _report_hidden(self, maker: FunctionNode, methods: Sequence[FunctionNode]) -> None:
        """Report methods that an attribute of the same name hides."""
        plain = {
            method.name: method for method in methods if not method.decorator_list and method is not maker
        }
        for statement in maker.body:
            if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Attribute):
                continue
            target = statement.targets[0]
            is_own = unparse(target.value) == maker.args.args[0].arg
            if is_own and target.attr in plain and _is_value(statement.value):
                message = (
                    f"line {statement.lineno} assigns an attribute of this name, "
                    "which hides the method; rename one"
                )
                self.report(self.module.name_span(plain[target.attr]), message)

    def _has_no_parameters(self, node: FunctionNode) -> bool:
        arguments = node.args
        some = [*arguments.posonlyargs, *arguments.args, arguments.vararg]
        return not any(some) and not node.decorator_list and node.name not in _CLASS_WIDE


def _named_in(node: ast.ClassDef, methods: Sequence[FunctionNode]) -> set[str]:
    """Return the names that the class body itself uses: a function called there is not a method."""
    return set().union(*(names_in(statement) for statement in node.body if statement not in methods), set())


def _is_value(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value is not None
    return isinstance(node, (ast.List, ast.Dict, ast.Set))
