"""Responses that are pages, by their declared types."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.languages.python.module import last_name
from wardround.lazy import LazyPattern
from wardround_python.dataflow.domain import SinkKind
from wardround_python.dataflow.sink_catalogue import Reached, Sink, each_argument
from wardround_python.syntax.calls import keyword_values

_PAGES = frozenset({"pyramid.response.Response", "webob.Response"})
"""Responses that are pages unless they declare another type, as in Flask."""
_HTML_TYPE = LazyPattern(r"text/html|xhtml|svg")
_BODIES = ("body", "content", "text", "response")


def headers_in(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield the headers of a response by lower-case name, from a mapping or a list of pairs."""
    if isinstance(node, ast.Dict):
        pairs = list(zip(node.keys, node.values, strict=True))
    elif isinstance(node, ast.List):
        pairs = [
            (element.elts[0], element.elts[1])
            for element in node.elts
            if isinstance(element, ast.Tuple) and len(element.elts) == 2
        ]
    else:
        return
    for key, value in pairs:
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value.lower(), value


def _type_of(call: ast.Call) -> str | None:
    for keyword in call.keywords:
        if keyword.arg in {"content_type", "mimetype", "media_type"}:
            value = keyword.value
            return str(value.value) if isinstance(value, ast.Constant) else ""
    return None


def is_typed(call: ast.Call) -> bool:
    """Return True if the response declares another type than a page."""
    content_type = _type_of(call)
    return content_type is not None and not _HTML_TYPE.search(content_type)


def page_kinds(node: ast.expr) -> SinkKind:
    """Return the kinds of sink a page is; text that is built in the call must be escaped completely."""
    is_filled = isinstance(node, ast.Call) and last_name(node.func) in {"format", "format_map"}
    is_text = is_filled or isinstance(node, (ast.JoinedStr, ast.BinOp, ast.Name, ast.Subscript))
    return SinkKind.HTML | SinkKind.PAGE if is_text else SinkKind.PAGE


def is_not_page(headers: ast.expr) -> bool:
    """Return True if headers declare another type of content than a page."""
    return any(
        header == "content-type"
        and isinstance(value, ast.Constant)
        and not _HTML_TYPE.search(str(value.value))
        for header, value in headers_in(headers)
    )


def pages(call: ast.Call, name: str) -> Reached:
    """Yield the bodies of responses that are pages if they declare it, or if the text has tags."""
    if any(map(is_not_page, (*call.args[1:], *keyword_values(call, "headers")))):
        return
    content_type = _type_of(call)
    is_page_by_default = name.startswith("flask.") or name in _PAGES
    if content_type is not None and _HTML_TYPE.search(content_type):
        yield from each_argument(SinkKind.HTML, Sink(SinkKind.HTML, keywords=_BODIES).arguments(call))
    elif content_type is None and is_page_by_default:
        for value in Sink(SinkKind.PAGE, keywords=_BODIES).arguments(call):
            yield page_kinds(value), value
