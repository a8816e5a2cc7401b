"""The line below a breaking change: the old and the new form, and what users do."""

from __future__ import annotations

from wardround.context.surface.model import SurfaceKind
from wardround.release_notes.formats.markdown_text import markdown_line
from wardround.release_notes.model import BreakingForm, Statement

_LONGEST_FORM = 80
"""Maximum length of a signature in a list; the JSON has longer ones."""


def form_line(statement: Statement) -> str:
    """Return the line in Markdown; empty if there is nothing to add to the text."""
    form = statement.breaking
    if form is None:
        return ""
    line = "; ".join(part for part in (_forms(form), form.migration) if part)
    return markdown_line(line[:1].upper() + line[1:]) if line else ""


def _forms(form: BreakingForm) -> str:
    is_short = 0 < len(form.old) <= _LONGEST_FORM and 0 < len(form.new) <= _LONGEST_FORM
    if form.surface is SurfaceKind.DEPENDENCIES or not is_short or "`" in form.old + form.new:
        return ""
    return f"`{form.old}` is now `{form.new}`"
