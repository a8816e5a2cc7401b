"""PY060."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_CHANGES = frozenset(
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
    """A function changes the defaults that all calls start from.

    Giving a list or dict another name copies nothing: what this call sets is there for all later ones. Copy
    it first (``dict(DEFAULTS)``, ``DEFAULTS | {...}``).
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
    def _made(self) -> set[str]:
        """The collections at the top of the module that are called defaults."""
        return {
            target.id
            for node in self.module.tree.body
            if isinstance(node, (ast.Assign, ast.AnnAssign))
            and isinstance(node.value, (ast.Dict, ast.List, ast.Set))
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name) and _DEFAULTS.fullmatch(target.id)
        }

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if not self._made:
            return
        names = {*self._made, *self._aliases(node)}
        shallow = set(self._shallow_copies(node))
        for statement in walk(node):
            changed = next((one for one in _changed(statement) if one in names), None)
            changed = changed or next(iter(_changed_within(statement, shallow)), None)
            if changed is not None and isinstance(statement, ast.stmt):
                self.report(
                    self.module.span(statement),
                    f'"{changed}" is what all calls start from, and this changes it',
                )
                return

    def _shallow_copies(self, node: ast.FunctionDef) -> Iterator[str]:
        """The names of copies whose inner lists and dicts are still those of the defaults."""
        for one in walk(node):
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
                made = ast.unparse(one.value)
                if any(
                    made in (f"{name}.copy()", f"dict({name})", f"{{**{name}}}", f"copy.copy({name})")
                    for name in self._made
                ):
                    yield one.targets[0].id

    def _aliases(self, node: ast.FunctionDef) -> Iterator[str]:
        for name in {
            t.id
            for n in walk(node)
            if isinstance(n, ast.Assign)
            for t in n.targets
            if isinstance(t, ast.Name)
        }:
            given = [
                n.value for n in walk(node) if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == name
            ]
            if len(given) == 1 and isinstance(given[0], ast.Name) and given[0].id in self._made:
                yield name


def _changed_within(statement: ast.AST, copies: set[str]) -> Iterator[str]:
    """The copy of whose inner collection a statement changes an entry."""
    target: ast.AST | None = None
    if isinstance(statement, (ast.Assign, ast.AugAssign)):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        target = target.value if isinstance(target, ast.Subscript) else None
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        func = statement.value.func
        target = func.value if isinstance(func, ast.Attribute) and func.attr in _CHANGES else None
    if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and target.value.id in copies:
        yield target.value.id


def _changed(statement: ast.AST) -> Iterator[str]:
    """The name whose collection a statement changes."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        func = statement.value.func
        if isinstance(func, ast.Attribute) and func.attr in _CHANGES and isinstance(func.value, ast.Name):
            yield func.value.id
    elif isinstance(statement, (ast.Assign, ast.AugAssign)):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            yield target.value.id
