"""The formats of release notes, one module each, whose function ``render`` returns the text."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from wardround.release_notes.formats.context import RenderContext
from wardround.release_notes.model import ReleaseNotes

Renderer = Callable[[ReleaseNotes, RenderContext], str]
_MODULES = {
    "keep-a-changelog": "keep_a_changelog",
    "github": "github",
    "json": "json",
    "markdown": "markdown",
}
NAMES = tuple(_MODULES)


def renderer(name: str) -> Renderer:
    """Return the function that renders a format."""
    module = importlib.import_module(f"{__name__}.{_MODULES[name]}")
    render: Renderer = module.render
    return render
