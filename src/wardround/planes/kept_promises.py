"""Guarantees of the old result that a Python function still gives after the change, if they are certain.

Two are: an example in its docstring with exactly this call and the old result, and a return annotation that
does not permit the ``None`` that it returns now.
"""

from __future__ import annotations

import ast
import doctest

from wardround.context.run_evidence import BehaviourDifference
from wardround.languages.python.tree import UNREADABLE, parse, unparse

_PLAIN_TYPES = frozenset(
    {"int", "str", "float", "bool", "bytes", "complex", "list", "dict", "set", "frozenset", "tuple"}
)
"""Names in annotations that never permit None, unless a module rebinds a builtin."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def guarantee_kept(text: str, difference: BehaviourDifference) -> str:
    """Return the promise of the old result, as a clause about the function; empty if none is certain.

    Args:
        text: content of the file at the head.
    """
    function = _function(text, difference)
    if function is None:
        return ""
    if _has_example(function, difference):
        return "its documentation shows this call with the old result"
    if _excludes_none(function, difference):
        assert function.returns is not None
        return f"its annotation promises {unparse(function.returns)}"
    return ""


def _function(text: str, difference: BehaviourDifference) -> _Function | None:
    try:
        tree = parse(text)
    except UNREADABLE:
        return None
    name = difference.function.rpartition(".")[2]
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, _Function) and node.name == name and _is_at(node, difference.line)
    ]
    return found[0] if len(found) == 1 else None


def _is_at(node: _Function, line: int) -> bool:
    """Return True for the line of the definition or of its first decorator, which a frame names."""
    return line in {node.lineno, *(decorator.lineno for decorator in node.decorator_list)}


def _has_example(function: _Function, difference: BehaviourDifference) -> bool:
    expected = difference.before.returned
    documentation = ast.get_docstring(function)
    if expected is None or documentation is None or ">>>" not in documentation:
        return False
    try:
        examples = doctest.DocTestParser().get_examples(documentation)
    except ValueError:
        return False
    return any(
        example.source.strip() == difference.call and example.want.strip() == expected and not example.exc_msg
        for example in examples
    )


def _excludes_none(function: _Function, difference: BehaviourDifference) -> bool:
    returns_none_now = difference.after.returned == "None" and difference.before.returned not in (
        None,
        "None",
    )
    is_plain_call = isinstance(function, ast.FunctionDef) and not function.decorator_list
    return returns_none_now and is_plain_call and _is_plain(function.returns)


def _is_plain(annotation: ast.expr | None) -> bool:
    """Return True for a builtin type, with arguments or without: not a union, a string or an alias."""
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    return isinstance(annotation, ast.Name) and annotation.id in _PLAIN_TYPES
