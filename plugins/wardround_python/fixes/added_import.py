"""The edit that adds an import to a module."""

from __future__ import annotations

import ast

from wardround.checks.source import SourceFile
from wardround.findings import Edit, Span
from wardround.languages.python.module import PythonModule


def import_edit(source: SourceFile, module: PythonModule, name: str) -> Edit | None:
    """Return the edit that adds ``import name`` after the first imports; None where lines are shared."""
    before, after = _place(module.tree)
    if before == 0 and after is not None:
        before = _below_header(source, after)
    if after is not None and after <= before:
        return None  # two statements share a line
    newline = "\r\n" if "\r\n" in source.text else "\n"
    next_line = source.lines[before].strip() if before < len(source.lines) else ""
    blank = newline if after is not None and next_line else ""
    place = Span(before + 1, 1, before + 1, 1)
    return Edit(source.path, place, f"import {name}{newline}{blank}")


def _place(tree: ast.Module) -> tuple[int, int | None]:
    """Return the last line of the imports at the top, or of the docstring, and the first line after them."""
    last = 0
    for at, one in enumerate(tree.body):
        is_text = isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
        if not isinstance(one, (ast.Import, ast.ImportFrom)) and not (at == 0 and is_text):
            decorators = getattr(one, "decorator_list", ())
            return last, min([one.lineno, *(each.lineno for each in decorators)])
        last = one.end_lineno or one.lineno
    return last, None


def _below_header(source: SourceFile, first: int) -> int:
    """Return the last line of the comments at the top of a module that starts with a statement."""
    lines = [line.strip() for line in source.lines[: first - 1]]
    blank = [n for n, line in enumerate(lines, 1) if not line]
    return blank[-1] if blank else 0 if not lines else len(lines)
