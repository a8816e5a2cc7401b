"""Texts of URLs whose query contains a key: ``f"{base}?api_key={key}"``."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from wardround.languages.python.literals import assigned_value
from wardround.languages.python.module import PythonModule, last_name
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern

_HELD = LazyPattern(
    r"(?i)[?&](?:(?:x[-_])?api[-_]?key|access[-_]?token|auth[-_]?token|private[-_]?token|client[-_]?secret|secret"
    r"|(?:subscription|app|access)[-_]?key|passw(?:or)?d)=\{[^}]"
    r"|[?&](?:token|key|auth|appid|sig|signature)=\{[^}]*"
    r"(?:api_?key|secret|passw|(?:auth|access|private|bot)_?token)"
)
"""A filled parameter of a query: named after a secret, or filled with a value that is."""
_PERCENT = LazyPattern(r"%(?:\((?P<name>\w+)\))?[sr]")
_BRACES = LazyPattern(r"\{(?P<name>\w*)(?:![rs])?\}")
_PLAIN = frozenset({"str", "quote", "quote_plus"})
"""Calls that return their argument; any other may mask it."""


def contains_secret(module: PythonModule, node: ast.expr, arguments: Sequence[ast.expr] = ()) -> bool:
    """Return True if a string contains a URL with a key in its query.

    Args:
        arguments: what a logger inserts for the ``%s`` of the string.
    """
    text = _string_with_markers(module, node)
    if arguments:
        text = _fill_placeholders(module, text, _PERCENT, arguments, ())
    return _HELD.search(text) is not None


def _string_with_markers(module: PythonModule, node: ast.expr, deep: int = 3) -> str:
    """Return a string in which ``{name}`` marks a value; a value that a call may have masked is omitted."""
    match node:
        case ast.Constant():
            return str(node.value)
        case ast.JoinedStr():
            return "".join(_string_with_markers(module, part, deep) for part in node.values)
        case ast.FormattedValue():
            return _string_with_markers(module, node.value, deep)
        case ast.BinOp():
            return _text_of_operation(module, node, deep)
        case ast.Call():
            return _string_of_call(module, node, deep)
        case ast.Name() | ast.Attribute():
            return _text_of_name(module, node, deep)
        case ast.Subscript():
            return f"{{{unparse(node)}}}".replace("}", "") + "}"
        case _:
            return ""


def _text_of_operation(module: PythonModule, node: ast.BinOp, deep: int) -> str:
    """Return the text of a concatenation or of ``text % values``."""
    match node.op:
        case ast.Add():
            return _string_with_markers(module, node.left, deep) + _string_with_markers(
                module, node.right, deep
            )
        case ast.Mod():
            values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            return _fill_placeholders(
                module, _string_with_markers(module, node.left, deep), _PERCENT, values, ()
            )
        case _:
            return ""


def _text_of_name(module: PythonModule, node: ast.Name | ast.Attribute, deep: int) -> str:
    value = assigned_value(module, node) if deep else None
    return f"{{{unparse(node)}}}" if value is None else _string_with_markers(module, value, deep - 1)


def _string_of_call(module: PythonModule, node: ast.Call, deep: int) -> str:
    name = last_name(node.func)
    if name == "format" and isinstance(node.func, ast.Attribute):
        return _fill_placeholders(
            module, _string_with_markers(module, node.func.value, deep), _BRACES, node.args, node.keywords
        )
    if name == "urlencode" and node.args:
        return _string_of_query(module, node.args[0], deep)
    if name in ("getenv", "get") and module.imported_name(node.func) in ("os.getenv", "os.environ.get"):
        return f"{{{unparse(node)}}}"
    return _string_with_markers(module, node.args[0], deep) if name in _PLAIN and node.args else ""


def _string_of_query(module: PythonModule, node: ast.expr, deep: int) -> str:
    """Return the text of an encoded mapping."""
    value = assigned_value(module, node) if isinstance(node, (ast.Name, ast.Attribute)) else node
    if not isinstance(value, ast.Dict):
        return ""
    pairs = zip(value.keys, value.values, strict=True)
    return "&".join(
        f"{_string_with_markers(module, key, deep)}={_string_with_markers(module, held, deep)}"
        for key, held in pairs
        if key is not None
    )


def _fill_placeholders(
    module: PythonModule,
    text: str,
    places: LazyPattern,
    values: Sequence[ast.expr],
    named: Sequence[ast.keyword],
) -> str:
    """Return a string with its placeholders filled, in order or by name."""
    left = iter(values)
    by_name = {keyword.arg: keyword.value for keyword in named}

    def fill(place: re.Match[str]) -> str:
        name = place["name"]
        value = by_name.get(name) if name else next(left, None)
        return _string_with_markers(module, value) if value is not None else place[0]

    return places.sub(fill, text)
