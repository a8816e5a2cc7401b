"""Queries for values of a module that are constant, whatever the arguments of its functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from wardround.findings import Span
from wardround.languages.python.cache import cached_module
from wardround.languages.python.module import PythonModule
from wardround_python.analysis.constant_texts import is_constant_text
from wardround_python.dataflow.check import may_have_source
from wardround_python.dataflow.known_value import KnownConstant
from wardround_python.dataflow.module_analysis import observe_module
from wardround_python.dataflow.modules import imports_project_module, nothing
from wardround_python.dataflow.value_recorder import Seen, Table, string_pieces


def is_known(path: str, text: str, span: Span, read: Callable[[str], str | None] = nothing) -> bool:
    """Return True if the expression at a span, or the first argument of a call there, is constant."""
    try:
        module = cached_module(path, text)
        values = [_decisive(node) for node in _expressions_at(module, span)]
        return any(is_constant_text(module, value, value) for value in values) or any(
            follows_from_program(module, value, read) for value in values
        )
    except (SyntaxError, ValueError, RecursionError):
        return False


def _expressions_at(module: PythonModule, span: Span) -> Iterator[ast.expr]:
    nodes = [node for node in module.expressions_on.get(span.line, ()) if _is_at(module, node, span)]
    # Before Python 3.12 the literal parts of an f-string have the position of the f-string itself.
    texts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    return (node for node in nodes if id(node) not in texts)


def follows_from_program(
    module: PythonModule, node: ast.expr, read: Callable[[str], str | None] = nothing
) -> bool:
    """Return True if an expression is constant by what the module, or the modules it imports, define.

    Args:
        read: path -> the content of another file of the project.
    """
    if is_certain(module, node):
        return True
    return (
        may_have_source(module.text)
        and imports_project_module(module, read)
        and is_certain(module, node, read)
    )


def _is_at(module: PythonModule, node: ast.expr, span: Span) -> bool:
    """Return True if an expression, or the function it calls, is at a span."""
    if module.span(node) == span:
        return True
    return isinstance(node, ast.Call) and module.span(node.func) == span


def _decisive(node: ast.expr) -> ast.expr:
    if not isinstance(node, ast.Call):
        return node
    named = [k.value for k in node.keywords if k.arg in {"args", "cmd", "command", "stream", "obj", "data"}]
    return next(iter((*node.args, *named)), node)


def is_certain(module: PythonModule, node: ast.expr, read: Callable[[str], str | None] = nothing) -> bool:
    """Return True if every part of an expression is constant in every analysis that evaluates it.

    Args:
        read: path -> the content of another file of the project, if values are followed into these.
    """
    known = observe_module(module, read)
    return node in known and _is_fixed(module, node, known)


def constant_of(module: PythonModule, node: ast.expr) -> KnownConstant | None:
    """Return the constant an expression always evaluates to; None if unknown."""
    if isinstance(node, ast.Constant):
        return (
            KnownConstant(node.value)
            if isinstance(node.value, (str, bytes, int, float, type(None)))
            else None
        )
    known = observe_module(module).get(node)
    return known if isinstance(known, KnownConstant) else None


def entries_of(module: PythonModule, node: ast.expr) -> Table | None:
    """Return the entries of the mapping an expression refers to when it is read; None if unknown."""
    known = observe_module(module).get(node)
    return known if isinstance(known, dict) else None


def _is_fixed(module: PythonModule, node: ast.expr, known: Seen) -> bool:
    if isinstance(known.get(node), KnownConstant):
        return True
    parts = string_pieces(node)
    if parts is None:
        return is_constant_text(module, node, node)
    return all(_is_fixed(module, part, known) for part in parts)
