"""The edit that adds an import to a module."""

from __future__ import annotations

import ast

from wardround.checks.source import SourceFile
from wardround.findings import Edit, Span
from wardround.languages.python.module import PythonModule


def import_edit(source: SourceFile, module: PythonModule, name: str) -> Edit | None:
    """Return the edit that adds ``import name`` after the first imports; None where lines are shared."""
    before, after = _import_position(module.tree)
    if before == 0 and after is not None:
        before = _header_end(source, after)
    if after is not None and after <= before:
        return None  # two statements share a line
    newline = "\r\n" if "\r\n" in source.text else "\n"
    next_line = source.lines[before].strip() if before < len(source.lines) else ""
    blank = newline if after is not None and next_line else ""
    location = Span(before + 1, 1, before + 1, 1)
    return Edit(source.path, location, f"import {name}{newline}{blank}")


def _import_position(tree: ast.Module) -> tuple[int, int | None]:
    """Return the last line of the imports at the top, or of the docstring, and the first line after them."""
    last = 0
    for at, statement in enumerate(tree.body):
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not isinstance(statement, (ast.Import, ast.ImportFrom)) and not (at == 0 and is_text):
            decorators = getattr(statement, "decorator_list", ())
            return last, min([statement.lineno, *(each.lineno for each in decorators)])
        last = statement.end_lineno or statement.lineno
    return last, None


def _header_end(source: SourceFile, first: int) -> int:
    """Return the last line of the comments at the top of a module that starts with a statement."""
    lines = [line.strip() for line in source.lines[: first - 1]]
    blank = [n for n, line in enumerate(lines, 1) if not line]
    return blank[-1] if blank else 0 if not lines else len(lines)
