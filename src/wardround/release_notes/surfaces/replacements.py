"""The name that replaces a removed symbol: stated by its deprecation at the base, or found by its body."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from wardround.languages.python.tree import UNREADABLE, cached_parse, unparse, walk
from wardround.lazy import LazyPattern
from wardround.release_notes.surfaces.python_declaration import definition

_NAME = r"[`'\":\w\s]*?[`'\"]+(?:~?[.\w]*?)([A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)*)(?:\(\))?[`'\"]+"
_STATED = (
    LazyPattern(
        rf"(?i)\b(?:use|prefer|call|import)\s+(?:the\s+)?{_NAME}\s*(?:function|class|method)?\s*(?:instead)?"
    ),
    LazyPattern(
        rf"(?i)\b(?:in\s+favou?r\s+of|replaced\s+by|renamed\s+to|moved\s+to|deprecated\s+for){_NAME}"
    ),
)
_PLAIN = LazyPattern(r"(?i)\b(?:use|prefer)\s+([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:\(\))?\s+instead\b")
_END = r"(?:\(\))?[`'\"]?\s*"
_MARK = LazyPattern(r"(?i)deprecat")


def stated_replacement(text: str, name: str) -> str:
    """Return the replacement in the deprecation of a symbol; empty if it has none.

    Args:
        name: qualified in the module.
    """
    try:
        tree = cached_parse(text)
    except UNREADABLE:
        return ""
    node = definition(tree, name)
    texts = _texts(node) if node is not None else ()
    return next((found for text in texts if (found := _replacement_in(text)) and found != name), "")


def named_replacement(message: str, name: str, head: str) -> str:
    """Return the new name of a symbol by the message of the commit that renames it; empty if it states none.

    Args:
        head: the file at the head, which has to contain the new name.
    """
    pattern = (
        rf"(?i)\brenam\w*:?\s+[`'\"]?(?:[\w.]*\.)?{re.escape(name)}{_END}(?:to|->|=>|→)\s+[`'\"]?([\w.]+)"
    )
    match = re.search(pattern, message)
    new = match[1].strip(".").rpartition(".")[2] if match else ""
    return new if new and re.search(rf"\b{re.escape(new)}\b", head) else ""


def is_deprecated(text: str, name: str) -> bool:
    """Return True if the definition of a symbol marks it as deprecated."""
    try:
        node = definition(cached_parse(text), name)
    except UNREADABLE:
        return False
    return node is not None and next(_texts(node), None) is not None


def _texts(node: ast.AST) -> Iterator[str]:
    """Yield the texts of a definition that mark it as deprecated."""
    documentation = ast.get_docstring(node) if isinstance(node, ast.FunctionDef | ast.ClassDef) else None
    paragraphs = re.split(r"\n\s*\n", documentation or "")
    yield from (" ".join(paragraph.split()) for paragraph in paragraphs if _MARK.search(paragraph))
    for decorator in getattr(node, "decorator_list", ()):
        if _MARK.search(unparse(decorator)):
            yield from _strings(decorator)
    for call in filter(_is_warning, walk(node)):
        yield from _strings(call)


def _is_warning(node: ast.AST) -> bool:
    """Return True for a call that warns of a deprecation."""
    if not isinstance(node, ast.Call) or not unparse(node.func).endswith("warn"):
        return False
    return "Deprecat" in unparse(node)


def _strings(node: ast.AST) -> Iterator[str]:
    parts = [
        inner.value
        for inner in walk(node)
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
    ]
    if parts:
        yield " ".join(" ".join(parts).split())


def _replacement_in(text: str) -> str:
    for pattern in (*_STATED, _PLAIN):
        match = pattern.search(text)
        if match:
            return match[1]
    return ""
