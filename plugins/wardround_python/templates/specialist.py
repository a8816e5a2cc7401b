"""The specialist for HTML templates of Jinja and Django."""

from __future__ import annotations

from wardround.checks.lazy import LazyPattern, LazySequence
from wardround.specialists import Specialist

_NAMES = ("*.html", "*.htm", "*.djhtml", "*.jinja", "*.jinja2", "*.j2")
_STATEMENT = LazyPattern(r"\{%-?\s*\w")
_EXPRESSION = LazyPattern(r"\{\{")
_MARKUP = LazyPattern(r"<[A-Za-z!]")
_OTHER_LANGUAGE = LazyPattern(
    r"\A---\r?\n|\{%-?\s*(?:liquid|assign|capture|schema|render|paginate|section|apply|embed|verbatim)\b"
    r"|\{\{[#^/>]|\bng-\w+=|\*ngIf|v-(?:if|for|bind|model)\b"
)
"""Front matter, and syntax of Liquid, Twig, Handlebars, Angular and Vue, whose braces mean something else."""


def specialist() -> Specialist:
    """The specialist as the host takes it."""
    return Specialist(
        name="templates",
        patterns=(),
        content_sniffed=_NAMES,
        claims_text=_claims,
        checks=LazySequence("wardround_python.templates.checks:CHECKS"),
    )


def _claims(path: str, content: bytes) -> bool:
    """Return True for HTML that Jinja or Django fills in."""
    text = content.decode("utf-8", "replace")
    fills = _STATEMENT.search(text) or _EXPRESSION.search(text)
    return bool(fills and _MARKUP.search(text)) and not _OTHER_LANGUAGE.search(text)
