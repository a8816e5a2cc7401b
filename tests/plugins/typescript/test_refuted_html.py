"""Findings about HTML whose values a function of the file escapes are refuted."""

from __future__ import annotations

import pytest
from wardround_typescript.false_positives import refutes

from wardround.findings import Span

_QUOTED = "const quoted = (value) => value.replace(/[&<>]/g, (sign) => SIGNS[sign]);"


@pytest.mark.parametrize(
    ("statement", "is_refuted"),
    [
        ("box.innerHTML = `<b>${title}</b>`", True),
        ("box.insertAdjacentHTML('beforeend', '<b>' + title + '</b>')", True),
        ("box.innerHTML = `<b>${safe}</b>`", False),
        ("box.innerHTML = html", False),
        ("document.write(unescape(entry.title))", False),
        ("box.innerHTML = `<b>${escapeHtml(entry.title)}</b>`", True),
        ("box.innerHTML = `<b>${title}${entry.title}</b>`", False),
        ("box.innerHTML = other.innerHTML", False),
    ],
)
def test_value_of_html(statement: str, is_refuted: bool) -> None:
    lines = (_QUOTED, "export function show(entry, safe, html) {", "const title = quoted(entry.title);")
    text = "\n".join((*lines, f"{statement};", "}"))
    span = Span(4, 1, 4, len(statement) + 1)
    assert refutes("src/a.js", text, "html-injection", span, lambda path: None) is is_refuted
