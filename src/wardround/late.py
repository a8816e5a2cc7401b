"""What is made when it is first used: values of other modules, and regular expressions."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, overload

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


class LatePattern:
    """A regular expression over text that is compiled when it is first used.

    A specialist has hundreds, a change needs a few, and compiling one takes longer than using it.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

    def search(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        return self._compiled.search(text, pos, endpos)

    def match(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        return self._compiled.match(text, pos, endpos)

    def fullmatch(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        return self._compiled.fullmatch(text, pos, endpos)

    def finditer(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> Iterator[re.Match[str]]:
        return self._compiled.finditer(text, pos, endpos)

    def findall(self, text: str) -> list[Any]:
        return self._compiled.findall(text)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        return self._compiled.sub(replacement, text, count)

    def split(self, text: str, maxsplit: int = 0) -> list[str | Any]:
        return self._compiled.split(text, maxsplit)
