"""The strings in parsed settings of a configuration file, by their keys."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

ANY = "*"
"""Any key of a table, or any item of a list."""


def toml_document(text: str) -> object:
    """Return the document in a TOML file; none if it is not valid, which its tool reports."""
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def resolve_sibling(path: str, name: str) -> str | None:
    """Resolve a path in a configuration, relative to the root; None if it is outside of it."""
    found = os.path.normpath(PurePosixPath(path).parent / name)
    return None if found.startswith(("..", "/")) else found


def texts_at(document: object, *settings: str) -> list[str]:
    """Return the strings in settings, in order; a list counts as its items.

    Args:
        settings: keys from the top of the document, separated by dots: ``tool.ruff.extend``.
    """
    return [text for setting in settings for text in _strings_in(document, setting.split("."))]


def _strings_in(value: object, keys: list[str]) -> Iterator[str]:
    if keys:
        for inner in _inner(value, keys[0]):
            yield from _strings_in(inner, keys[1:])
    elif isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (item for item in value if isinstance(item, str))


def _inner(value: object, key: str) -> Iterable[object]:
    if key == ANY and isinstance(value, list):
        return value
    if not isinstance(value, dict):
        return ()
    return value.values() if key == ANY else [value[key]] if key in value else ()
