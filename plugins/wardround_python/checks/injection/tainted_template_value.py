from __future__ import annotations

from collections.abc import Iterator

from wardround.checks.base import ChangeCheck
from wardround.findings import Plane, Severity, Span
from wardround.lazy import LazyPattern
from wardround.rules.cases import change

# ``{{ comment.body | safe }}``: the value, then the filters.
_FILLED = LazyPattern(r"\{\{-?\s*(?P<value>[\w.\[\]'\"()]{1,80})\s*(?P<filters>\|[^{}]{0,120})\}\}")
_SAFE = LazyPattern(r"\|\s*safe\b")
_OFF = LazyPattern(r"\{%-?\s*autoescape\s+(off|false|False)\s*-?%\}")
# Fields with text that visitors write.
_VISITORS = LazyPattern(
    r"(?i)^(\w+_)?(comments?|message|msg|reviews?|user|profile|author|visitor|guest|feedback|repl(y|ies)|question|answer|"
    r"ticket|contact|member|customer|request|query|search|q|bio|note|chat|review|testimonial|submission)$"
)
_TRUSTED = LazyPattern(
    r"(?i)html|markdown|markup|rendered|safe|json|svg|icon|form|widget|script|style|css|media|trans|qr_?code|attrs|"
    r"sanit|clean|bleach|escape|linkify|render_|toc|embed|avatar|badge|csrf|config|settings"
)


_NO_PAGE = LazyPattern(r"(?i)(^|[/_.-])(tests?|te?xt|plain)([/_.-]|$)")


class TaintedTemplateValue(ChangeCheck):
    """A template writes user input into the page unescaped.

    ``safe`` disables the automatic escaping of the template, so a comment that contains a script runs in the
    browser of every reader. Remove the filter, or sanitize the text first with ``nh3``.
    """

    ID = "PY360"
    NAME = "tainted-template-value"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "html-injection"
    PATHS = (".html", ".htm", ".jinja", ".j2")
    WORDS = ("safe", "autoescape")
    VALID = [
        change(
            {
                "shop/templates/note.html": (
                    None,
                    """
                    <p>{{ comment.body }}</p>
                    """,
                ),
            },
        ),
        change(
            {
                "shop/templates/note.html": (
                    None,
                    """
                    <p>{{ comment.body_html | safe }}</p>
                    """,
                ),
            },
        ),
    ]
    INVALID = [
        change(
            {
                "shop/templates/note.html": (
                    None,
                    """
                    <div>
                      <p>«{{ comment.body | safe }}»</p>
                    </div>
                    """,
                ),
            },
        ),
        change(
            {
                "shop/templates/found.html": (
                    None,
                    """
                    <p>Nothing for «{{ request.GET.q|safe }}»</p>
                    """,
                ),
            },
        ),
    ]

    def run(self) -> None:
        for file in self.change.files:
            is_page = file.path.lower().endswith(self.PATHS) and not _NO_PAGE.search(file.path)
            text = file.text if is_page else None
            for number, line in enumerate((text or "").split("\n"), 1):
                if ("safe" in line or "autoescape" in line) and file.is_added(number):
                    for start, end, message in _message(line):
                        self.report(file.path, Span(number, start + 1, number, end + 1), message)


def _message(line: str) -> Iterator[tuple[int, int, str]]:
    for found in _FILLED.finditer(line):
        names = found["value"].replace("(", ".").replace("[", ".").split(".")
        is_trusted = _TRUSTED.search(found["value"]) or _TRUSTED.search(_SAFE.sub("", found["filters"]))
        if _SAFE.search(found["filters"]) and not is_trusted and any(map(_VISITORS.search, names)):
            yield (
                found.start(),
                found.end(),
                "user input reaches the page unescaped; remove the filter or sanitize the text",
            )
    off = _OFF.search(line)
    if off is not None:
        yield off.start(), off.end(), "values in this block reach the page unescaped; enable autoescaping"
