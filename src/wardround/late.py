"""Values that a module names, imported when they are first looked at."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeVar, overload

Item = TypeVar("Item")


class Late(Sequence[Item]):
    """The tools or checks a module names, imported when they are first looked at.

    Give ``Late("acme.checks:CHECKS")`` and ``Late("acme.tools:TOOLS")``: a change that holds none of a
    specialist's files then costs nothing for it, and checks are imported while the static tools are running.
    """

    def __init__(self, place: str) -> None:
        self._place = place

    def package_files(self) -> list[Path]:
        """Every source file of the distribution package the module is in: what the values may depend on."""
        spec = importlib.util.find_spec(self._place.partition(":")[0].partition(".")[0])
        if spec is None or spec.origin is None:
            return []
        origin = Path(spec.origin)
        return sorted(origin.parent.rglob("*.py")) if origin.name == "__init__.py" else [origin]

    @cached_property
    def _items(self) -> Sequence[Item]:
        module, _, name = self._place.partition(":")
        items: Sequence[Item] = getattr(importlib.import_module(module), name)
        return items

    @overload
    def __getitem__(self, index: int) -> Item: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...

    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)
