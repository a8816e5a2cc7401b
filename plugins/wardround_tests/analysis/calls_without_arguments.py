"""Mocks of functions that take no arguments: that they were called is all that a test can assert."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from wardround.checks.lazy import LazyPattern
from wardround.findings import Span

Read = Callable[[str], str | None]

_ASSERTED = LazyPattern(
    r"\bexpect\(\s*(?:[\w$]+\s*\??\.\s*)*([\w$]+)\s*\)\s*(?:\.\s*(?:not|resolves|rejects)\s*)*"
    r"\.\s*toHaveBeenCalled(?:Once|Times)?\b"
)
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
_OF_BROWSER = frozenset(
    {"preventDefault", "stopPropagation", "stopImmediatePropagation", "blur", "reload", "disconnect"}
)
"""Methods of the browser that take no arguments."""
_TYPED = r"\b{name}\b[^\n]{{0,80}}\bfn<\s*(?:\(\s*\)\s*=>|[\w<>|\s]+,\s*\[\s*\]\s*>)"
"""A mock whose type has no parameters: ``fn<() => void>()``, ``fn<void, []>()``."""


def asserts_all_of_the_call(path: str, text: str, span: Span, read: Read) -> bool:
    """Return True if every mock whose call a test asserts replaces a function without parameters.

    The modules that the test imports call each of them without arguments only.
    """
    lines = text.split("\n")[span.line - 1 : span.end_line]
    names = set(_ASSERTED.findall("\n".join(lines))) - _OF_BROWSER
    names = {name for name in names if re.search(_TYPED.format(name=re.escape(name)), text) is None}
    if not names:
        return _ASSERTED.search("\n".join(lines)) is not None
    modules = list(_modules(path, text, read))
    return all(_takes_nothing(name, modules) for name in names)


def _modules(path: str, text: str, read: Read) -> Iterator[str]:
    """Yield the texts of the project's modules that a test imports."""
    for name in dict.fromkeys(_MODULE.findall(text)):
        places = [posixpath.join(posixpath.dirname(path), name)] if name.startswith(".") else []
        places += [f"src/{name[2:]}" for alias in _ALIASES if name.startswith(alias)]
        found = (read(posixpath.normpath(place) + ending) for place in places for ending in _ENDINGS)
        yield from filter(None, [next(filter(None, found), None)])


def _takes_nothing(name: str, modules: list[str]) -> bool:
    """Return True if the modules call a function, and never with an argument."""
    call = re.compile(rf"(?<![\w$]){re.escape(name)}\s*(?:\?\.\s*)?\(\s*(\)?)")
    closed = [match[1] for module in modules for match in call.finditer(module)]
    return bool(closed) and all(closed)
