"""Services of Compose files."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from wardround.languages.yaml.nodes import Mapping, Node, Scalar, Sequence
from wardround.languages.yaml.tree import passage


class Service(Struct, frozen=True, eq=False):
    """One service."""

    name: str
    key: Scalar
    node: Mapping

    def environment(self, source: str) -> Iterator[tuple[str, str, int, int]]:
        """Yield name, value and the offsets of the value, of either notation."""
        node = self.node.get("environment")
        if isinstance(node, Mapping):
            for key, value in node.entries:
                if isinstance(value, Scalar):
                    at = passage(source, value)
                    yield key.value, value.value, at.start, at.end
        elif isinstance(node, Sequence):
            for item in node.items:
                if isinstance(item, Scalar) and "=" in item.value:
                    at = passage(source, item)
                    name, _, text = item.value.partition("=")
                    yield name, text, at.start + at.text.find("=") + 1, at.end

    @property
    def shell_texts(self) -> list[Scalar]:
        """The scripts that it runs with ``sh -c``."""
        return [text for name in ("command", "entrypoint") for text in _script_arguments(self.node.get(name))]


def services(root: Mapping) -> list[Service]:
    """Return the services of a file in order, without repetitions by anchors."""
    found = {
        id(value): Service(key.value, key, value)
        for key, value in root.mapping("services").entries
        if isinstance(value, Mapping)
    }
    return list(found.values())


def _script_arguments(node: Node | None) -> list[Scalar]:
    """Return the argument after the first ``-c`` of a list."""
    items = node.items if isinstance(node, Sequence) else []
    scalars = [item for item in items if isinstance(item, Scalar)]
    for number, item in enumerate(scalars):
        if item.value in ("-c", "-ec", "-lc", "-xc", "-exc"):
            return scalars[number + 1 : number + 2]
    return []


shell_arguments = _script_arguments
