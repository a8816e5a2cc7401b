"""Places where one of ruff's security codes is wrong, as far as the rest of the module tells."""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path

from wardround.findings import Span
from wardround_python.module import PythonModule

DOUBTED = frozenset({"S102", "S113", "S307", "S317", "S602", "S604", "S605", "S608"})
_TEXTS = frozenset({"S102", "S307", "S602", "S604", "S605"})
_EXTERNAL = "feature_external_ges, False"


def is_harmless(file: Path, code: str, span: Span) -> bool:
    """Whether the text a code complains of is made of nothing but what stands in the module.

    Then nobody's quote can change what it does. Of S113: whether the timeout comes with the ``**`` arguments;
    of S317: whether external entities are switched off.
    """
    try:
        text = file.read_text("utf-8-sig")
        return _is_harmless(file.name, text, code, span)
    except (OSError, ValueError, SyntaxError, RecursionError):
        return False


def _is_harmless(name: str, text: str, code: str, span: Span) -> bool:
    from wardround_python.constants import is_constant_text

    module = _module(name, text)
    if code == "S317":
        return _EXTERNAL in text or ("feature_external_ges" in text and _switches_all_off(module.tree))
    node = next(
        (
            one
            for one in module.expressions_on.get(span.line, ())
            if one.col_offset + 1 == span.column and (code == "S608" or isinstance(one, ast.Call))
        ),
        None,
    )
    if node is None:
        return False
    if code == "S113":
        return isinstance(node, ast.Call) and _brings_timeout(module.tree, node)
    if code in _TEXTS:
        assert isinstance(node, ast.Call)
        given = [*node.args[:1], *(k.value for k in node.keywords if k.arg in {"args", "cmd", "command"})]
        if not given:
            return False
        node = given[0]
    return is_constant_text(module, node, node) or _is_certain(module, node)


def _is_certain(module: PythonModule, node: ast.expr) -> bool:
    from wardround_python.taint.certain import is_certain  # only where something was complained of

    return is_certain(module, node)


@lru_cache(maxsize=4)
def _module(name: str, text: str) -> PythonModule:
    return PythonModule(name, text)


def _switches_all_off(tree: ast.Module) -> bool:
    """Whether every feature of a parser that a module sets is set to something false."""
    calls = [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr == "setFeature"
    ]
    return bool(calls) and all(
        len(one.args) == 2 and isinstance(one.args[1], ast.Constant) and not one.args[1].value
        for one in calls
    )


def _brings_timeout(tree: ast.Module, call: ast.Call) -> bool:
    """Whether what is spread into a call, by name, holds a timeout where the module makes it."""
    spread = {
        one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "")
        for keyword in call.keywords
        if keyword.arg is None
        for one in ast.walk(keyword.value)
    } - {"", "self"}
    return any(
        "timeout" in ast.unparse(one)
        for one in ast.walk(tree)
        if (isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and one.name in spread)
        or (
            isinstance(one, ast.Assign)
            and any(ast.unparse(target).rpartition(".")[2] in spread for target in one.targets)
        )
    )
