"""The declarations of a Python module, which quickly show that most changes remove nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.languages.python.tree import unparse

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_BLOCKS = (ast.If, ast.Try, ast.With, ast.For, ast.While)


def declarations(tree: ast.Module) -> frozenset[str]:
    """Return the declarations of a module, without values and bodies.

    A module whose head has all declarations of the base removes nothing from its users.
    """
    return frozenset(_names_bound_in(tree.body, ""))


def _names_bound_in(body: Sequence[ast.stmt], owner: str) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, _Function):
            yield f"{owner}.{statement.name} {_dump(statement.args, *statement.decorator_list)}"
            yield from _attributes(statement, owner)
        elif isinstance(statement, ast.ClassDef):
            outside = _dump(*statement.bases, *statement.keywords, *statement.decorator_list)
            yield f"{owner}.{statement.name} {outside}"
            yield from _names_bound_in(statement.body, f"{owner}.{statement.name}")
        elif isinstance(statement, _BLOCKS):
            for field in ("body", "orelse", "finalbody"):
                yield from _names_bound_in(getattr(statement, field, []), owner)
            for handler in getattr(statement, "handlers", []):
                yield from _names_bound_in(handler.body, owner)
        elif isinstance(statement, ast.Import | ast.ImportFrom) or type(statement).__name__ == "TypeAlias":
            yield f"{owner} {ast.dump(statement)}"
        else:
            yield from _assigned_names(statement, owner)


def _assigned_names(statement: ast.stmt, owner: str) -> Iterator[str]:
    """Yield the names that a statement binds; ``__all__`` with its value, which overrides all others."""
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets = [statement.target]
    else:
        return
    for node in (node for target in targets for node in ast.walk(target)):
        if isinstance(node, ast.Name):
            yield f"{owner}.{node.id}" + (_dump(statement) if node.id == "__all__" else "")


def _attributes(function: _Function, owner: str) -> Iterator[str]:
    """Yield the attributes that a method sets on its first argument."""
    first = next((argument.arg for argument in (*function.args.posonlyargs, *function.args.args)), None)
    stored = (
        [node for node in ast.walk(function) if isinstance(node, ast.Attribute)] if owner and first else []
    )
    for node in stored:
        is_set = isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
        if is_set and unparse(node.value) == first:
            yield f"{owner}.{node.attr}"


def _dump(*nodes: ast.AST) -> str:
    return " ".join(map(ast.dump, nodes))
