"""The environment at one program point: the taint and the known values of names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wardround.semantics.dataflow.domain import join
from wardround_python.dataflow.domain import Taint
from wardround_python.dataflow.known_value import Known, is_same

OUTSIDE = "outside."
"""Prefix of a name of an outer function that a nested function taints."""


class Environment(dict[str, Taint]):
    """Key -> taint, for names, attributes and constant subscripts.

    Attributes:
        known: their known values.
    """

    __slots__ = ("_owners", "known")

    def __init__(self, values: Environment | None = None, known: Mapping[str, Known] | None = None):
        super().__init__(values or {})
        self.known: dict[str, Known] = dict(known or {})
        self._owners: set[str] = set() if values is None else values._owners

    def __setitem__(self, key: str, taint: Taint) -> None:
        if not key.isidentifier():
            self._owners.add(_owner(key))
        super().__setitem__(key, taint)

    def parts_of(self, key: str) -> list[str]:
        """Return the keys of the attributes and subscripts of a key, which few names have."""
        if _owner(key) not in self._owners:
            return []
        parts = (f"{key}.", f"{key}[")
        return [name for name in self if name.startswith(parts)]

    def copy(self) -> Environment:
        return Environment(self, self.known)

    def add_unless_clean_part(self, key: str, taint: Taint) -> None:
        """Set the taint of a key; not of a part without one, as the object it is a part of may have one."""
        if taint or key.isidentifier():
            self[key] = taint

    def forget(self, names: frozenset[str]) -> None:
        """Forget what is known of some names."""
        for name in names & self.known.keys():
            del self.known[name]


def _owner(key: str) -> str:
    """Return the name that a key begins with."""
    return key if key.isidentifier() else key.partition(".")[0].partition("[")[0]


def joined_environments(first: Environment, second: Environment) -> Environment:
    """Return the environment after one of two branches."""
    known = {key: value for key, value in first.known.items() if is_same(value, second.known.get(key))}
    both = Environment(first, known)
    for key in _clean_parts(first):
        if key not in second:
            del both[key]  # the object it is a part of may have a taint for it
    for key, value in second.items():
        old = first.get(key)
        if old is None:
            both.add_unless_clean_part(key, value)
        elif old is not value:
            both[key] = join(old or value, value)
    return both


def _clean_parts(environment: Environment) -> Iterator[str]:
    """Yield the attributes and subscripts that have no taint."""
    for key, value in environment.items():
        if not value and not key.isidentifier():
            yield key
