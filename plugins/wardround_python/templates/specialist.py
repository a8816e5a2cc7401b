"""The specialist for HTML templates of Jinja and Django."""

from __future__ import annotations

from wardround.checks.lazy import Late, LatePattern
from wardround.specialists import Specialist

_NAMES = ("*.html", "*.htm", "*.djhtml", "*.jinja", "*.jinja2", "*.j2")
_STATEMENT = LatePattern(r"\{%-?\s*\w")
_EXPRESSION = LatePattern(r"\{\{")
_MARKUP = LatePattern(r"<[A-Za-z!]")
_OTHER_LANGUAGE = LatePattern(
    r"\A---\r?\n|\{%-?\s*(?:liquid|assign|capture|schema|render|paginate|section|apply|embed|verbatim)\b"
    r"|\{\{[#^/>]|\bng-\w+=|\*ngIf|v-(?:if|for|bind|model)\b"
)
"""Front matter, and syntax of Liquid, Twig, Handlebars, Angular and Vue, whose braces mean something else."""


def specialist() -> Specialist:
    """The specialist as the host takes it."""
    return Specialist(
        name="templates",
        patterns=(),
        text_decides=_NAMES,
        claims_text=_claims,
        checks=Late("wardround_python.templates.checks:CHECKS"),
    )


def _claims(path: str, content: bytes) -> bool:
    """Return True for HTML that Jinja or Django fills in."""
    text = content.decode("utf-8", "replace")
    fills = _STATEMENT.search(text) or _EXPRESSION.search(text)
    return bool(fills and _MARKUP.search(text)) and not _OTHER_LANGUAGE.search(text)
