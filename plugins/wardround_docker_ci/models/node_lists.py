"""The entries of a YAML list that have one type."""

from __future__ import annotations

from collections.abc import Iterable

from wardround.languages.yaml.nodes import Mapping, Node, Scalar


def mappings(nodes: Iterable[Node]) -> list[Mapping]:
    """Return the mappings among nodes."""
    return [node for node in nodes if isinstance(node, Mapping)]


def scalars(nodes: Iterable[Node]) -> list[Scalar]:
    """Return the scalars among nodes."""
    return [node for node in nodes if isinstance(node, Scalar)]
