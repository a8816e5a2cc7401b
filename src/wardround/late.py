"""What is made when it is first used: values of other modules, and regular expressions."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeVar, overload

from wardround.words_in import WordsIn

Item = TypeVar("Item")


class Late(Sequence[Item]):
    """The tools or checks a module names, imported when they are first looked at.

    Give ``Late("acme.checks:CHECKS")`` and ``Late("acme.tools:TOOLS")``: a change that holds none of a
    specialist's files then costs nothing for it, and checks are imported while the static tools are running.
    """

    def __init__(self, place: str) -> None:
        self._place = place

    def package_files(self) -> list[str]:
        """Every source file of the distribution package the module is in: what the values may depend on."""
        spec = importlib.util.find_spec(self._place.partition(":")[0].partition(".")[0])
        if spec is None or spec.origin is None:
            return []
        folder, name = os.path.split(spec.origin)
        if name != "__init__.py":
            return [spec.origin]
        return sorted(
            f"{at}/{one}" for at, _, names in os.walk(folder) for one in names if one.endswith(".py")
        )

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


Row = tuple[str, str, tuple[str, ...], tuple[str, ...]]
"""A check's id, where it is (``module:name`` in the table's package), the kinds of files it is for, and words
of which one stands in every text it can say something about. No kinds, or no words, leave nothing out. Of a
check of the whole change the kinds are parts of paths, in lower case."""


class TwoTexts(Protocol):
    """A file of a change: its path, and its text on either side if it has one there."""

    @property
    def path(self) -> str: ...
    @property
    def text(self) -> str | None: ...
    @property
    def base_text(self) -> str | None: ...


class LateEach(Late[Item]):
    """Checks by a table, each imported for the first file it may say something about.

    ``LateEach("acme.checks.table:TABLE")`` names modules of ``acme.checks``; as a sequence it is all of them.
    ``wardround.check_table`` writes such a table.
    """

    @cached_property
    def _rows(self) -> Sequence[Row]:
        module, _, name = self._place.partition(":")
        rows: Sequence[Row] = getattr(importlib.import_module(module), name)
        return rows

    @cached_property
    def _items(self) -> Sequence[Item]:
        return [self._made(row) for row in self._rows]

    def _made(self, row: Row) -> Item:
        module, _, name = row[1].partition(":")
        package = self._place.partition(":")[0].rpartition(".")[0]
        item: Item = getattr(importlib.import_module(f"{package}.{module}"), name)
        return item

    def __len__(self) -> int:
        return len(self._rows)

    def about(self, kind: str, text: str) -> Iterator[Item]:
        """Those for a kind of file that may say something about a text, in order."""
        names = WordsIn(text)
        for row in self._rows:
            _, _, kinds, words = row
            if (not kinds or kind in kinds) and (not words or names.has_one(words)):
                yield self._made(row)

    def about_change(self, files: Sequence[TwoTexts]) -> Iterator[Item]:
        """Those that may say something about a change as a whole, in order."""
        for row in self._rows:
            _, _, parts, words = row
            if any(_holds_one(file, words) for file in files if _has_one(file.path.lower(), parts)):
                yield self._made(row)

    def named(self, code: str) -> Item | None:
        """The one with an id, if there is one."""
        return next((self._made(row) for row in self._rows if row[0] == code), None)


def _has_one(path: str, parts: tuple[str, ...]) -> bool:
    return not parts or any(part in path for part in parts)


def _holds_one(file: TwoTexts, words: tuple[str, ...]) -> bool:
    """Whether one of some words stands on either side of a file; with no words, it is not read."""
    if not words:
        return True
    return any(word in side for side in (file.text or "", file.base_text or "") for word in words)


class LatePattern:
    """A regular expression over text that is compiled when it is first used.

    A specialist has hundreds, a change needs a few, and compiling one takes longer than using it.
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        from wardround.compiled import store  # not before there is a pattern to compile

        return store().compiled(self.pattern, int(self._flags))

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
