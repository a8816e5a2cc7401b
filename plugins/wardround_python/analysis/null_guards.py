"""Guards of values: tests of a name, and handlers around a position."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from wardround.languages.python.literals import is_none
from wardround.languages.python.module import FunctionNode, PythonModule, names_in
from wardround.languages.python.tree import unparse, walk

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
SURE = (
    ast.Constant,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.Tuple,
    ast.ListComp,
    ast.DictComp,
    ast.SetComp,
    ast.JoinedStr,
)
"""Values that are never None."""


def tests_in(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield every deciding expression below a node: conditions, filters, ``or``, ``is None``."""
    for node in walk(scope):
        if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
            yield node.test
        elif isinstance(node, ast.comprehension):
            yield from node.ifs
        elif isinstance(node, ast.BoolOp):
            yield from node.values
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield node.operand
        elif isinstance(node, ast.Match):
            yield node.subject


def tested_expressions(scope: ast.AST) -> frozenset[str]:
    """Return the text of the names, attributes, entries and calls that a scope tests."""
    kinds = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
    return frozenset(unparse(n) for test in tests_in(scope) for n in walk(test) if isinstance(n, kinds))


def handlers_around(module: PythonModule, node: ast.AST) -> Iterator[ast.ExceptHandler]:
    """Return the handlers of each ``try`` whose body contains a node, within its function."""
    child = node
    for parent in module.ancestors(node):
        if isinstance(parent, ast.Try) and child in parent.body:
            yield from parent.handlers
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return
        child = parent


def is_caught(module: PythonModule, node: ast.AST, kinds: Collection[str]) -> bool:
    """Return True if an exception of one of these types, or of every type, is handled around a node."""
    for handler in handlers_around(module, node):
        named = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        last = {kind.attr if isinstance(kind, ast.Attribute) else getattr(kind, "id", "") for kind in named}
        if handler.type is None or last & {"Exception", "BaseException", *kinds}:
            return True
    return is_suppressed(module, node, kinds)


def is_suppressed(module: PythonModule, node: ast.AST, kinds: Collection[str]) -> bool:
    """Return True if a ``with suppress(...)`` around a node suppresses one of these types."""
    for parent in module.ancestors(node):
        if isinstance(parent, (ast.With, ast.AsyncWith)):
            for item in parent.items:
                call = item.context_expr
                if isinstance(call, ast.Call) and (module.qualified_name(call.func) or "").endswith(
                    "suppress"
                ):
                    names = {unparse(argument).rpartition(".")[2] for argument in call.args}
                    if names & {"Exception", "BaseException", *kinds}:
                        return True
    return False


def required_names(function: FunctionNode) -> Iterator[tuple[str, bool]]:
    """Return the names without whose value a function returns, and whether only None is tested."""
    for node in walk(function):
        if isinstance(node, ast.If) and isinstance(node.body[-1], _LEAVES):
            for part in _alternatives(node.test):
                yield from _tested_name(part)


def _alternatives(test: ast.expr) -> list[ast.expr]:
    """Return the operands of ``or``; another test itself."""
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) else [test]


def _tested_name(test: ast.expr) -> Iterator[tuple[str, bool]]:
    """Yield the name in ``not name`` and ``name is None``, and whether only None is tested."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)):
            yield name, False
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Is(), *_], comparators=[other, *_]) if is_none(
            other
        ):
            yield name, True


def assigned_values(name: str, function: FunctionNode) -> list[ast.expr]:
    """Return the values that statements assign to a name; a loop or a ``with`` assigns an unknown one."""
    results: list[ast.expr] = []
    for node in walk(function):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if (
                any(isinstance(target, ast.Name) and target.id == name for target in targets)
                and node.value is not None
            ):
                results.append(node.value)
    return sorted(results, key=lambda result: result.lineno)


def compared_names(function: FunctionNode) -> frozenset[str]:
    """Return the names that a function tests, or tests to decide later."""
    looked = (n for n in walk(function) if isinstance(n, (ast.Compare, ast.UnaryOp, ast.BoolOp)))
    return tested_expressions(function) | {name for item in looked for name in names_in(item)}
