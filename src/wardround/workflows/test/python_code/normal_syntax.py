"""Digests of Python syntax that ignore layout, comments, documentation and annotations without an effect."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.languages.python.module import FunctionNode
from wardround.storage.digest import sha256

_DIGEST_HEX = 20
_POSITIONS = frozenset(
    {"lineno", "col_offset", "end_lineno", "end_col_offset", "type_comment", "kind", "ctx"}
)
_UNREAD_ANNOTATIONS = frozenset(
    {"staticmethod", "classmethod", "property", "setter", "override", "abstractmethod"}
)
"""Decorators that do not read the annotations of their function."""


def statement_digest(node: ast.AST, name: str, *, is_field: bool = False) -> str:
    """Return the digest of a statement or expression under the name that distinguishes it from its equals.

    Decorators of a function are excluded, as they run when its module is imported.

    Args:
        is_field: it is in the body of a class, so that its annotation has an effect.
    """
    parts = [name]
    _write(node, parts, is_top=is_field or not isinstance(node, ast.AnnAssign))
    return sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_HEX]


def _write(node: object, parts: list[str], *, is_top: bool = False) -> None:
    if isinstance(node, ast.AnnAssign) and node.value is not None and not is_top:
        node = ast.Assign([node.target], node.value)
    if isinstance(node, ast.AST):
        parts.append(type(node).__name__)
        for field, value in _fields(node, is_top=is_top):
            parts.append(field)
            _write(value, parts)
        parts.append(")")
    elif isinstance(node, list):
        parts.append("[")
        for part in node:
            _write(part, parts)
        parts.append("]")
    else:
        parts.append(f"{type(node).__name__} {node!r}")


def _fields(node: ast.AST, *, is_top: bool) -> Iterator[tuple[str, object]]:
    """Yield the fields that have an effect; those that only newer versions of Python have are empty."""
    has_no_annotations = isinstance(node, FunctionNode) and not _has_read_annotations(node)
    ignored = _ignored_fields(node, is_top=is_top, has_no_annotations=has_no_annotations)
    for field in node._fields:
        value = None if field in ignored else getattr(node, field, None)
        if has_no_annotations and isinstance(value, ast.arguments):
            value = _strip_annotations(value)
        value = _drop_string_statements(field, value)
        if value is not None and value != []:
            yield field, value


def _ignored_fields(node: ast.AST, *, is_top: bool, has_no_annotations: bool) -> frozenset[str]:
    ignored = _POSITIONS
    if isinstance(node, FunctionNode) and is_top:
        ignored |= {"decorator_list"}
    if has_no_annotations:
        ignored |= {"returns"}
    if isinstance(node, ast.AnnAssign) and not is_top:
        ignored |= {"annotation"}
    return ignored


def _drop_string_statements(field: str, value: object) -> object:
    """Return the value of a field; a body without string statements."""
    if field == "body" and isinstance(value, list):
        return [statement for statement in value if not _is_string_statement(statement)]
    return value


def _has_read_annotations(node: FunctionNode) -> bool:
    names = (
        decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in node.decorator_list
    )
    return any(
        (name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")) not in _UNREAD_ANNOTATIONS
        for name in names
    )


def _strip_annotations(arguments: ast.arguments) -> ast.arguments:
    return ast.arguments(
        posonlyargs=[ast.arg(argument.arg) for argument in arguments.posonlyargs],
        args=[ast.arg(argument.arg) for argument in arguments.args],
        vararg=arguments.vararg and ast.arg(arguments.vararg.arg),
        kwonlyargs=[ast.arg(argument.arg) for argument in arguments.kwonlyargs],
        kw_defaults=arguments.kw_defaults,
        kwarg=arguments.kwarg and ast.arg(arguments.kwarg.arg),
        defaults=arguments.defaults,
    )


def _is_string_statement(node: ast.stmt) -> bool:
    """Return True for a constant as a statement, unless doctest can read it."""
    is_constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_constant and ">>>" not in str(node.value.value)  # type: ignore[attr-defined]
