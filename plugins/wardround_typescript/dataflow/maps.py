"""The entries of maps, if they are known.

The state holds them as properties of the access path of the map: ``map.=key`` the value of a key, and
``map.#`` where all keys are known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tree_sitter import Node

from wardround.semantics.dataflow.domain import join, join_all, without
from wardround_typescript.dataflow.constant_folding import fold
from wardround_typescript.dataflow.domain import CLEAN, NOTHING, Taint
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.lists import OF_CONTAINER
from wardround_typescript.dataflow.nodes import bare
from wardround_typescript.dataflow.state import EXTENT, KEYS_KNOWN, FlowState
from wardround_typescript.syntax.nodes import child

_CONSTRUCTORS = frozenset({"Map", "URLSearchParams", "WeakMap"})


class Maps:
    """Evaluates the contents of maps."""

    __slots__ = ("_evaluator", "_module", "_scope", "_state")

    def __init__(self, state: FlowState, evaluator: Evaluator) -> None:
        self._state = state
        self._scope = state.scope
        self._module = state.module
        self._evaluator = evaluator

    def is_known(self, path: str) -> bool:
        """Return True if an access path holds a map all of whose keys are known."""
        return list(self._state.values.get(f"{path}.{EXTENT}", CLEAN)) == [KEYS_KNOWN]

    def contents(self, node: Node) -> Mapping[str, Taint] | None:
        """Return the entries of a map that an expression creates: ``new Map([["a", x]]).set("b", y)``."""
        node = bare(node)
        function = child(node, "function") or child(node, "constructor")
        argument_list = child(node, "arguments")
        if function is None or argument_list is None:
            return None
        arguments = argument_list.named_children
        if node.type == "new_expression" and self._module.of(function) in _CONSTRUCTORS:
            return self._from_entries(arguments)
        if self._state.property_name(function) != "set" or len(arguments) != 2:
            return None
        return self._set_entry(child(function, "object"), *arguments)

    def _set_entry(self, owner: Node | None, key: Node, value: Node) -> Mapping[str, Taint] | None:
        """Return the entries of a map with another one."""
        name = fold(self._scope, key)
        if owner is None or not isinstance(name, str):
            return None
        entries = self.contents(owner)
        return {**entries, name: self._evaluator.evaluate(value)} if entries is not None else None

    def _from_entries(self, arguments: Sequence[Node]) -> Mapping[str, Taint] | None:
        if not arguments:
            return {}
        literal = bare(arguments[0])
        if literal.type not in {"array", "object"}:
            return None
        entries: dict[str, Taint] = {}
        for entry in literal.named_children:
            key, value = _key_and_value(entry)
            name = self._constant_key(key) if key is not None else None
            if value is None or name is None:
                return None
            entries[name] = self._evaluator.evaluate(value)
        return entries

    def _constant_key(self, node: Node) -> str | None:
        if node.type == "property_identifier":
            return self._module.of(node)
        key = fold(self._scope, node)
        return str(key) if isinstance(key, (str, int)) else None

    def bind(self, path: str, entries: Mapping[str, Taint]) -> None:
        """Give an access path the entries of a map."""
        values = self._state.values
        values[f"{path}.{EXTENT}"] = {KEYS_KNOWN: NOTHING}
        for key, value in entries.items():
            values[f"{path}.={key}"] = value
        values[path] = without(join_all(entries.values()), OF_CONTAINER)

    def call_method(
        self, path: str, method: str, arguments: Sequence[Node], values: Sequence[Taint]
    ) -> Taint | None:
        """Apply a method to the map at a path and return its result; None where it is unknown."""
        key = self._constant_key(arguments[0]) if arguments else None
        if method in {"set", "append"} and len(values) == 2:
            return self._set(path, key, values[1], is_added=method == "append")
        if method in {"get", "getAll"} and key is not None:
            return self._state.values.get(f"{path}.={key}", CLEAN)
        if method in {"delete", "clear"}:
            self._delete(path, key)
        return None

    def _set(self, path: str, key: str | None, value: Taint, *, is_added: bool) -> Taint | None:
        if key is None:
            self._state.forget_contents(path, value)
            return None
        values, entry = self._state.values, f"{path}.={key}"
        values[entry] = join(values.get(entry, CLEAN) if is_added else CLEAN, value)
        self._update_joined_entries(path)
        return values[path]

    def _delete(self, path: str, key: str | None) -> None:
        values = self._state.values
        prefix = f"{path}.=" if key is None else f"{path}.={key}"
        for entry in values:
            if entry == prefix or (key is None and entry.startswith(prefix)):
                values[entry] = CLEAN
        self._update_joined_entries(path)

    def _update_joined_entries(self, path: str) -> None:
        values = self._state.values
        entries = [value for entry, value in values.items() if entry.startswith(f"{path}.=")]
        values[path] = without(join_all(entries), OF_CONTAINER)


def _key_and_value(entry: Node) -> tuple[Node | None, Node | None]:
    """Return the key and the value of ``["a", x]`` or ``a: x``."""
    if entry.type == "array" and len(entry.named_children) == 2:
        key, value = entry.named_children
        return key, value
    return child(entry, "key"), child(entry, "value")
