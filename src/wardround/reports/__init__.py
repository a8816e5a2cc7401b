"""Review -> text, one module for each format; ``FORMATS`` lists the formats.

A renderer takes a review and returns text. It reads no clock and no environment.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from wardround.review import ReviewResult

Renderer = Callable[[ReviewResult], str]

FORMATS: dict[str, str] = {
    "text": "wardround.reports.text",
    "json": "wardround.reports.json",
    "sarif": "wardround.reports.sarif",
    "github": "wardround.reports.github",
}


def renderer(name: str) -> Renderer:
    """Return the renderer of a format.

    Raises:
        KeyError: the format does not exist.
    """
    render: Renderer = importlib.import_module(FORMATS[name]).render
    return render


def truncate(text: str, limit: int) -> str:
    """Text of at most ``limit`` characters; a cut is shown."""
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
