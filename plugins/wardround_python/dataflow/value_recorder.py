"""A walk that notes, on its way, of every expression what is certain of it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import cast

from wardround.languages.python.module import last_name
from wardround_python.dataflow.analysis import ModuleFlow
from wardround_python.dataflow.domain import Value
from wardround_python.dataflow.known_value import Held, Known, is_same
from wardround_python.dataflow.statements import FunctionFlow

Table = Mapping[object, Known | None]
"""The entries of a mapping, by their keys, as far as each is certain."""
Seen = dict[ast.expr, Known | Table | None]
"""The expressions that walks come by, with what all of them knew of each."""


_WRAPPING = frozenset(
    {"BytesIO", "StringIO", "b64decode", "urlsafe_b64decode", "b64encode", "urlsafe_b64encode", "fromhex",
     "unhexlify", "hexlify", "bytes", "quote", "unquote"}
)  # fmt: skip
"""Functions that give the same in another form."""


class WatchingWalk(FunctionFlow):
    """A walk that notes of every expression what is certain of it."""

    def value(self, node: ast.expr) -> Value:
        answer = super().value(node)
        if isinstance(self._owner, WatchingFlow):
            for one in (node, *(parts_of_text(node) or ())):
                _note(self._owner.seen, one, self._exact(one))
        return answer

    def _peek(self, node: ast.expr) -> Value:
        held = self._held(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        if held is not None and isinstance(self._owner, WatchingFlow):
            _note(self._owner.seen, node, _table(held))
        return super()._peek(node)


def _table(held: Held) -> Table | None:
    if held.is_parser or not isinstance(held.entries, dict):
        return None
    return {key: entry.known for key, entry in held.entries.items()}


def _note(seen: Seen, node: ast.expr, known: Known | Table | None) -> None:
    before = seen.setdefault(node, known)
    if before is known:
        return
    both_tables = isinstance(before, dict) and isinstance(known, dict)
    if not (before == known if both_tables else is_same(cast(Known, before), cast(Known, known))):
        seen[node] = None


def parts_of_text(node: ast.expr) -> list[ast.expr] | None:
    """The expressions a text is put together of."""
    if isinstance(node, ast.BinOp):
        right = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return [node.left, *right]
    if isinstance(node, ast.JoinedStr):
        return [one.value if isinstance(one, ast.FormattedValue) else one for one in node.values]
    if not isinstance(node, ast.Call):
        return None
    last = last_name(node.func)
    if isinstance(node.func, ast.Attribute) and last in {"format", "encode", "decode"}:
        return [node.func.value, *node.args, *(keyword.value for keyword in node.keywords)]
    return node.args if last in _WRAPPING and node.args else None


class WatchingFlow(ModuleFlow):
    walker = WatchingWalk
    seen: Seen
