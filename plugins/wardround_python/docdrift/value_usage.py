"""Uses of a value: the words where it is stored, passed on and returned."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.languages.python.module import PythonModule, last_name
from wardround.languages.python.tree import walk

_DEEPEST = 4
"""The most names and functions through which a value is followed."""
_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None


class ValueUses:
    """Follows values through the names of one module; each name is visited once."""

    def __init__(self, module: PythonModule) -> None:
        self._module = module
        self._asked: set[tuple[object, str]] = set()

    def words(self, node: ast.expr, deep: int = _DEEPEST) -> Iterator[str]:
        """Return the names that a value is assigned or passed to, and the constants next to it there."""
        child: ast.AST = node
        for parent in self._module.ancestors(node):
            if isinstance(parent, ast.keyword) and parent.arg:
                yield parent.arg
            elif isinstance(parent, ast.Call) and (child in parent.args or isinstance(child, ast.keyword)):
                yield from self._call_words(parent)
            elif isinstance(parent, ast.Dict):
                at = [at for at, one in enumerate(parent.values) if one is child]
                yield from (word for item in at for word in _words(parent.keys[item]))
            elif isinstance(parent, ast.Compare):
                sides = [operand for operand in (parent.left, *parent.comparators) if operand is not child]
                yield from words_of(sides)
            elif isinstance(parent, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
                for target in targets:
                    yield from _words(target)
                    if isinstance(target, ast.Name) and deep:
                        yield from self._name_words(target, deep - 1)
            elif isinstance(parent, ast.Return) and deep:
                yield from self._return_words(parent, deep - 1)
            if isinstance(parent, ast.stmt):
                return
            child = parent

    def _call_words(self, call: ast.Call) -> Iterator[str]:
        yield last_name(call.func)
        yield from (str(argument.value) for argument in call.args if isinstance(argument, ast.Constant))
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
            yield call.func.value.id
            for value in self.assigned_values(call.func.value):
                yield from _words(value)

    def assigned_values(self, node: ast.Name) -> Iterator[ast.expr]:
        """Return the values that the function around a name assigns to it."""
        around = self._around(node)
        for inner in walk(around) if around is not None else ():
            if isinstance(inner, (ast.Assign, ast.AnnAssign)) and inner.value is not None:
                targets = inner.targets if isinstance(inner, ast.Assign) else [inner.target]
                if any(isinstance(target, ast.Name) and target.id == node.id for target in targets):
                    yield inner.value
            elif isinstance(inner, ast.withitem) and last_name(inner.optional_vars) == node.id:
                yield inner.context_expr

    def loads(self, node: ast.Name) -> Iterator[ast.Name]:
        """Yield the reads of a name in the function around it."""
        around = self._around(node)
        for inner in walk(around) if around is not None else ():
            if isinstance(inner, ast.Name) and inner.id == node.id and isinstance(inner.ctx, ast.Load):
                yield inner

    def calls(self, name: str) -> Iterator[ast.Call]:
        """Yield the calls of a function or method of a name in the module."""
        for node in self._module.nodes:
            if isinstance(node, ast.Call) and last_name(node.func) == name:
                yield node

    def is_new(self, scope: object, name: str) -> bool:
        """Return True if a name is visited for the first time."""
        is_new = (scope, name) not in self._asked
        self._asked.add((scope, name))
        return is_new

    def _around(self, node: ast.AST) -> _Scope:
        return self._module.function_of(node)

    def _name_words(self, target: ast.Name, deep: int) -> Iterator[str]:
        if self.is_new(self._around(target), target.id):
            for load in self.loads(target):
                yield from self.words(load, deep)

    def _return_words(self, node: ast.Return, deep: int) -> Iterator[str]:
        name = getattr(self._around(node), "name", "")
        yield name
        if name and self.is_new(None, name):
            for call in self.calls(name):
                yield from self.words(call, deep)


def _words(node: ast.AST | None) -> Iterator[str]:
    """Return the names, attributes and texts in a node."""
    for inner in walk(node) if node is not None else ():
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.Attribute):
            yield inner.attr
        elif isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


def words_of(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Return the names, attributes and texts in some nodes."""
    for node in nodes:
        yield from _words(node)
