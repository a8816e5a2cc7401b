"""Writes annotations into a module; its formatting and its comments stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.authoring.types.model import Annotation
from wardround.errors import UsageError
from wardround.tools.install_hints import install_hint
from wardround.tools.tool import install_line

if TYPE_CHECKING:
    from wardround.authoring.types.syntax_edit import SyntaxEditor


def require_editor() -> type[SyntaxEditor]:
    """Return the editor of syntax trees.

    Raises:
        UsageError: libcst is not installed.
    """
    try:
        from wardround.authoring.types.syntax_edit import SyntaxEditor
    except ImportError as cause:
        hint = install_hint(install_line("authoring"))
        raise UsageError(f"libcst is not installed; {hint}") from cause
    return SyntaxEditor


def annotate_module(content: bytes, annotations: Sequence[Annotation]) -> bytes | None:
    """Return a module with annotations; None if it cannot be written without other changes."""
    editor = require_editor()
    wanted: dict[str, dict[str, str]] = {}
    for annotation in annotations:
        wanted.setdefault(annotation.function, {})[annotation.part] = annotation.type
    new = editor.edit(content, wanted)
    return new if new is not None and len(new.splitlines()) == len(content.splitlines()) else None
