"""Mocks of functions that take no arguments: that they were called is all that a test can assert."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wardround.findings import Span
from wardround.lazy import LazyPattern
from wardround_tests.analysis.imported_sources import Read, imported_sources

_ASSERTED = LazyPattern(
    r"\bexpect\(\s*(?:[\w$]+\s*\??\.\s*)*([\w$]+)\s*\)\s*(?:\.\s*(?:not|resolves|rejects)\s*)*"
    r"\.\s*toHaveBeenCalled(?:Once|Times)?\b"
)
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
    modules = list(imported_sources(path, text, read))
    return all(has_no_arguments(name, modules) for name in names)


def has_no_arguments(name: str, modules: Iterable[str]) -> bool:
    """Return True if the modules call a function, and never with an argument."""
    call = re.compile(rf"(?<![\w$])(?<!\bdef )(?<!\bfunction ){re.escape(name)}\s*(?:\?\.\s*)?\(\s*(\)?)")
    closed = [match[1] for module in modules for match in call.finditer(module)]
    return bool(closed) and all(closed)
