"""The documented functions of a module whose code a change touched, before and after the change."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

from wardround.languages.python.function_text import FunctionText, differing
from wardround.languages.python.module import SCOPES, FunctionNode, nodes_run_by
from wardround.languages.python.tree import parse, unparse
from wardround.semantics.docdrift.model import (
    DocumentedChange,
    DocumentedCode,
    DocumentedPair,
    DocumentedSignature,
    Parameter,
)
from wardround_python.docdrift.docstring_parser import comment_of_docstring

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class _ParsedVersion(msgspec.Struct, frozen=True):
    """One parsed version of a function.

    Attributes:
        words_line: the first line of its docstring, relative to the function and counted from 1.
    """

    code: DocumentedCode
    docstring: str | None
    words_line: int


@lru_cache(maxsize=2)
def documented_pairs(old_text: str, new_text: str) -> Sequence[DocumentedPair]:
    """Yield the functions with a docstring before the change whose code differs, in the new order.

    Comments, formatting and type annotations do not count as code. Nested functions are part of the outer
    ones.
    """
    pairs = differing(old_text, new_text)
    return tuple(item for old, new in pairs for item in _compare(old, new))


def _compare(old: FunctionText, new: FunctionText) -> Iterator[DocumentedPair]:
    """Return the comparison of a pair; None without a docstring, or if only the formatting differs."""
    try:
        before = _read(old)
        after = _read(new) if before.docstring is not None else before
    except _UNREADABLE:
        return
    if before.docstring is None or before.code.lines == after.code.lines:
        return
    change = DocumentedChange(new.name, comment_of_docstring(before.docstring), before.code, after.code)
    words_line = new.line + after.words_line - 1
    yield DocumentedPair(change, before.docstring, after.docstring, new.line, words_line)


def _read(function: FunctionText) -> _ParsedVersion:
    """Parse one function.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: its text is not a complete function.
    """
    wrapped = function.indent > 0
    tree = parse(f"if 1:\n{function.text}" if wrapped else function.text)
    top = tree.body[0]
    node = top.body[0] if wrapped and isinstance(top, ast.If) else top
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        raise SyntaxError("no function")
    docstring, line = _take_docstring(node)
    return _ParsedVersion(code_of(node), docstring, line - wrapped)


def _take_docstring(node: FunctionNode) -> tuple[str | None, int]:
    """Cut the docstring off a function; return it and its first line."""
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        value = first.value.value
        if isinstance(value, str):
            node.body = node.body[1:] or [ast.Pass()]
            return value, first.lineno
    return None, node.lineno


def code_of(node: FunctionNode) -> DocumentedCode:
    """Return a function without its docstring as comparable code; its annotations are removed in place."""
    signature = signature_of(node)
    wrappers = tuple(unparse(decorator) for decorator in node.decorator_list)
    _cut_annotations(node)
    returns, raises = [], []
    for statement in _own_statements(node.body):
        match statement:
            case ast.Return(value=value):
                returns.append("" if value is None else unparse(value))
            case ast.Raise(exc=ast.expr() as error):
                raises.append(_last_name(error))
    lines = tuple(line.strip() for line in unparse(node).split("\n"))
    yields = _is_generator(node, lines)
    return DocumentedCode(lines, signature, tuple(returns), yields, tuple(filter(None, raises)), wrappers)


def _is_generator(node: FunctionNode, lines: Sequence[str]) -> bool:
    if not any("yield" in line for line in lines):
        return False
    return any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in nodes_run_by(node.body))


_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")


def _own_statements(block: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield the statements below a block, except those of nested functions and classes."""
    for node in block:
        yield node
        if not isinstance(node, SCOPES):
            for name in _BLOCKS:
                yield from _own_statements(getattr(node, name, ()))


def _cut_annotations(node: ast.AST) -> None:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        node.returns = None
        arguments = node.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            argument.annotation = None
        for collector in (arguments.vararg, arguments.kwarg):
            if collector is not None:
                collector.annotation = None
    for name in _BLOCKS:
        block: list[ast.AST] = getattr(node, name, [])
        for location, below in enumerate(block):
            if isinstance(below, ast.AnnAssign):
                block[location] = _plain_assignment(below)
            else:
                _cut_annotations(below)


def _plain_assignment(node: ast.AnnAssign) -> ast.stmt:
    if node.value is None:
        return ast.Pass(lineno=node.lineno)
    return ast.Assign(targets=[node.target], value=node.value, lineno=node.lineno)


def signature_of(node: FunctionNode) -> DocumentedSignature:
    """Return the signature of a function, without the receiver of a method."""
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    by_keyword = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    pairs = [*zip(plain, defaults, strict=True), *by_keyword]
    if pairs and pairs[0][0].arg in ("self", "cls", "mcs"):
        pairs = pairs[1:]
    return DocumentedSignature(
        tuple(Parameter(a.arg, None if value is None else unparse(value)) for a, value in pairs),
        arguments.kwarg is not None,
        tuple(item.arg for item in (arguments.vararg, arguments.kwarg) if item is not None),
    )


def _last_name(node: ast.expr) -> str:
    while isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
