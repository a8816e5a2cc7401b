"""The modules of a project that a script imports."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator

from wardround.checks.lazy import LazyPattern

Read = Callable[[str], str | None]

_MODULE = LazyPattern(r"(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*['\"]([^'\"\n]+)['\"]")
_ENDINGS = (
    "",
    ".ts",
    ".tsx",
    ".js",
    ".jsx",
    ".mjs",
    ".vue",
    ".svelte",
    "/index.ts",
    "/index.tsx",
    "/index.js",
)
_ALIASES = ("@/", "~/")


def imported_texts(path: str, text: str, read: Read) -> Iterator[str]:
    """Yield the texts of the project's modules that a script imports."""
    for name in dict.fromkeys(_MODULE.findall(text)):
        places = [posixpath.join(posixpath.dirname(path), name)] if name.startswith(".") else []
        places += [f"src/{name[2:]}" for alias in _ALIASES if name.startswith(alias)]
        found = (read(posixpath.normpath(place) + ending) for place in places for ending in _ENDINGS)
        yield from filter(None, [next(filter(None, found), None)])
