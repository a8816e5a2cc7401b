"""The syntax trees of Python: parsing them, and walking them as specialists do hundreds of times a file."""

from __future__ import annotations

import ast
import sys
import threading
import warnings
from collections.abc import Iterator
from functools import lru_cache

_NEWEST = (3, 15)
"""The newest Python whose syntax is known here: an interpreter as new as that needs no lowering."""
_NO_NODES = frozenset({"ctx", "id", "attr", "kind", "type_comment", "module", "level", "asname"})
"""Fields without nodes, or with a node (the first) that has no information beyond its parent's role."""


class _NodeFields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of a kind of node that may contain nodes."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        named = () if kind is ast.Constant else kind._fields
        found = self[kind] = tuple(name for name in named if name not in _NO_NODES)
        return found


_FIELDS = _NodeFields()
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""The errors of parsing a string that is not Python."""
_PARSER = threading.RLock()
"""One parse at a time: Python before 3.11.8 counts its depth for all threads together and raises SystemError
(CPython issue 106905), and ``catch_warnings`` is not safe in threads either.
"""


def parse(text: str) -> ast.Module:
    """Parse Python source of any version without printing its warnings.

    Syntax that is newer than the interpreter is read as ``wardround.languages.python.lowering`` describes.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is not Python of any version.
    """
    with _PARSER, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except SyntaxError:
            tree = _newer(text)
            if tree is None:
                raise
            return tree


def _newer(text: str) -> ast.Module | None:
    """Return the tree of a source that the interpreter rejects; None if its syntax is not newer."""
    if sys.version_info >= _NEWEST:
        return None
    from wardround.languages.python.lowering import parse_lowered  # few texts need it

    try:
        return parse_lowered(text)
    except SyntaxError as cause:
        raise cause from None


def cached_parse(text: str) -> ast.Module:
    """Return the tree of a source that several specialists parse; it must not be mutated.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is not Python; thousands of findings in it do
        not parse it again.
    """
    found = _tree_or_error(text)
    if isinstance(found, Exception):
        raise type(found)(*found.args)
    return found


@lru_cache(maxsize=2)
def _tree_or_error(text: str) -> ast.Module | Exception:
    try:
        return parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as cause:
        return cause


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and those below it except contexts, ordered as by ``ast.walk`` in a third of its time."""
    found = [node]
    fields, add = _FIELDS, found.append
    for current in found:
        yield current
        for name in fields[current.__class__]:
            value = getattr(current, name, None)
            if value.__class__ is list:
                for item in value:
                    if isinstance(item, ast.AST):
                        add(item)
            elif isinstance(value, ast.AST):
                add(value)


def unparse(node: ast.AST) -> str:
    """Return the source of a node as ``ast.unparse`` writes it, of any valid tree.

    ``ast.unparse`` raises on trees without a spelling in the running interpreter: an f-string of Python 3.12
    with a backslash in an expression, a hexadecimal number of more than 4,300 digits, a sum of many terms.
    """
    parts: list[str] = []
    inner = node
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    if not isinstance(inner, ast.Name):
        return _unparse_node(node)
    return ".".join([inner.id, *reversed(parts)])


def _unparse_node(node: ast.AST) -> str:
    try:
        return ast.unparse(node)
    except (ValueError, RecursionError):
        from wardround.languages.python.unwritable import approximate_source  # few trees need it

        return approximate_source(node)


def children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes directly below one except its context, in the order of ``ast.iter_child_nodes``."""
    for name in _FIELDS[node.__class__]:
        value = getattr(node, name, None)
        if value.__class__ is list:
            yield from (item for item in value if isinstance(item, ast.AST))
        elif isinstance(value, ast.AST):
            yield value
