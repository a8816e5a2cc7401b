"""The specialist for HTML templates of Jinja and Django."""

from __future__ import annotations

from wardround.checks.base import Check
from wardround.findings import Plane
from wardround.lazy import LazyPattern, LazySequence
from wardround.specialists import Specialist

_NAMES = ("*.html", "*.htm", "*.djhtml", "*.jinja", "*.jinja2", "*.j2")
_STATEMENT = LazyPattern(r"\{%-?\s*\w")
_EXPRESSION = LazyPattern(r"\{\{")
_MARKUP = LazyPattern(r"<[A-Za-z!]")
_OTHER_LANGUAGE = LazyPattern(
    r"\A---\r?\n|\{%-?\s*(?:liquid|assign|capture|schema|render|paginate|section|apply|embed|verbatim)\b"
    r"|\{\{[#^/>]|\bng-\w+=|\*ngIf|v-(?:if|for|bind|model)\b"
)
"""Front matter, and syntax of Liquid, Twig, Handlebars, Angular and Vue, whose braces have other meanings."""


class TemplatesSpecialist(Specialist):
    """Reviews HTML templates of Jinja and Django."""

    name = "templates"
    planes = frozenset({Plane.SECURITY})
    patterns = ()
    content_sniffed = _NAMES
    checks = LazySequence[type[Check]]("wardround_python.templates.checks:CHECKS")

    def claims_text(self, path: str, content: bytes) -> bool:
        text = content.decode("utf-8", "replace")
        is_template = _STATEMENT.search(text) or _EXPRESSION.search(text)
        return bool(is_template and _MARKUP.search(text)) and not _OTHER_LANGUAGE.search(text)
