"""Split Python files into chunks by their syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.languages.python.tree import parse

Found = tuple[str, str, int, int, str]
"""Kind, symbol, first line, last line, docstring."""


def python_pieces(text: str) -> tuple[list[Found], tuple[str, ...]]:
    """Return the functions and classes of a module, nested ones after their parents, and its imports.

    Both are empty if the text cannot be parsed.
    """
    try:
        module = parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [], ()
    return list(_functions_within(module, "", False)), tuple(sorted(set(_imports(module))))


def _functions_within(node: ast.AST, around: str, in_class: bool) -> Iterator[Found]:
    for child in getattr(node, "body", ()):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            is_class = isinstance(child, ast.ClassDef)
            name = f"{around}.{child.name}" if around else child.name
            first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            kind = "class" if is_class else "method" if in_class else "function"
            yield kind, name, first, child.end_lineno or first, ast.get_docstring(child) or ""
            if is_class:
                yield from _functions_within(child, name, True)
        elif isinstance(child, ast.If | ast.Try):
            yield from _functions_within(child, around, in_class)


def _imports(module: ast.Module) -> Iterator[str]:
    """Return modules verbatim; for ``from a import b`` also ``a.b``, which may be one."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield base
            joint = "" if base.endswith(".") else "."
            yield from (f"{base}{joint}{name.name}" for name in node.names if name.name != "*")
