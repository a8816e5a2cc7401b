"""The values of the fields of the objects of a module's classes."""

from __future__ import annotations

from wardround.semantics.dataflow.domain import join
from wardround_typescript.dataflow.declarations import ClassScope
from wardround_typescript.dataflow.domain import CLEAN, Taint


class ClassFields:
    """For each field of each class the join of the values it is given anywhere in the module."""

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], Taint] = {}

    def get(self, owner: ClassScope | None, name: str) -> Taint:
        """Return the value of a field; CLEAN outside of classes."""
        return self._values.get((owner.name, name), CLEAN) if owner is not None else CLEAN

    def add(self, owner: ClassScope | None, name: str, value: Taint) -> None:
        """Join the value of a field with an assigned one."""
        if owner is not None and value:
            self._values[owner.name, name] = join(self._values.get((owner.name, name), CLEAN), value)
