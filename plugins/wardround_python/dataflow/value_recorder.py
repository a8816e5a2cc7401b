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
"""Expression -> what every analysis that evaluates it knows of it."""


_WRAPPING = frozenset(
    {"BytesIO", "StringIO", "b64decode", "urlsafe_b64decode", "b64encode", "urlsafe_b64encode", "fromhex",
     "unhexlify", "hexlify", "bytes", "quote", "unquote"}
)  # fmt: skip
"""Functions that return the same value in another form."""


class ValueRecorder:
    """Records what is known of every expression that is evaluated."""

    def __init__(self) -> None:
        self.seen: Seen = {}

    def evaluated(self, node: ast.expr, folder: ConstantReader) -> None:
        """Record the constant an expression, and each part of a built text, evaluates to."""
        for item in (node, *(parts_of_text(node) or ())):
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


def parts_of_text(node: ast.expr) -> list[ast.expr] | None:
    """Return the parts a text is built of."""
    if isinstance(node, ast.BinOp):
        right = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return [node.left, *right]
    if isinstance(node, ast.JoinedStr):
        return [value.value if isinstance(value, ast.FormattedValue) else value for value in node.values]
    if not isinstance(node, ast.Call):
        return None
    last = last_name(node.func)
    if isinstance(node.func, ast.Attribute) and last in {"format", "encode", "decode"}:
        return [node.func.value, *node.args, *(keyword.value for keyword in node.keywords)]
    return node.args if last in _WRAPPING and node.args else None
