"""PY060: mutated shared defaults."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_MUTATING_METHODS = frozenset(
    {
        "append",
        "extend",
        "insert",
        "update",
        "add",
        "pop",
        "clear",
        "remove",
        "setdefault",
        "discard",
        "popitem",
        "sort",
    }
)
_DEFAULTS = LazyPattern(r"_*([A-Z0-9]+_)*(DEFAULTS?|BASE|TEMPLATE|INITIAL|COMMON|STANDARD)(_[A-Z0-9_]+)?")


class MutatedSharedDefaults(PythonCheck):
    """A function modifies the module's shared defaults.

    Binding a list or dict to another name copies nothing: a value set by this call is visible to all
    later calls. Copy it first (``dict(DEFAULTS)``, ``DEFAULTS | {...}``).
    """

    ID = "PY060"
    NAME = "mutated-shared-defaults"
    MATURITY = Maturity.PREVIEW
    WORDS = ("DEFAULT", "BASE", "TEMPLATE", "INITIAL", "COMMON", "STANDARD")
    DEFECT_CLASS = "shared-value"
    VALID = [
        code("""
            DEFAULTS = {'a': 1}
            def f(more):
                out = dict(DEFAULTS)
                out.update(more)
                return out
        """),
        code("""
            DEFAULTS = {'a': 1}
            def f(more):
                out = DEFAULTS.copy()
                out['b'] = 2
                return out
        """),
    ]
    INVALID = [
        code("""
            DEFAULTS = {'h': {}}
            def f(t):
                out = DEFAULTS.copy()
                «out['h']['t'] = t»
                return out
        """),
        code("""
            DEFAULTS = {'a': 1}
            def f(more):
                out = DEFAULTS
                «out.update(more)»
                return out
        """),
    ]

    @cached_property
    def _shared(self) -> set[str]:
        """Collections at the top level of the module that are named as defaults."""
        return {
            target.id
            for node in self.module.tree.body
            if isinstance(node, (ast.Assign, ast.AnnAssign))
            and isinstance(node.value, (ast.Dict, ast.List, ast.Set))
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name) and _DEFAULTS.fullmatch(target.id)
        }

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if not self._shared:
            return
        names = {*self._shared, *self._aliases(node)}
        shallow = set(self._shallow_copies(node))
        for statement in walk(node):
            modified = next((item for item in _modified(statement) if item in names), None)
            modified = modified or next(iter(_modified_within(statement, shallow)), None)
            if modified is not None and isinstance(statement, ast.stmt):
                self.report(
                    self.module.span(statement),
                    f'this modifies "{modified}", which all calls share; copy it first',
                )
                return

    def _shallow_copies(self, node: ast.FunctionDef) -> Iterator[str]:
        """Yield the names of copies whose nested lists and dicts are still those of the defaults."""
        for child in walk(node):
            if isinstance(child, ast.Assign) and isinstance(child.targets[0], ast.Name):
                copied = unparse(child.value)
                if any(
                    copied in (f"{name}.copy()", f"dict({name})", f"{{**{name}}}", f"copy.copy({name})")
                    for name in self._shared
                ):
                    yield child.targets[0].id

    def _aliases(self, node: ast.FunctionDef) -> Iterator[str]:
        assignments = [n for n in walk(node) if isinstance(n, ast.Assign)]
        targets = {t.id for n in assignments for t in n.targets if isinstance(t, ast.Name)}
        for name in targets:
            values = [n.value for n in assignments if unparse(n.targets[0]) == name]
            if len(values) == 1 and isinstance(values[0], ast.Name) and values[0].id in self._shared:
                yield name


def _modified_within(statement: ast.AST, copies: set[str]) -> Iterator[str]:
    """Yield the copy whose nested collection a statement modifies."""
    target = _modified_collection(statement)
    if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and target.value.id in copies:
        yield target.value.id


def _modified_collection(statement: ast.AST) -> ast.expr | None:
    """Return the collection that a statement modifies: by an entry or by a method."""
    if isinstance(statement, (ast.Assign, ast.AugAssign)):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        return target.value if isinstance(target, ast.Subscript) else None
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        func = statement.value.func
        return func.value if isinstance(func, ast.Attribute) and func.attr in _MUTATING_METHODS else None
    return None


def _modified(statement: ast.AST) -> Iterator[str]:
    """Yield the name whose collection a statement modifies."""
    target = _modified_collection(statement)
    if isinstance(target, ast.Name):
        yield target.id
