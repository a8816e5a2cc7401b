"""The texts in settings of a configuration file that has been read, by their keys."""

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


def path_beside(path: str, name: str) -> str | None:
    """Resolve a path that a configuration names, relative to the root; None if it leads out of it."""
    found = os.path.normpath(PurePosixPath(path).parent / name)
    return None if found.startswith(("..", "/")) else found


def texts_at(document: object, *settings: str) -> list[str]:
    """Return the texts in settings, in order; a list of texts counts as its items.

    Args:
        settings: keys from the top of the document, separated by dots: ``tool.ruff.extend``.
    """
    return [text for setting in settings for text in _texts(document, setting.split("."))]


def _texts(value: object, keys: list[str]) -> Iterator[str]:
    if keys:
        for inner in _inner(value, keys[0]):
            yield from _texts(inner, keys[1:])
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
