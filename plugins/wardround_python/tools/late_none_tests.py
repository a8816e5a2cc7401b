"""Uses of a value that the same function tests for None only later: the author expects None there."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

from wardround.findings import Span
from wardround.languages.python.cache import cached_module
from wardround.languages.python.literals import is_none
from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround_python.tools.ruff_config import read_snapshot_file

CODES = frozenset(
    {
        "missing-union-attribute", "not-callable", "not-iterable", "not-subscriptable",
        "unsupported-operator", "reportOptionalCall", "reportOptionalContextManager",
        "reportOptionalIterable",
        "reportOptionalMemberAccess", "reportOptionalOperand", "reportOptionalSubscript",
    }
)  # fmt: skip
"""Codes of ty and pyright for the use of a value that may be None."""
ARGUMENT_CODES = frozenset({"invalid-argument-type", "reportArgumentType"})
"""Codes for an argument that may be None: of a function of Python itself, the call raises an error."""
LATE = "the same function tests for None only after this use"
_OF_NONE = LazyPattern(r"\bNone\b")
_CONDITIONAL = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.comprehension, ast.ListComp, ast.SetComp, ast.DictComp)
_SOMETIMES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.Match, ast.ExceptHandler)
"""Statements after which a use in their blocks may not have run."""
_BLOCKS = ("body", "orelse", "finalbody")
_HEADS = ("test", "iter", "subject")
"""The parts of those statements that always run."""
_BUILT_IN = frozenset(dir(builtins))


def refute_by_later_test(root: Path) -> Callable[[str, str, str, Span], bool]:
    """Return a test of whether a finding of a type checker is about a value that is tested too late.

    Its arguments are the file, the code, the message and the position.
    """
    text_of = cache(partial(read_snapshot_file, root))

    def is_tested_later(file: str, code: str, message: str, span: Span) -> bool:
        is_argument = code in ARGUMENT_CODES
        if not (is_argument or code in CODES) or not _OF_NONE.search(message):
            return False
        text = text_of(file)
        try:
            return text is not None and _is_tested_later(
                cached_module(file, text), span, is_argument=is_argument
            )
        except (ValueError, SyntaxError, RecursionError):
            return False

    return is_tested_later


def _is_tested_later(module: PythonModule, span: Span, *, is_argument: bool) -> bool:
    starting = module.starting_at(span.line, span.column)
    named = [node for node in starting if isinstance(node, (ast.Name, ast.Attribute))]
    if is_argument:
        named = [node for node in named if _is_passed_to_python(module, node)]
    return any(not _is_conditional(module, node) and _has_later_test(module, node) for node in named)


def _is_passed_to_python(module: PythonModule, node: ast.expr) -> bool:
    """Return True for an argument of a built-in function that the module does not replace."""
    call = next(module.ancestors(node), None)
    if not isinstance(call, ast.Call) or node not in call.args or not isinstance(call.func, ast.Name):
        return False
    name = call.func.id
    return name in _BUILT_IN and name not in module.assigned and name not in module.imported


def _is_conditional(module: PythonModule, node: ast.AST) -> bool:
    """Return True for a part of an expression that is not always evaluated."""
    for outer in module.ancestors(node):
        if isinstance(outer, ast.stmt):
            return False
        if isinstance(outer, _CONDITIONAL):
            return True
    return False


def _has_later_test(module: PythonModule, node: ast.expr) -> bool:
    function = module.function_of(node)
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    text = unparse(node)
    for using, following in _blocks_around(module, node, function):
        if _stores_value(using, text):
            return False
        for statement in following:
            if _heads_with_test(statement, text):
                return True
            if _may_rebind(statement, text):
                return False
            if _tests_none(statement, text):
                return True
    return False


def _blocks_around(
    module: PythonModule, node: ast.expr, function: FunctionNode
) -> Iterator[tuple[ast.stmt, Sequence[ast.stmt]]]:
    """Yield the statement of a use and those after it: of its block, then of the enclosing blocks that always
    run it.
    """
    inner: ast.AST = node
    for outer in module.ancestors(node):
        for name in _BLOCKS:
            block = getattr(outer, name, None)
            if isinstance(inner, ast.stmt) and isinstance(block, list) and inner in block:
                yield inner, block[block.index(inner) + 1 :]
        is_head = any(getattr(outer, name, None) is inner for name in _HEADS)
        if outer is function or (isinstance(outer, _SOMETIMES) and not is_head):
            return
        inner = outer


def _heads_with_test(statement: ast.stmt, text: str) -> bool:
    return isinstance(statement, (ast.If, ast.While)) and _is_none_test(statement.test, text)


def _tests_none(statement: ast.stmt, text: str) -> bool:
    return any(
        _is_none_test(node.test, text)
        for node in _nodes_of_statement(statement)
        if isinstance(node, (ast.If, ast.IfExp))
    )


def _is_none_test(test: ast.expr, text: str) -> bool:
    """Return True for ``x is None``, ``x``, ``not x`` or a chain of conditions that begins with one."""
    match test:
        case ast.BoolOp():
            return _is_none_test(test.values[0], text)
        case ast.UnaryOp(op=ast.Not()):
            return _is_none_test(test.operand, text)
        case ast.Compare(comparators=[compared]):
            return is_none(compared) and unparse(test.left) == text
        case _:
            return unparse(test) == text


def _stores_value(statement: ast.stmt, text: str) -> bool:
    """Return True if a statement assigns a value or the object that has it."""
    return any(
        isinstance(node, (ast.Name, ast.Attribute))
        and not isinstance(node.ctx, ast.Load)
        and unparse(node) in (text, text.partition(".")[0])
        for node in _nodes_of_statement(statement)
    )


def _may_rebind(statement: ast.stmt, text: str) -> bool:
    """Return True if a statement assigns a value, or makes a call that may assign it to its object."""
    base = text.partition(".")[0]
    calls = (node for node in _nodes_of_statement(statement) if isinstance(node, ast.Call))
    return _stores_value(statement, text) or (
        base != text and any(_contains_name(call, base) for call in calls)
    )


def _contains_name(node: ast.AST, name: str) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in walk(node))


def _nodes_of_statement(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement without those of functions or classes that it defines, which run
    elsewhere.
    """
    if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield from walk(statement)
