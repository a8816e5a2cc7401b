"""Uses of a value: the words where it is stored, passed on and returned."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.languages.python.module import PythonModule, last_name, targets_of
from wardround.languages.python.tree import walk
from wardround_python.syntax.assignments import is_named

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
            yield from self._words_at(parent, child, deep)
            if isinstance(parent, ast.stmt):
                return
            child = parent

    def _words_at(self, parent: ast.AST, child: ast.AST, deep: int) -> Iterator[str]:
        """Yield the words that a node adds to those of a value in its child."""
        match parent:
            case ast.keyword(arg=str(name)):
                yield name
            case ast.Call() if child in parent.args or isinstance(child, ast.keyword):
                yield from self._call_words(parent)
            case ast.Dict():
                yield from _key_words(parent, child)
            case ast.Compare():
                operands = (parent.left, *parent.comparators)
                yield from names_and_strings_in([operand for operand in operands if operand is not child])
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                yield from self._target_words(parent, deep)
            case ast.Return() if deep:
                yield from self._return_words(parent, deep - 1)

    def _target_words(
        self, assignment: ast.Assign | ast.AnnAssign | ast.AugAssign, deep: int
    ) -> Iterator[str]:
        targets = assignment.targets if isinstance(assignment, ast.Assign) else [assignment.target]
        for target in targets:
            yield from _words(target)
            if isinstance(target, ast.Name) and deep:
                yield from self._name_words(target, deep - 1)

    def _call_words(self, call: ast.Call) -> Iterator[str]:
        yield last_name(call.func)
        yield from (str(argument.value) for argument in call.args if isinstance(argument, ast.Constant))
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
            yield call.func.value.id
            for value in self.assigned_values(call.func.value):
                yield from _words(value)

    def assigned_values(self, node: ast.Name) -> Iterator[ast.expr]:
        """Return the values that the function around a name assigns to it."""
        around = self._enclosing_scope(node)
        for inner in walk(around) if around is not None else ():
            if isinstance(inner, (ast.Assign, ast.AnnAssign)) and inner.value is not None:
                if any(is_named(target, node.id) for target in targets_of(inner)):
                    yield inner.value
            elif isinstance(inner, ast.withitem) and last_name(inner.optional_vars) == node.id:
                yield inner.context_expr

    def loads(self, node: ast.Name) -> Iterator[ast.Name]:
        """Yield the reads of a name in the function around it."""
        around = self._enclosing_scope(node)
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

    def _enclosing_scope(self, node: ast.AST) -> _Scope:
        return self._module.function_of(node)

    def _name_words(self, target: ast.Name, deep: int) -> Iterator[str]:
        if self.is_new(self._enclosing_scope(target), target.id):
            for load in self.loads(target):
                yield from self.words(load, deep)

    def _return_words(self, node: ast.Return, deep: int) -> Iterator[str]:
        name = getattr(self._enclosing_scope(node), "name", "")
        yield name
        if name and self.is_new(None, name):
            for call in self.calls(name):
                yield from self.words(call, deep)


def _words(node: ast.AST | None) -> Iterator[str]:
    """Return the names, attributes and strings in a node."""
    for inner in walk(node) if node is not None else ():
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.Attribute):
            yield inner.attr
        elif isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


def _key_words(display: ast.Dict, value: ast.AST) -> Iterator[str]:
    """Yield the words of the keys of a value."""
    for key, other in zip(display.keys, display.values, strict=True):
        if other is value:
            yield from _words(key)


def names_and_strings_in(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Return the names, attributes and strings in some nodes."""
    for node in nodes:
        yield from _words(node)
