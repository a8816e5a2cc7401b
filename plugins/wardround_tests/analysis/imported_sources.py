"""The modules of a project that a script imports."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator

from wardround.lazy import LazyPattern

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


def imported_sources(path: str, text: str, read: Read) -> Iterator[str]:
    """Yield the contents of the project's modules that a script imports."""
    for name in dict.fromkeys(_MODULE.findall(text)):
        for location in _candidate_paths(path, name):
            module = next(filter(None, (read(location + ending) for ending in _ENDINGS)), None)
            if module:
                yield module
                break


def _candidate_paths(path: str, name: str) -> Iterator[str]:
    """Yield the paths, without an ending, that an imported name may mean."""
    if name.startswith("."):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    for alias in _ALIASES:
        if name.startswith(alias):
            yield posixpath.normpath(f"src/{name[2:]}")
