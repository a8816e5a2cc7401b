"""The declarations of a Python module, by which most changes turn out to take nothing away."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.languages.python.tree import unparse

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_BLOCKS = (ast.If, ast.Try, ast.With, ast.For, ast.While)


def declarations(tree: ast.Module) -> frozenset[str]:
    """Return the declarations of a module, without values and bodies.

    A module whose head has all declarations of the base takes nothing away from its users.
    """
    return frozenset(_of(tree.body, ""))


def _of(body: Sequence[ast.stmt], owner: str) -> Iterator[str]:
    for one in body:
        if isinstance(one, _Function):
            yield f"{owner}.{one.name} {_dump(one.args, *one.decorator_list)}"
            yield from _attributes(one, owner)
        elif isinstance(one, ast.ClassDef):
            yield f"{owner}.{one.name} {_dump(*one.bases, *one.keywords, *one.decorator_list)}"
            yield from _of(one.body, f"{owner}.{one.name}")
        elif isinstance(one, _BLOCKS):
            for field in ("body", "orelse", "finalbody"):
                yield from _of(getattr(one, field, []), owner)
            for handler in getattr(one, "handlers", []):
                yield from _of(handler.body, owner)
        elif isinstance(one, ast.Import | ast.ImportFrom) or type(one).__name__ == "TypeAlias":
            yield f"{owner} {ast.dump(one)}"
        else:
            yield from _assigned(one, owner)


def _assigned(statement: ast.stmt, owner: str) -> Iterator[str]:
    """Yield the names that a statement binds; ``__all__`` with its value, which decides about all others."""
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
    first = next((one.arg for one in (*function.args.posonlyargs, *function.args.args)), None)
    stored = (
        [node for node in ast.walk(function) if isinstance(node, ast.Attribute)] if owner and first else []
    )
    for node in stored:
        is_set = isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
        if is_set and unparse(node.value) == first:
            yield f"{owner}.{node.attr}"


def _dump(*nodes: ast.AST) -> str:
    return " ".join(map(ast.dump, nodes))
