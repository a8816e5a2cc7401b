"""PY060."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.languages.python.tree import walk
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
    WORDS = ("DEFAULT", "BASE", "TEMPLATE", "INITIAL", "COMMON", "STANDARD")
    DEFECT_CLASS = "shared-value"
    TRIED_ON = "twenty-three trees of 600,000 lines, tests left out: none, so only its cases speak for it"
    VALID: ClassVar[Sequence[str | Valid]] = [
        "DEFAULTS = {'a': 1}\ndef f(more):\n    out = dict(DEFAULTS)\n    out.update(more)\n    return out\n",
        "DEFAULTS = {'a': 1}\ndef f(more):\n    out = DEFAULTS.copy()\n    out['b'] = 2\n    return out\n",
        "DEFAULTS = {'a': 1}\ndef f():\n    out = DEFAULTS\n    return out['a']\n",
        "DEFAULTS = 3\ndef f(x):\n    out = DEFAULTS\n    out += x\n    return out\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "DEFAULTS = {'h': {}}\ndef f(t):\n    out = DEFAULTS.copy()\n    out['h']['t'] = t\n    "
            "return out\n",
            line=4,
            column=5,
        ),
        Invalid(
            "DEFAULTS = {'a': 1}\ndef f(more):\n    out = DEFAULTS\n    out.update(more)\n    return out\n",
            line=4,
            column=5,
        ),
        Invalid(
            "BASE_HEADERS = {}\ndef f(t):\n    h = BASE_HEADERS\n    h['x'] = t\n    return h\n",
            line=4,
            column=5,
        ),
        Invalid(
            "DEFAULT_TAGS = ['a']\ndef f(t):\n    DEFAULT_TAGS.append(t)\n    return DEFAULT_TAGS\n",
            line=3,
            column=5,
        ),
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
