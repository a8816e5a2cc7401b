"""The common part of the documentation checks of all languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wardround.checks.source import SourceFile


def is_changed(source: SourceFile) -> bool:
    """Return True if a file existed before the change and lost a line by it; a prefilter."""
    base = source.base_text
    if base is None or base == source.text or source.text.startswith(base):
        return False
    return not set(base.split("\n")) <= set(source.text.split("\n"))
