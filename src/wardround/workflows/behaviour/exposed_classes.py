"""Private classes whose methods callers reach through a public class below them."""

from __future__ import annotations

from wardround.workflows.behaviour.definitions import Definition, Definitions, is_private_name
from wardround.workflows.behaviour.public_callers import OtherFiles

_MOST_STEPS = 3


def public_class_below(method: Definition, path: str, own: Definitions, others: OtherFiles) -> str:
    """Return a public class that inherits a method from a private one; empty if there is none."""
    owner = method.name.rpartition(".")[0]
    if "." in owner or not is_private_name(owner) or is_private_name(method.own_name):
        return ""
    above = frozenset({owner})
    for _ in range(_MOST_STEPS):
        files = {**others(above), path: own}
        below = sorted({name for file in files.values() for name in _derived_classes(file, above)})
        public = [name for name in below if not is_private_name(name)]
        if public:
            return public[0]
        if not below:
            return ""
        above = frozenset(below)
    return ""


def _derived_classes(file: Definitions, above: frozenset[str]) -> list[str]:
    return [name for name, bases in file.bases.items() if not above.isdisjoint(bases)]
