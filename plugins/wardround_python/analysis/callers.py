"""Callers of a function or method, in its module and in the rest of the repository."""

from __future__ import annotations

import ast

from wardround.languages.python.tree import walk


def bindings(tree: ast.Module, name: str) -> int:
    """Return the number of bindings of a name in a module, in any scope, imports excluded."""
    return sum(
        (isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and n.name == name)
        or (isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load))
        or (isinstance(n, ast.arg) and n.arg == name)
        or (isinstance(n, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and n.name == name)
        for n in walk(tree)
    )
