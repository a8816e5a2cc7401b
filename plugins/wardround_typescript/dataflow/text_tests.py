"""The meaning of a string that a value begins with, or does not contain."""

from __future__ import annotations

from collections.abc import Mapping

from wardround_typescript.dataflow.domain import NOTHING, SinkKind

_OPEN_PREFIXES = frozenset({"/", "http", "https", "https://", "http://", "https:", "http:", "//", "./"})
"""Prefixes of addresses that leave the host open."""
_EXCLUDED: Mapping[str, SinkKind] = {
    **dict.fromkeys(("/", "\\\\"), SinkKind.PATH),
    **dict.fromkeys(("://", "//", ":", "@"), SinkKind.REDIRECT | SinkKind.URL),
    **dict.fromkeys(("__proto__", "prototype", "constructor"), SinkKind.KEY | SinkKind.REACHED),
    **dict.fromkeys(("\\n", "\\r", "\\r\\n"), SinkKind.HEADER | SinkKind.LINE),
}
"""Texts, and the labels that a value without them no longer has."""


def leaves_host_open(prefix: str) -> bool:
    """Return True for the start of an address that may continue with any host."""
    return prefix in _OPEN_PREFIXES or ("://" in prefix and prefix.count("/") < 3)


def excluded_labels(text: str) -> SinkKind:
    """Return the labels that a value without ``text`` in it no longer has."""
    if ".." in text:
        return SinkKind.PATH
    return _EXCLUDED.get(text, NOTHING)
