"""Functions that return None for some of their arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from wardround.languages.python.literals import is_none
from wardround.languages.python.module import SCOPES, FunctionNode, names_in, nodes_run_by
from wardround.languages.python.tree import children, unparse
from wardround.lazy import LazyPattern

ROWS = frozenset({"first", "last", "one_or_none", "scalar_one_or_none", "get_or_none", "find_one"})
"""Methods that return None if no row matches."""
QUERY = LazyPattern(r"query|filter|objects|scalars|execute|order_by|select\(|where|exclude|_by\(")
"""Methods of a query before them."""


def may_return_none(function: FunctionNode) -> bool:
    """Return True if a function is annotated so, or has both ``return None`` and ``return`` of a value.

    A branch that depends on a parameter with a default does not count: callers choose it by the parameter.
    """
    if function.returns is not None:
        return _is_optional(function.returns)
    returns = list(_returns(function.body, _optional_parameters(function)))
    if any(_is_search(element.value) for element in returns):
        return True
    nothing = [is_none(item.value) for item in returns]
    return any(nothing) and not all(nothing) and not any(_yields(function))


def _returns(nodes: Iterable[ast.AST], parameters: frozenset[str]) -> Iterator[ast.Return]:
    """Yield the return statements that no test of the parameters guards."""
    for node in nodes:
        if isinstance(node, ast.Return):
            yield node
        elif not (
            isinstance(node, SCOPES) or (isinstance(node, ast.If) and names_in(node.test) & parameters)
        ):
            yield from _returns(children(node), parameters)


def _optional_parameters(function: FunctionNode) -> frozenset[str]:
    """Return the parameters that have a default."""
    given = function.args
    locations = [*given.posonlyargs, *given.args]
    named = [
        argument for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default
    ]
    return frozenset(
        argument.arg for argument in [*locations[len(locations) - len(given.defaults) :], *named]
    )


def _is_optional(annotation: ast.expr) -> bool:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value.endswith("| None") and "[" not in annotation.value
    if isinstance(annotation, ast.BinOp):
        return is_none(annotation.right) or is_none(annotation.left) or _is_optional(annotation.left)
    return isinstance(annotation, ast.Subscript) and unparse(annotation.value).endswith("Optional")


def _is_search(value: ast.expr | None) -> bool:
    """Return True if a value is the result of a search without a match: ``next(..., None)``, ``.first()``."""
    if not isinstance(value, ast.Call):
        return False
    if isinstance(value.func, ast.Name):
        return value.func.id == "next" and len(value.args) == 2 and is_none(value.args[1])
    named = isinstance(value.func, ast.Attribute) and value.func.attr in ROWS
    return named and QUERY.search(unparse(value.func)) is not None


def _yields(function: FunctionNode) -> Iterator[bool]:
    return (isinstance(n, (ast.Yield, ast.YieldFrom)) for n in nodes_run_by(function.body))
