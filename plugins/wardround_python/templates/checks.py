"""Checks of HTML templates of Jinja and Django."""

from __future__ import annotations

from typing import ClassVar

from wardround.checks.base import Check
from wardround.findings import Plane, Severity, Span
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.templates.markup import Attribute, tags


class TemplateCheck(Check):
    """A check of templates; positions are offsets into the template."""

    CASE_PATH = "page.html"
    PLANE: ClassVar[Plane] = Plane.SECURITY

    def report_at(self, start: int, end: int, message: str, severity: Severity | None = None) -> None:
        """Report the text between two offsets."""
        span = Span(*self.source.position(start), *self.source.position(end))
        self.report(span, message, severity=severity)


class UnquotedAttribute(TemplateCheck):
    """An attribute with a value from the template has no quotes.

    Escaping does not change spaces, so a value with a space ends the attribute and starts another, such as
    ``onmouseover``. Put quotes around it.
    """

    ID = "TP002"
    NAME = "unquoted-attribute-in-template"
    DEFECT_CLASS = "unquoted-attribute"
    VALID = [
        code("""
            <p class="{{ kind }}">a</p>
        """),
        code("""
            <p class='a {{ kind }}' {{ attributes }}>a</p>
        """),
    ]
    INVALID = [
        code("""
            <p «class={{ kind }}»>a</p>
        """),
        code("""
            <input
              type=text «value={{ user.name }}»>
        """),
    ]

    def run(self) -> None:
        for tag in tags(self.source.text) if "={{" in self.source.text else ():
            for attribute in tag.attributes:
                if not attribute.is_quoted and _fills_in(attribute):
                    text = (
                        f'the attribute "{attribute.name}" has no quotes, so a space in '
                        "its value starts another; add quotes"
                    )
                    self.report_at(attribute.start, attribute.end, text)


def _fills_in(item: Attribute) -> bool:
    """Return True if a value may contain a space: neither a number nor an address the framework creates."""
    filled = _FILLED.search(item.value)
    return filled is not None and _NO_SPACE.search(filled["inside"]) is None


_FILLED = LazyPattern(r"(?s)\{\{-?(?P<inside>.{0,2000}?)-?\}\}")
_NO_SPACE = LazyPattern(
    r"(?:^|[._])(?:id|pk|uuid|index0?|counter0?|count|length|number|num|size|width|height|page|year|month|day|port)"
    r"\s{0,20}(?:\||$)|\|\s{0,20}(?:int|length|slugify|urlencode|tojson|count|date|floatformat|yesno)\b"
    r"|^\s{0,20}(?:url_for|static|url|range|loop)\b|\(|^\s{0,20}\d|[\"']"
)
CHECKS = (UnquotedAttribute,)
