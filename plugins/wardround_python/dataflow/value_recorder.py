"""Recording of what is known of each expression of a module."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import cast

from wardround.languages.python.module import last_name
from wardround_python.dataflow.known_value import Known, KnownContainer, is_same
from wardround_python.dataflow.observers import ConstantReader

Table = Mapping[object, Known | None]
"""Key -> what is known of the entry of a mapping."""
Seen = dict[ast.expr, Known | Table | None]
"""Expression -> the known values from every analysis that evaluates it."""


_WRAPPING = frozenset(
    {"BytesIO", "StringIO", "b64decode", "urlsafe_b64decode", "b64encode", "urlsafe_b64encode", "fromhex",
     "unhexlify", "hexlify", "bytes", "quote", "unquote"}
)  # fmt: skip
"""Functions that return the same value in another form."""


class ValueRecorder:
    """Records what is known of every expression that is evaluated."""

    def __init__(self) -> None:
        self.seen: Seen = {}

    def observe_value(self, node: ast.expr, folder: ConstantReader) -> None:
        """Record the constant value of an expression, and of each part of a built string."""
        for item in (node, *(string_pieces(node) or ())):
            _note(self.seen, item, folder.constant(item))

    def container_read(self, node: ast.expr, container: KnownContainer) -> None:
        """Record the entries of a mapping that is read."""
        _note(self.seen, node, _table(container))


def _table(container: KnownContainer) -> Table | None:
    if container.is_parser or not isinstance(container.entries, dict):
        return None
    return {key: entry.known for key, entry in container.entries.items()}


def _note(seen: Seen, node: ast.expr, known: Known | Table | None) -> None:
    before = seen.setdefault(node, known)
    if before is known:
        return
    both_tables = isinstance(before, dict) and isinstance(known, dict)
    if not (before == known if both_tables else is_same(cast(Known, before), cast(Known, known))):
        seen[node] = None


def string_pieces(node: ast.expr) -> list[ast.expr] | None:
    """Return the parts a text is built of."""
    match node:
        case ast.BinOp(left=left, right=ast.Tuple(elts=values)):
            return [left, *values]
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.JoinedStr():
            return [part.value if isinstance(part, ast.FormattedValue) else part for part in node.values]
        case ast.Call():
            return _parts_of_call(node)
        case _:
            return None


def _parts_of_call(node: ast.Call) -> list[ast.expr] | None:
    match node.func:
        case ast.Attribute(value=template, attr="format" | "encode" | "decode"):
            return [template, *node.args, *(keyword.value for keyword in node.keywords)]
        case func if last_name(func) in _WRAPPING and node.args:
            return node.args
        case _:
            return None
