"""Checks of HTML templates of Jinja and Django."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from wardround.checks.base import Check
from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity, Span
from wardround.rules.maturity import Maturity
from wardround_python.templates.markup import Attribute, MarkupTag, tags

_MANIFESTS = ("*.txt", "*.toml", "*.cfg", "*.lock", "Pipfile", "*settings*.py", "*app*.py", "*/__init__.py")
_DJANGO = ("django", "Django")
_FORM_TOKENS = ("flask_wtf", "Flask-WTF", "flask-wtf", "CSRFProtect", "starlette_csrf", "starlette-csrf")
_LOGINS = ("flask_login", "Flask-Login", "flask-login")
"""Names of frameworks that require a token, of libraries that create one, and of cookie logins."""


class TemplateCheck(Check):
    """A check of templates; positions are given by offsets into the text."""

    CASE_PATH = "page.html"
    PLANE: ClassVar[Plane] = Plane.SECURITY

    def report_at(self, start: int, end: int, message: str, severity: Severity | None = None) -> None:
        """Report the text between two offsets."""
        span = Span(*self.source.position(start), *self.source.position(end))
        self.report(span, message, severity=severity)


class UnescapedValue(TemplateCheck):
    """A value is written into the page without being escaped.

    ``|safe`` and ``{% autoescape off %}`` write the value unchanged, including script tags: anyone who can
    set the value runs scripts in the pages of others. Let the template escape it, or sanitize the markup at
    its source.
    """

    ID = "TP001"
    NAME = "unescaped-value-in-template"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "html-injection"
    VALID = [
        code("""
            <p>{{ body }}</p>
        """),
        code("""
            <script>const rows = {{ rows|tojson|safe }};</script>
        """),
    ]
    INVALID = [
        code("""
            <p>«{{ body|safe }}»</p>
        """),
        code(
            """
            <p>«{{ comment.text | safe }}»</p>
            """,
            path="page.jinja2",
        ),
    ]

    def run(self) -> None:
        for match in _CODE.finditer(self.source.text):
            inside = match["inside"] or ""
            if _SAFE.search(inside) and not _CLEANED.search(inside) and not _IS_LITERAL.search(inside):
                value = _unescaped(inside)[:60]
                self.report_at(
                    *match.span(),
                    f"{value} is not escaped: |safe keeps its markup; "
                    "remove the filter or sanitize the value",
                )
            elif match["statement"] and _AUTOESCAPE_OFF.match(match["statement"]):
                self.report_at(*match.span(), "nothing in this block is escaped; remove autoescape off")


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


class FormWithoutToken(TemplateCheck):
    """A form that posts has no CSRF token.

    Any site can then submit the form for a logged-in visitor; if the framework checks tokens, the form fails
    instead. Put ``{% csrf_token %}`` or the hidden field of your form library into it.
    """

    ID = "TP003"
    NAME = "form-without-csrf-token"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "csrf"
    _DJANGO_PROJECT: ClassVar = {"requirements.txt": "django==5.1\n"}
    VALID = [
        code(
            """
            <form method="post">{% csrf_token %}<button>a</button></form>
            """,
            others={
                "requirements.txt": """
                django==5.1
                """,
            },
        ),
        code(
            """
            <form method="get"><input name="{{ a }}"></form>
            """,
            others={
                "requirements.txt": """
                django==5.1
                """,
            },
        ),
    ]
    INVALID = [
        code(
            """
            <p>{{ a }}</p>
            «<form» method="post" action="/save"><input name="a"></form>
            """,
            others={
                "requirements.txt": """
                django==5.1
                """,
            },
        ),
        code(
            """
            {% if a > b %}«<form» action="{{ url_for('save') }}" method=POST><input></form>{% endif %}
            """,
            others={
                "app.py": """
                CSRFProtect(app)
                """,
            },
        ),
    ]

    def run(self) -> None:
        text = self.source.text
        if "post" not in text.lower() or not self._checks_tokens:
            return
        for tag in tags(text):
            if (
                tag.name == "form"
                and (tag.value("method") or "").lower() == "post"
                and not self._has_token(tag)
            ):
                self.report_at(
                    tag.start,
                    tag.start + len("<form"),
                    "this form posts without a CSRF token; add {% csrf_token %}",
                )

    def _has_token(self, tag: MarkupTag) -> bool:
        """Return True if a form has a token, may include one, or posts to another site."""
        lower = self.source.text.lower()
        end = lower.find("</form", tag.end)
        body = lower[tag.end : end if end >= 0 else len(lower)]
        sent_by_script = any(
            attribute.name.lower().startswith(("hx-", "x-", "@submit")) for attribute in tag.attributes
        )
        is_elsewhere = _OTHER_SITE.match(tag.value("action") or "") is not None
        return is_elsewhere or sent_by_script or _MAY_HOLD_TOKEN.search(body) is not None

    @cached_property
    def _checks_tokens(self) -> bool:
        """Return True if the project uses a framework that requires a token, or keeps logins in a cookie."""
        return bool(self.source.project.files_with_word([*_DJANGO, *_FORM_TOKENS, *_LOGINS], _MANIFESTS))


def _unescaped(expression: str) -> str:
    """Return the operand that ``|safe`` applies to: a filter binds more tightly than an operator."""
    chain = _SAFE.split(expression)[0].partition("|")[0]
    return chain.strip() if "(" in chain else _OPERATOR.split(chain)[-1].strip()


def _fills_in(one: Attribute) -> bool:
    """Return True if a value may contain a space: neither a number nor an address the framework creates."""
    filled = _FILLED.search(one.value)
    return filled is not None and _NO_SPACE.search(filled["inside"]) is None


_CODE = LazyPattern(
    r"(?s)\{#.{0,2000}?#\}|\{\{-?(?P<inside>.{0,2000}?)-?\}\}|\{%-?\s{0,50}(?P<statement>.{0,2000}?)-?%\}"
)
_SAFE = LazyPattern(r"\|\s{0,20}safe\b|\bMarkup\(")
_IS_LITERAL = LazyPattern(
    r"(?:'[^'\n]{0,500}'|\"[^\"\n]{0,500}\")\s{0,20}(?:\|\s{0,20}\w{1,40}\s{0,20})?\|\s{0,20}safe\b"
    r"|\|\s{0,20}safe\s{0,20}\|\s{0,20}(?!(?:default|trim|lower|upper|title|capitalize|center|indent|d)\b)\w"
)
"""A literal as the operand of ``|safe``, or a later filter whose result is escaped again."""
_OPERATOR = LazyPattern(r"\s(?:if|else|or|and|not|in|is)\s")
_CLEANED = LazyPattern(
    r"(?i)tojson|json_script|escape|bleach|saniti|clean|nh3|dumps|\.media\b|csrf|icon|svg|striptags|urlize"
    r"|linebreaks|markdown|\|\s{0,20}(?:int|length|truncate\w*|date|floatformat)\b|^\s{0,20}[\"'_]"
)
"""Filters and names of values whose markup is created or sanitized by code."""
_AUTOESCAPE_OFF = LazyPattern(r"autoescape\s+(?:off|false)\b")
_FILLED = LazyPattern(r"(?s)\{\{-?(?P<inside>.{0,2000}?)-?\}\}")
_NO_SPACE = LazyPattern(
    r"(?:^|[._])(?:id|pk|uuid|index0?|counter0?|count|length|number|num|size|width|height|page|year|month|day|port)"
    r"\s{0,20}(?:\||$)|\|\s{0,20}(?:int|length|slugify|urlencode|tojson|count|date|floatformat|yesno)\b"
    r"|^\s{0,20}(?:url_for|static|url|range|loop)\b|\(|^\s{0,20}\d|[\"']"
)
_OTHER_SITE = LazyPattern(r"\s*(?:https?:)?//")
_MAY_HOLD_TOKEN = LazyPattern(
    r"csrf|hidden_tag|\{%-?\s{0,20}(?:include|import|from|call|crispy|bootstrap|render|component|form|block)"
    r"|\{\{-?\s{0,20}(?:form|wtf|render|macros?|forms?)\b|\{\{[^{}]{0,200}\("
)
CHECKS = (UnescapedValue, UnquotedAttribute, FormWithoutToken)
