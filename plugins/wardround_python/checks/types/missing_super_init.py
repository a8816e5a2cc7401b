"""PY061: missing super init."""

from __future__ import annotations

import ast
from functools import cached_property

from wardround.checks.cases import code
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck


class MissingSuperInit(PythonCheck):
    """``__init__`` does not call ``__init__`` of the base class.

    The attributes that the base sets are missing: its methods raise AttributeError on first use. Call
    ``super().__init__(...)``.
    """

    ID = "PY061"
    NAME = "missing-super-init"
    MATURITY = Maturity.PREVIEW
    WORDS = ("def __init__",)
    DEFECT_CLASS = "bad-init"
    OFF = "the classes it named in ordinary projects stood in for their base on purpose"
    VALID = [
        code("""
            class A:
                def __init__(self):
                    self.x = 1
                def f(self):
                    return self.x
            class B(A):
                def __init__(self):
                    super().__init__()
                    self.y = 2
        """),
        code("""
            class A:
                def __init__(self):
                    self.x = 1
                def f(self):
                    return self.x
            class B(A):
                def __init__(self):
                    self.x = 2
        """),
    ]
    INVALID = [
        code("""
            class A:
                def __init__(self):
                    self.x = 1
                def f(self):
                    return self.x
            class B(A):
                def «__init__»(self):
                    pass
                def g(self):
                    return self.x
        """),
        code("""
            class A:
                def __init__(self, link):
                    self.link = link
                def send(self, t):
                    self.link.send(t)
            class B(A):
                def «__init__»(self, link, name):
                    self.name = name
                def greet(self):
                    self.send(self.name)
        """),
    ]

    @cached_property
    def _classes(self) -> dict[str, ast.ClassDef]:
        return {n.name: n for n in self.module.tree.body if isinstance(n, ast.ClassDef)}

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        maker = _method(node, "__init__")
        bases = [self._classes[b.id] for b in node.bases if isinstance(b, ast.Name) and b.id in self._classes]
        if maker is None or len(node.bases) != 1 or len(bases) != 1 or bases[0] is node:
            return
        of_base = _method(bases[0], "__init__")
        if of_base is None or "__init__" in unparse(ast.Module(maker.body, [])):
            return
        lacking = _sets(of_base) - _sets_anywhere(node) - _class_level_names(bases[0])
        own = [method for method in node.body if isinstance(method, FunctionNode)]
        names = {method.name for method in own}
        inherited = [
            m
            for m in bases[0].body
            if isinstance(m, FunctionNode) and m.name not in names and m is not of_base
        ]
        read = set().union(*map(_reads, own))
        used = read | set().union(*(_reads(method) for method in inherited if method.name in read))
        missed = sorted(lacking & used)
        if missed:
            self.report(
                self.module.name_span(maker),
                f"without {bases[0].name}.__init__() its methods have no self.{missed[0]}; "
                "call super().__init__()",
            )


def _method(node: ast.ClassDef, name: str) -> FunctionNode | None:
    results = [n for n in node.body if isinstance(n, FunctionNode) and n.name == name]
    return results[0] if len(results) == 1 else None


def _sets(function: FunctionNode) -> set[str]:
    return {
        n.attr
        for n in walk(function)
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and unparse(n.value) == "self"
    }


def _sets_anywhere(node: ast.ClassDef) -> set[str]:
    results = {n.attr for n in walk(node) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    results |= {
        n.target.id for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
    }
    results |= {
        t.id for n in node.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)
    }
    return results | {n.name for n in node.body if isinstance(n, FunctionNode)}


def _reads(function: FunctionNode) -> set[str]:
    return {n.attr for n in walk(function) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)}


def _class_level_names(node: ast.ClassDef) -> set[str]:
    """Return the names that the body of a class binds to values."""
    assigned = {
        target.id
        for statement in node.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    return assigned | {
        statement.target.id
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
        and statement.value is not None
        and isinstance(statement.target, ast.Name)
    }
