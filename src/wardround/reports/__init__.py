"""Review -> text, one module for each format.

A renderer takes a review and returns text. It reads no clock and no environment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wardround.review_result import ReviewResult

Renderer = Callable[["ReviewResult"], str]


def formats() -> Mapping[str, str]:
    """Return the name of each format and where its renderer is; see ``hookspecs.wardround_formats``.

    Raises:
        PluginLoadError: a plugin cannot be loaded.
    """
    from wardround.host import load_entries

    return load_entries("wardround_formats")


def is_format(name: str) -> bool:
    """Return True if a format exists; its renderer is not imported.

    Raises:
        PluginLoadError: a plugin cannot be loaded.
    """
    from wardround.host import find_entry

    return find_entry("wardround_formats", name) is not None


def renderer(name: str) -> Renderer:
    """Return the renderer of a format.

    Raises:
        KeyError: the format does not exist.
        PluginLoadError: a plugin cannot be loaded, or its renderer does not exist.
    """
    from wardround.host import load_entry

    render: Renderer = load_entry("wardround_formats", name)
    return render


def truncate(text: str, limit: int) -> str:
    """Text of at most ``limit`` characters; a cut is shown."""
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
