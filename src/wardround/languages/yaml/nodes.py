"""The nodes of a YAML document, with their positions."""

from __future__ import annotations

from msgspec import Struct, field

MOST_NESTING = 200
"""Deeper than any file people write; beyond it the C parser takes quadratic time."""


class Scalar(Struct, eq=False):
    """A single value; ``style`` is its quote or ``|`` or ``>``, empty if it has none."""

    value: str
    start: int
    end: int
    style: str = ""


class Sequence(Struct, eq=False):
    """A list."""

    start: int
    end: int = 0
    items: list[Node] = field(default_factory=list)


class Mapping(Struct, eq=False):
    """Keys and values verbatim, including repeated keys."""

    start: int
    end: int = 0
    entries: list[tuple[Scalar, Node]] = field(default_factory=list)

    def get(self, key: str) -> Node | None:
        """Return the value of a key, its own before that of a merge key ``<<``; for repeated keys the
        last.
        """
        found = None
        for name, value in self.entries:
            if name.value == key:
                found = value
        return found if found is not None else self._merged_value(key, {id(self)})

    def _merged_value(self, key: str, seen: set[int]) -> Node | None:
        for base in self._bases():
            if id(base) not in seen:
                seen.add(id(base))
                own = next((value for name, value in base.entries if name.value == key), None)
                found = own if own is not None else base._merged_value(key, seen)
                if found is not None:
                    return found
        return None

    def _bases(self) -> list[Mapping]:
        bases = [value for name, value in self.entries if name.value == "<<"]
        listed = [item for base in bases for item in (base.items if isinstance(base, Sequence) else [base])]
        return [base for base in listed if isinstance(base, Mapping)]

    def key(self, name: str) -> Scalar | None:
        """Return the key itself, if it is written here."""
        return next((key for key, _ in self.entries if key.value == name), None)

    def at(self, *keys: str) -> Node | None:
        """Return the value at the end of a path of keys."""
        node: Node | None = self
        for key in keys:
            if not isinstance(node, Mapping):
                return None
            node = node.get(key)
        return node

    def mapping(self, *keys: str) -> Mapping:
        """Return the mapping at the end of a path; an empty one if there is none."""
        node = self.at(*keys)
        return node if isinstance(node, Mapping) else Mapping(self.start, self.start)

    def items_at(self, *keys: str) -> list[Node]:
        """Return the items of the list at the end of a path, each once; a single value is a list of one."""
        node = self.at(*keys)
        if node is None:
            return []
        items = node.items if isinstance(node, Sequence) else [node]
        return list({id(item): item for item in items}.values())

    def text(self, *keys: str) -> str:
        """Return the scalar at the end of a path as text; empty if there is none."""
        node = self.at(*keys)
        return node.value if isinstance(node, Scalar) else ""

    def scalar(self, *keys: str) -> Scalar | None:
        """Return the scalar at the end of a path."""
        node = self.at(*keys)
        return node if isinstance(node, Scalar) else None


Node = Scalar | Sequence | Mapping
