"""Values created on first use: attributes of other modules, and regular expressions."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property
from typing import Any, TypeVar, overload

from wardround.storage.digest import file_stamp

Item = TypeVar("Item")


def source_files(package: str, endings: tuple[str, ...] = (".py",)) -> list[str]:
    """Return the paths of the source files of a package or module, sorted; none if it does not exist.

    Args:
        endings: file name endings that count in a package.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return []
    folder, name = os.path.split(spec.origin)
    if name != "__init__.py":
        return [spec.origin]
    return sorted(_files_below(folder, endings))


def _files_below(folder: str, endings: tuple[str, ...]) -> Iterator[str]:
    """Yield the files with some endings, in half the time of ``os.walk``."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(endings):
                yield entry.path
            elif entry.name != "__pycache__" and entry.is_dir(follow_symlinks=False):
                yield from _files_below(entry.path, endings)


def files_state(files: Iterable[str]) -> str:
    """Return a string that changes when a file is written; files that cannot be read are skipped."""
    states = []
    for file in files:
        with suppress(OSError):
            states.append(f"{file} {file_stamp(file)}")
    return "\n".join(states)


@cache
def package_state(package: str) -> str:
    """Return a string that changes when a source file of a package or module does."""
    return files_state(source_files(package))


class LazySequence(Sequence[Item]):
    """The tools or checks a module names, imported on first use.

    Use ``LazySequence("acme.checks:CHECKS")`` and ``LazySequence("acme.tools:TOOLS")``: a change without
    files of a specialist costs nothing for it, and checks are imported while the static tools are running.
    """

    def __init__(self, place: str) -> None:
        self._place = place

    @property
    def module(self) -> str:
        """The module or package that names the values."""
        return self._place.partition(":")[0]

    def package_state(self) -> str:
        """Return a string that changes with the top-level package, on which the values may depend."""
        return package_state(self.module.partition(".")[0])

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


_EXACT_CHARACTERS = 10_000
"""At this length a search whose time grows with the square of the length takes half a second."""


class LazyPattern:
    """A regular expression over text that is compiled on first use.

    A specialist has hundreds, a change needs a few, and compiling one takes longer than using it.

    Its time is proportional to the length of the string: in one of more than 10,000 characters, unlimited
    repetitions get a limit, far beyond hand-written code. Python's engine starts a search at each position,
    and each attempt may read to the end of a hostile text.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self._flags = flags

    @cached_property
    def _exact(self) -> re.Pattern[str]:
        from wardround.storage.regex_cache import regex_cache  # only if a pattern is compiled

        return regex_cache().compile(self.pattern, int(self._flags))

    @cached_property
    def _bounded(self) -> re.Pattern[str]:
        from wardround.storage.regex_cache import regex_cache

        return regex_cache().compile(self.pattern, int(self._flags), bounded=True)

    def _for(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Pattern[str]:
        return self._exact if min(endpos, len(text)) - pos <= _EXACT_CHARACTERS else self._bounded

    def search(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        return self._for(text, pos, endpos).search(text, pos, endpos)

    def match(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        return self._for(text, pos, endpos).match(text, pos, endpos)

    def fullmatch(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        return self._for(text, pos, endpos).fullmatch(text, pos, endpos)

    def finditer(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> Iterator[re.Match[str]]:
        return self._for(text, pos, endpos).finditer(text, pos, endpos)

    def findall(self, text: str) -> list[Any]:
        return self._for(text).findall(text)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        return self._for(text).sub(replacement, text, count)

    def split(self, text: str, maxsplit: int = 0) -> list[str | Any]:
        return self._for(text).split(text, maxsplit)
