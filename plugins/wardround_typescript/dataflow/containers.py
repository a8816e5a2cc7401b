"""What lists and maps hold at each place and under each key, as far as it can be told.

What is known stands among the values of names: ``list.0``, ``list.1`` for the elements of a list,
``map.=key`` for what a map holds, and under ``list.#`` how much of it is known. Where two ways through a
function leave different amounts, only what the whole carries is known from there on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from wardround_typescript.dataflow.constant_folding import worth
from wardround_typescript.dataflow.domain import CLEAN, NOTHING, SinkKind, Value, all_of, united, without
from wardround_typescript.dataflow.scope import bare
from wardround_typescript.dataflow.state import AMOUNT
from wardround_typescript.dataflow.string_building import Texts

_MAP = "map"
_MAPS = frozenset({"Map", "URLSearchParams", "WeakMap"})
_COPIES = frozenset({"concat", "slice", "reverse", "toReversed"})
_MOST = 40
"""Elements of a list that are told apart."""
_KEPT = ~(SinkKind.FIELDS | SinkKind.REACHED)


@dataclass(frozen=True, slots=True)
class KeyedEntry:
    """The elements of a list, first to last; what any further ones carry, or None where there are none."""

    elements: tuple[Value, ...]
    rest: Value | None = None

    def at(self, place: int) -> Value | None:
        """What an element carries, counted from the end where negative; None where that cannot be told."""
        if place < 0:
            place += len(self.elements)
            if self.rest is not None or place < 0:
                return None
        return self.elements[place] if place < len(self.elements) else self.rest or CLEAN

    @property
    def whole(self) -> Value:
        return without(all_of([*self.elements, self.rest or CLEAN]), ~_KEPT)


class Contents(Texts):
    """The part of a walk that knows what lists and maps hold."""

    # Lists.

    def row(self, key: str) -> KeyedEntry | None:
        """What is known of the list of a name."""
        told = list(self.values.get(f"{key}.{AMOUNT}", CLEAN))
        if len(told) != 1 or told[0] == _MAP:
            return None
        count = int(told[0].rstrip("+"))
        found = tuple(self.values.get(f"{key}.{at}", CLEAN) for at in range(count))
        return KeyedEntry(found, self.values.get(f"{key}.+", CLEAN) if told[0].endswith("+") else None)

    def row_of(self, node: Node) -> KeyedEntry | None:
        """What is known of the list an expression gives."""
        node = bare(node)
        if node.type == "array":
            return self._written(node)
        if node.type == "call_expression":
            return self._copied(node)
        key = self.key_of(node) if node.type in {"identifier", "member_expression"} else None
        return self.row(key) if key is not None else None

    def _written(self, node: Node) -> KeyedEntry | None:
        row = KeyedEntry(())
        for one in node.named_children[: _MOST + 1]:
            if one.type != "comment":
                row = self._longer(row, one, self.value(one))
        return row if len(node.named_children) <= _MOST else None

    def _longer(self, row: KeyedEntry, node: Node, value: Value) -> KeyedEntry:
        """A list with an element more, or with those that are spread out there."""
        if node.type == "spread_element" and node.named_children:
            return self._with_list(row, self.row_of(node.named_children[0]), value)
        if row.rest is not None or len(row.elements) >= _MOST:
            return KeyedEntry(row.elements, united(row.rest or CLEAN, value))
        return KeyedEntry((*row.elements, value))

    def _with_list(self, row: KeyedEntry, other: KeyedEntry | None, value: Value) -> KeyedEntry:
        if row.rest is not None or other is None or len(row.elements) + len(other.elements) > _MOST:
            return KeyedEntry(row.elements, united(row.rest or CLEAN, value))
        return KeyedEntry((*row.elements, *other.elements), other.rest)

    def _copied(self, node: Node) -> KeyedEntry | None:
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        owner = function.child_by_field_name("object") if function is not None else None
        method = self.property_of(function) if function is not None and owner is not None else None
        row = self.row_of(owner) if owner is not None and given is not None and method in _COPIES else None
        if row is None or given is None:
            return None
        if method == "concat":
            for one in given.named_children:
                inner = self.row_of(one)
                value = self.value(one)
                # What is no list written here may be one of any length.
                row = self._with_list(row, inner, value)
            return row
        return self._piece(row, method or "", [worth(self.scope, one) for one in given.named_children])

    def _piece(self, row: KeyedEntry, method: str, told: Sequence[object]) -> KeyedEntry | None:
        if row.rest is not None or not all(isinstance(one, int) for one in told):
            return None
        if method == "slice":
            start, end = [*(one for one in told if isinstance(one, int)), None, None][:2]
            return KeyedEntry(row.elements[start:end])
        return KeyedEntry(row.elements[::-1])

    def keep_row(self, key: str, row: KeyedEntry) -> None:
        """Note what the list of a name holds."""
        open_ = "+" if row.rest is not None else ""
        for at, value in enumerate(row.elements):
            self.values[f"{key}.{at}"] = value
        if row.rest is not None:
            self.values[f"{key}.+"] = row.rest
        self.values[f"{key}.{AMOUNT}"] = {f"{len(row.elements)}{open_}": NOTHING}
        self.values[key] = row.whole

    def forget(self, key: str, value: Value = CLEAN) -> None:
        """From here on only what the whole carries is known of a list, a map or an object."""
        if f"{key}.{AMOUNT}" in self.values:
            self.values[f"{key}.{AMOUNT}"] = CLEAN
        whole = united(self.values.get(key, CLEAN), value)
        for one in [one for one in self.values if one.startswith(key + ".") and not one.endswith(AMOUNT)]:
            self.values[one] = united(self.values[one], whole)

    # Maps.

    def is_map(self, key: str) -> bool:
        """Whether all that the map of a name holds is known by its keys."""
        return list(self.values.get(f"{key}.{AMOUNT}", CLEAN)) == [_MAP]

    def held_by(self, node: Node) -> Mapping[str, Value] | None:
        """What a map that is made here holds under each key: ``new Map([["a", x]]).set("b", y)``."""
        node = bare(node)
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        given = node.child_by_field_name("arguments")
        if function is None or given is None:
            return None
        if node.type == "new_expression" and self.module.of(function) in _MAPS:
            return self._made_of_pairs(given.named_children)
        if self.property_of(function) != "set" or len(given.named_children) != 2:
            return None
        owner, key = function.child_by_field_name("object"), worth(self.scope, given.named_children[0])
        held = self.held_by(owner) if owner is not None and isinstance(key, str) else None
        return {**held, str(key): self.value(given.named_children[1])} if held is not None else None

    def _made_of_pairs(self, given: Sequence[Node]) -> Mapping[str, Value] | None:
        if not given:
            return {}
        listed = bare(given[0])
        found: dict[str, Value] = {}
        for one in listed.named_children if listed.type in {"array", "object"} else ():
            key, value = one.child_by_field_name("key"), one.child_by_field_name("value")
            if one.type == "array" and len(one.named_children) == 2:
                key, value = one.named_children
            name = self._map_key(key) if key is not None else None
            if value is None or name is None:
                return None
            found[name] = self.value(value)
        return found if listed.type in {"array", "object"} else None

    def _map_key(self, node: Node) -> str | None:
        if node.type == "property_identifier":
            return self.module.of(node)
        key = worth(self.scope, node)
        return str(key) if isinstance(key, (str, int)) else None

    def keep_map(self, key: str, held: Mapping[str, Value]) -> None:
        """Note what the map of a name holds."""
        self.values[f"{key}.{AMOUNT}"] = {_MAP: NOTHING}
        for name, value in held.items():
            self.values[f"{key}.={name}"] = value
        self.values[key] = without(all_of(held.values()), ~_KEPT)

    # Methods that read or change them.

    def taken(
        self, owner: Node, method: str, arguments: Sequence[Node], values: Sequence[Value]
    ) -> Value | None:
        """What a method of a list or a map gives, after it was changed; None where that cannot be told."""
        key = self.key_of(owner) if bare(owner).type in {"identifier", "member_expression"} else None
        if key is not None and self.is_map(key):
            return self._of_map(key, method, arguments, values)
        change = _CHANGES.get(method)
        if method == "at" and arguments:
            row, place = self.row_of(owner), worth(self.scope, arguments[0])
            return row.at(place) if row is not None and isinstance(place, int) else None
        if key is None or change is None or f"{key}.{AMOUNT}" not in self.values:
            return None
        row = self.row(key)
        done = change(self, row, arguments, values) if row is not None else None
        if done is None:
            self.forget(key, all_of(values))
            return None
        self.keep_row(key, done[0])
        return done[1]

    def _of_map(
        self, key: str, method: str, arguments: Sequence[Node], values: Sequence[Value]
    ) -> Value | None:
        name = self._map_key(arguments[0]) if arguments else None
        if method in {"set", "append"} and len(values) == 2:
            if name is None:
                self.forget(key, values[1])
                return None
            place = f"{key}.={name}"
            before = self.values.get(place, CLEAN) if method == "append" else CLEAN
            self.values[place] = united(before, values[1])
            self._sum_up(key)
            return self.values[key]
        if method in {"get", "getAll"} and name is not None:
            return self.values.get(f"{key}.={name}", CLEAN)
        if method in {"delete", "clear"}:
            for one in [one for one in self.values if one.startswith(f"{key}.=")]:
                if name is None or one == f"{key}.={name}":
                    self.values[one] = CLEAN
            self._sum_up(key)
        return None

    def _sum_up(self, key: str) -> None:
        held = [value for one, value in self.values.items() if one.startswith(f"{key}.=")]
        self.values[key] = without(all_of(held), ~_KEPT)

    def _push(
        self, row: KeyedEntry, arguments: Sequence[Node], values: Sequence[Value]
    ) -> tuple[KeyedEntry, Value] | None:
        for node, value in zip(arguments, values, strict=True):
            row = self._longer(row, node, value)
        return row, CLEAN

    def _unshift(
        self, row: KeyedEntry, arguments: Sequence[Node], values: Sequence[Value]
    ) -> tuple[KeyedEntry, Value] | None:
        if any(one.type == "spread_element" for one in arguments):
            return None
        return KeyedEntry((*values, *row.elements), row.rest), CLEAN

    def _shift(
        self, row: KeyedEntry, arguments: Sequence[Node], values: Sequence[Value]
    ) -> tuple[KeyedEntry, Value] | None:
        return KeyedEntry(row.elements[1:], row.rest), row.at(0) or CLEAN

    def _pop(
        self, row: KeyedEntry, arguments: Sequence[Node], values: Sequence[Value]
    ) -> tuple[KeyedEntry, Value] | None:
        return (KeyedEntry(row.elements[:-1]), row.at(-1) or CLEAN) if row.rest is None else None

    def _splice(
        self, row: KeyedEntry, arguments: Sequence[Node], values: Sequence[Value]
    ) -> tuple[KeyedEntry, Value] | None:
        start, count = [*(worth(self.scope, one) for one in arguments[:2]), None, None][:2]
        if row.rest is not None or not isinstance(start, int) or not isinstance(count, int) or start < 0:
            return None
        taken = row.elements[start : start + count]
        return KeyedEntry((*row.elements[:start], *values[2:], *row.elements[start + count :])), all_of(taken)

    def _reverse(
        self, row: KeyedEntry, arguments: Sequence[Node], values: Sequence[Value]
    ) -> tuple[KeyedEntry, Value] | None:
        return (KeyedEntry(row.elements[::-1]), row.whole) if row.rest is None else None

    def _mixed(
        self, row: KeyedEntry, arguments: Sequence[Node], values: Sequence[Value]
    ) -> tuple[KeyedEntry, Value] | None:
        return None


_Change = Callable[[Contents, KeyedEntry, Sequence[Node], Sequence[Value]], tuple[KeyedEntry, Value] | None]
_CHANGES: Mapping[str, _Change] = {
    "push": Contents._push,
    "unshift": Contents._unshift,
    "shift": Contents._shift,
    "pop": Contents._pop,
    "splice": Contents._splice,
    "reverse": Contents._reverse,
    "sort": Contents._mixed,
    "fill": Contents._mixed,
    "copyWithin": Contents._mixed,
}
