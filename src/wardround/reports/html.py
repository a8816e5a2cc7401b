"""The HTML report: one file that a browser opens without a network, and that prints.

Its policy forbids every request. Without scripts it shows everything; they add the filters.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from wardround.reports.html_page import overview
from wardround.reports.html_page.elements import Markup, element
from wardround.reports.html_page.findings import findings
from wardround.reports.html_page.trend import trend
from wardround.review_result import ReviewResult


def render(review: ReviewResult) -> str:
    """Return the report as one HTML document."""
    style, script = _resource("page.css"), _resource("page.js")
    policy = f"default-src 'none'; style-src {_source(style)}; script-src {_source(script)}; base-uri 'none'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"wardround: {review.gate.outcome.value}"),
        element("style", style),
    )
    main = element("main", *_sections(review))
    body = element("body", overview.header(review), main, element("script", script))
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _sections(review: ReviewResult) -> list[Markup]:
    before = [overview.planes(review.conclusion.signals), findings(review)]
    return [*before, *overview.after_findings(review), *trend(review)]


def _resource(name: str) -> Markup:
    return Markup((files("wardround.reports.html_page") / name).read_text("utf-8"))


def _source(text: str) -> str:
    """Return the digest by which the policy admits a style or a script."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"
