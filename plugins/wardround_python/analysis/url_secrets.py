"""Texts of URLs whose query contains a key: ``f"{base}?api_key={key}"``."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.literals import value_there
from wardround.languages.python.module import PythonModule, last_name
from wardround.languages.python.tree import unparse

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


def holds_secret(module: PythonModule, node: ast.expr, arguments: Sequence[ast.expr] = ()) -> bool:
    """Return True if a text contains a URL with a key in its query.

    Args:
        arguments: what a logger puts in place of the ``%s`` of the text.
    """
    text = _text(module, node)
    if arguments:
        text = _filled(module, text, _PERCENT, arguments, ())
    return _HELD.search(text) is not None


def _text(module: PythonModule, node: ast.expr, deep: int = 3) -> str:
    """Return a text in which ``{name}`` marks a value; a value that a call may have masked is left out."""
    match node:
        case ast.Constant():
            return str(node.value)
        case ast.JoinedStr():
            return "".join(_text(module, part, deep) for part in node.values)
        case ast.FormattedValue():
            return _text(module, node.value, deep)
        case ast.BinOp(op=ast.Add()):
            return _text(module, node.left, deep) + _text(module, node.right, deep)
        case ast.BinOp(op=ast.Mod()):
            values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            return _filled(module, _text(module, node.left, deep), _PERCENT, values, ())
        case ast.Call():
            return _text_of_call(module, node, deep)
        case ast.Name() | ast.Attribute():
            value = value_there(module, node) if deep else None
            return f"{{{unparse(node)}}}" if value is None else _text(module, value, deep - 1)
        case ast.Subscript():
            return f"{{{unparse(node)}}}".replace("}", "") + "}"
        case _:
            return ""


def _text_of_call(module: PythonModule, node: ast.Call, deep: int) -> str:
    name = last_name(node.func)
    if name == "format" and isinstance(node.func, ast.Attribute):
        return _filled(module, _text(module, node.func.value, deep), _BRACES, node.args, node.keywords)
    if name == "urlencode" and node.args:
        return _text_of_query(module, node.args[0], deep)
    if name in ("getenv", "get") and module.imported_name(node.func) in ("os.getenv", "os.environ.get"):
        return f"{{{unparse(node)}}}"
    return _text(module, node.args[0], deep) if name in _PLAIN and node.args else ""


def _text_of_query(module: PythonModule, node: ast.expr, deep: int) -> str:
    """Return the text of an encoded mapping."""
    value = value_there(module, node) if isinstance(node, (ast.Name, ast.Attribute)) else node
    if not isinstance(value, ast.Dict):
        return ""
    pairs = zip(value.keys, value.values, strict=True)
    return "&".join(
        f"{_text(module, key, deep)}={_text(module, held, deep)}" for key, held in pairs if key is not None
    )


def _filled(
    module: PythonModule,
    text: str,
    places: LazyPattern,
    values: Sequence[ast.expr],
    named: Sequence[ast.keyword],
) -> str:
    """Return a text with its places filled, in order or by name."""
    left = iter(values)
    by_name = {keyword.arg: keyword.value for keyword in named}

    def fill(place: re.Match[str]) -> str:
        name = place["name"]
        value = by_name.get(name) if name else next(left, None)
        return _text(module, value) if value is not None else place[0]

    return places.sub(fill, text)
