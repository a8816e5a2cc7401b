"""PY070: super with own class."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.languages.python.module import FunctionNode, last_name
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

# Bases that do not work before their own __init__ has run.
_NEEDED = {
    "threading.Thread": "start() raises RuntimeError",
    "multiprocessing.Process": "start() raises AssertionError",
    "torch.nn.Module": "the first layer that is set raises AttributeError",
    "PyQt5.QtCore.QThread": "the first use raises RuntimeError",
    "PyQt6.QtCore.QThread": "the first use raises RuntimeError",
    "PySide6.QtCore.QThread": "the first use raises RuntimeError",
    "PyQt5.QtWidgets.QWidget": "the first use raises RuntimeError",
    "PyQt6.QtWidgets.QWidget": "the first use raises RuntimeError",
    "PySide6.QtWidgets.QWidget": "the first use raises RuntimeError",
    "pydantic.BaseModel": "every field is missing",
}


class SuperWithOwnClass(PythonCheck):
    """``super`` is called with the object's class, or ``__init__`` of a base that requires it is not called.

    ``self.__class__`` is the class of the object rather than the one that defines the method: in a subclass
    ``super(self.__class__, self)`` finds the same method again, until the recursion limit. A thread, a module
    of layers or a widget that was never initialised fails on first use. Call ``super().__init__()``.
    """

    ID = "PY070"
    NAME = "super-with-own-class"
    MATURITY = Maturity.PREVIEW
    WORDS = (
        "super(self.__class__",
        "super(type(self)",
        "Thread",
        "nn.Module",
        "Process)",
        "QWidget",
        "BaseModel)",
    )
    DEFECT_CLASS = "bad-init"
    VALID = [
        code("""
            class A(B):
                def __init__(self):
                    super().__init__()
        """),
        code("""
            class A(B):
                def __init__(self):
                    super(A, self).__init__()
        """),
    ]
    INVALID = [
        code("""
            class A(B):
                def __init__(self):
                    «super(self.__class__, self)».__init__()
        """),
        code("""
            class A(B):
                def f(self):
                    return «super(type(self), self)».f()
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        if not isinstance(node.func, ast.Name) or node.func.id != "super" or len(node.args) != 2:
            return
        if unparse(node.args[0]) in ("self.__class__", "type(self)"):
            self.report(
                self.module.span(node),
                f"{unparse(node.args[0])} is the object's class, "
                "so a subclass recurses without end; use super()",
            )

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        bases = [self.module.imported_name(base) or "" for base in node.bases]
        known = next((base for base in bases if base in _NEEDED), None)
        maker = next(
            (
                statement
                for statement in node.body
                if isinstance(statement, FunctionNode) and statement.name == "__init__"
            ),
            None,
        )
        if known is None or maker is None:
            return
        calls = [inner for inner in walk(maker) if isinstance(inner, ast.Call)]
        begun = [
            call.lineno for call in calls if last_name(call.func) in ("__init__", "super", "__setattr__")
        ]
        if not begun:
            self.report(
                self.module.name_span(maker),
                f"{known} is not initialised: {_NEEDED[known]}; call super().__init__()",
            )
        elif known == "torch.nn.Module":
            for item in maker.body:
                if item.lineno < min(begun) and isinstance(item, ast.Assign) and _sets_layer(item):
                    self.report(
                        self.module.span(item), f"before super().__init__() {_NEEDED[known]}; call it first"
                    )
                    return


def _sets_layer(node: ast.Assign) -> bool:
    target = node.targets[0]
    is_own = (
        isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
    )
    return is_own and isinstance(node.value, ast.Call) and "nn." in unparse(node.value.func)
