"""The names that an annotation of a module may use: those that the module already has."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence

import msgspec

from wardround.authoring.types import type_text
from wardround.languages.python.tree import unparse

_BUILTIN = frozenset(vars(builtins))


class ModuleNames(msgspec.Struct, frozen=True):
    """The imports and classes of a module.

    Attributes:
        is_lazy: True if annotations are not evaluated: ``from __future__ import annotations``.
        bound: name -> the line from which it can be evaluated.
        for_checkers: names that are bound for type checkers only.
    """

    is_lazy: bool
    bound: dict[str, int]
    for_checkers: frozenset[str]

    @classmethod
    def of(cls, tree: ast.Module) -> ModuleNames:
        """Return the names of a module."""
        bound: dict[str, int] = {}
        for name, line in _bindings(tree.body):
            bound.setdefault(name, line)
        checkers = [item for item in tree.body if isinstance(item, ast.If) and _is_for_checkers(item.test)]
        names = {name for item in checkers for name, _ in _bindings(item.body)}
        return cls(_is_lazy(tree), bound, frozenset(names - bound.keys()))

    def expression(self, annotation: str, line: int) -> str | None:
        """Return an annotation as it is written at a line, quoted where a name is bound later.

        None if the module lacks a name.
        """
        names = type_text.names_in(annotation)
        unbound = {name for name in names if not self._is_bound(name, line)}
        if not unbound:
            return annotation
        if not unbound <= self.bound.keys() | self.for_checkers:
            return None
        return annotation if self.is_lazy else f'"{annotation}"'

    def _is_bound(self, name: str, line: int) -> bool:
        own = self.bound.get(name)
        if own is None:
            return name in _BUILTIN and name not in self.for_checkers
        return own < line


def _is_lazy(tree: ast.Module) -> bool:
    return any(
        isinstance(statement, ast.ImportFrom)
        and statement.module == "__future__"
        and any(alias.name == "annotations" for alias in statement.names)
        for statement in tree.body
    )


def _is_for_checkers(test: ast.expr) -> bool:
    return unparse(test).rpartition(".")[2] == "TYPE_CHECKING"


def _bindings(body: Sequence[ast.stmt]) -> Iterator[tuple[str, int]]:
    """Yield the imported names and the classes of a module with the line at which their statement ends."""
    for statement in body:
        match statement:
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                for alias in aliases:
                    yield alias.asname or alias.name.partition(".")[0], statement.lineno
            case ast.ClassDef(name=name):
                yield name, statement.end_lineno or statement.lineno
            case ast.Try(body=inner):
                yield from _bindings(inner)
