"""Sources: expressions that hold data from outside the program, and the taint of each kind."""

from __future__ import annotations

import ast

from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.semantics.dataflow.domain import REQUEST
from wardround_python.dataflow.catalogue import SOURCES
from wardround_python.dataflow.domain import ALL, MODEL, UPLOAD, SinkKind, Taint
from wardround_python.dataflow.request_objects import is_request, parameters

# An address in a record that a user of the site entered.
STORED_ADDRESS = LazyPattern(
    r"(?i)^(webhook|callback|hook|feed|avatar|logo|image|picture|icon|photo|source|import|remote|target|endpoint|"
    r"notify|notification|website|homepage|profile|delivery|ping|subscriber|logo_source|image_source)_?(url|uri)$"
)
FROM_REQUEST: Taint = {REQUEST: ALL}
FROM_LINE: Taint = {REQUEST: ALL & ~SinkKind.LOG}
"""The taint of a part of the first line of a request, which therefore contains no line break."""
FROM_HOST: Taint = {REQUEST: SinkKind.HOST}
FROM_PATH: Taint = {
    REQUEST: SinkKind.HTML
    | SinkKind.TEMPLATE
    | SinkKind.SHELL
    | SinkKind.CODE
    | SinkKind.SQL
    | SinkKind.LDAP
    | SinkKind.XPATH
}
FROM_SENDER: Taint = {REQUEST: ALL & ~(SinkKind.REDIRECT | SinkKind.URL | SinkKind.FIELDS | SinkKind.LOG)}
FROM_UPLOAD: Taint = {
    UPLOAD: SinkKind.OBJECTS | SinkKind.CODE | SinkKind.TEMPLATE | SinkKind.SQL | SinkKind.SHELL
}
FROM_MODEL: Taint = {
    MODEL: SinkKind.SQL | SinkKind.SHELL | SinkKind.CODE | SinkKind.TEMPLATE | SinkKind.OBJECTS
}
_MODEL_TEXT = LazyPattern(
    r"(\.choices\[\d\]\.message|\.message)\.content$|\.output_text$|\.content\[\d\]\.text$|\.function\.(name|arguments)$|"
    r"\.(invoke|predict|generate|generate_content)\(.*\)\.(content|text)$|"
    r"\['choices'\]\[\d\]\['message'\]\['content'\]$"
)


def is_model_text(module: PythonModule, node: ast.Attribute | ast.Subscript) -> bool:
    """Return True if an expression is the output of a language model."""
    name = node.attr if isinstance(node, ast.Attribute) else "content"
    if name not in {"content", "text", "output_text", "name", "arguments"}:
        return False
    return (
        not module.packages.isdisjoint(SOURCES.model_libraries)
        and _MODEL_TEXT.search(unparse(node)) is not None
    )


_RAW_PARTS = frozenset({"self.path", "self.headers", "self.rfile"})


def is_raw_request(module: PythonModule, key: str | None, function: FunctionNode | None) -> bool:
    """Return True for a part of the request in a handler of the standard library's HTTP server."""
    if key not in _RAW_PARTS or function is None:
        return False
    cls = module.class_of(function)
    return cls is not None and any(unparse(base).endswith("HTTPRequestHandler") for base in cls.bases)


_SENT_KEYS = LazyPattern(r"^(HTTP_\w+|QUERY_STRING|PATH_INFO|REQUEST_URI|RAW_URI|wsgi\.input)$")


def is_sent_key(module: PythonModule, on: ast.expr, key: ast.expr, function: FunctionNode | None) -> bool:
    """Return True for an entry of a WSGI environment that the sender chooses."""
    if not isinstance(key, ast.Constant) or not _SENT_KEYS.match(str(key.value)):
        return False
    if isinstance(on, ast.Attribute):
        return on.attr == "environ" and is_request(module, on.value, function)
    names = [parameter.arg for parameter in parameters(function)] if function is not None else []
    return isinstance(on, ast.Name) and on.id in names and {"start_response", on.id} <= {*names[-2:]}
