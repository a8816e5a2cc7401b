"""Nested functions: their free variables, and the traits that decide which functions are inlined."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from wardround.languages.python.module import (
    FunctionNode,
    PythonModule,
    names_in,
    nodes_run_by,
    statements_in,
)
from wardround.languages.python.tree import walk
from wardround_python.dataflow.expression_shapes import key_of

_MOST_STATEMENTS = 14
CHANGING = frozenset(
    {
        "append", "extend", "insert", "pop", "clear", "reverse", "remove", "sort", "update", "setdefault",
        "popitem", "appendleft", "popleft", "extendleft", "rotate", "add", "discard", "set", "add_section",
        "read", "read_dict", "read_string", "read_file", "remove_option", "remove_section", "put",
        "write", "truncate", "get_nowait", "put_nowait",
    }
)  # fmt: skip
"""Methods that change their receiver."""


_CHANGERS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.ExceptHandler)


@dataclass(frozen=True, slots=True)
class Traits:
    """Traits that decide if a function is inlined.

    Attributes:
        is_short: True if it is short enough, and not a generator with branches.
        deciding: the names that decide its effect.
        sets_attributes: True if it assigns attributes.
        returned: the names that are a part of its result.
        returns_container: True if its result is a tuple, a list or a mapping.
        yields: True if it is a generator that yields without branches.
    """

    is_short: bool = False
    deciding: frozenset[str] = frozenset()
    sets_attributes: bool = False
    returned: frozenset[str] = frozenset()
    returns_container: bool = False
    yields: bool = False


class NestedFunctions:
    """The functions and lambdas that other functions of a module define."""

    def __init__(self, module: PythonModule) -> None:
        self._module = module
        self._lambdas: dict[ast.Lambda, FunctionNode] = {}
        self._around: dict[FunctionNode, ast.AST] = {}
        self._free: dict[ast.AST, frozenset[str]] = {}
        self._traits: dict[FunctionNode, Traits] = {}
        self._captured: dict[ast.AST, frozenset[str]] = {}
        self._bound_in: dict[ast.AST, frozenset[str]] = {}

    def of_lambda(self, node: ast.Lambda) -> FunctionNode:
        """Return a lambda as a function."""
        value = self._lambdas.get(node)
        if value is None:
            result = ast.copy_location(ast.Return(node.body), node)
            plain = ast.FunctionDef("<lambda>", node.args, [result], [], None, None)
            value = self._lambdas[node] = ast.copy_location(plain, node)
            self._around[value] = self._module.function_of(node) or self._module.tree
        return value

    def has(self, function: FunctionNode) -> bool:
        """Return True if this module defines a function."""
        return function in self._all_nodes or function in self._around

    @cached_property
    def _all_nodes(self) -> frozenset[ast.AST]:
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        return frozenset(node for node in statements_in(self._module.tree) if isinstance(node, kinds))

    def _outside(self, function: FunctionNode) -> FunctionNode | None:
        """Return the function around a function."""
        known = self._around.get(function)
        if known is None:
            known = self._around[function] = self._module.function_of(function) or self._module.tree
        if isinstance(known, ast.Lambda):
            return self.of_lambda(known)
        return known if isinstance(known, (ast.FunctionDef, ast.AsyncFunctionDef)) else None

    @cached_property
    def _functions_by_name(self) -> Mapping[ast.AST, Mapping[str, list[FunctionNode]]]:
        result: dict[ast.AST, dict[str, list[FunctionNode]]] = {}
        for node in statements_in(self._module.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                outer = None if self._module.class_of(node) else self._module.function_of(node)
                if outer is not None:
                    result.setdefault(outer, {}).setdefault(node.name, []).append(node)
        return result

    def function(self, inside: FunctionNode | None, name: str) -> FunctionNode | None:
        """Return the nested function a name refers to inside a function."""
        while inside is not None and self._functions_by_name:
            result = self._functions_by_name.get(inside, {}).get(name)
            if result is not None:
                return result[0] if len(result) == 1 else None
            inside = self._outside(inside)
        return None

    def free(self, function: FunctionNode) -> frozenset[str]:
        """Return the names of enclosing functions that a function may read."""
        if function not in self._free:
            outer = self._outside(function)
            names: frozenset[str] = frozenset()
            if outer is not None:
                names = self.captured_names(outer) & (
                    self._bound_names(outer) | self.free(outer)
                ) - self._bound_names(function)
            self._free[function] = names
        return self._free[function]

    def captured_names(self, function: FunctionNode) -> frozenset[str]:
        """Return the names that functions and lambdas inside a function mention."""
        if function not in self._captured:
            has_inner = (
                "lambda" in self._module.text or function in self._functions_by_name or self._has_class
            )
            inner = _inside(function) if has_inner else ()
            self._captured[function] = frozenset(
                node.id for part in inner for node in walk(part) if isinstance(node, ast.Name)
            )
        return self._captured[function]

    @cached_property
    def _has_class(self) -> bool:
        return any(
            isinstance(node, ast.ClassDef) and self._module.function_of(node) is not None
            for node in statements_in(self._module.tree)
        )

    @cached_property
    def declared_outside(self) -> frozenset[str]:
        """The names that functions rebind by ``global`` and ``nonlocal``."""
        if "global " not in self._module.text and "nonlocal " not in self._module.text:
            return frozenset()
        return frozenset(
            name
            for node in statements_in(self._module.tree)
            if isinstance(node, (ast.Global, ast.Nonlocal))
            for name in node.names
        )

    @cached_property
    def generators(self) -> frozenset[ast.AST | None]:
        """The functions that are generators."""
        if "yield" not in self._module.text:
            return frozenset()
        pieces = (node for node in self._module.nodes if isinstance(node, (ast.Yield, ast.YieldFrom)))
        return frozenset(map(self._module.function_of, pieces))

    def traits(self, function: FunctionNode) -> Traits:
        if function not in self._traits:
            is_generator = function in self.generators
            self._traits[function] = _traits(function, is_generator)
        return self._traits[function]

    def changed_in(self, body: Sequence[ast.stmt | ast.expr]) -> frozenset[str]:
        """Return the keys that statements rebind, or whose content they change."""
        last = body[-1]
        first = bisect_left(self._changes, (body[0].lineno, body[0].col_offset, ""))
        end = bisect_right(self._changes, (last.end_lineno or last.lineno, last.end_col_offset or 0, "~"))
        return frozenset(name for _, _, name in self._changes[first:end])

    @cached_property
    def _changes(self) -> list[tuple[int, int, str]]:
        """The changes of the module in order: line, column, key."""
        return sorted(
            (node.lineno, node.col_offset, name)
            for node in self._module.nodes
            if isinstance(node, _CHANGERS)
            for name in _changed_by(node)
        )

    def _bound_names(self, function: FunctionNode) -> frozenset[str]:
        if function not in self._bound_in:
            self._bound_in[function] = _bound_in(function)
        return self._bound_in[function]


def _inside(function: FunctionNode) -> Iterator[ast.AST]:
    for node in walk(function):
        if node is not function and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield node


def _bound_in(function: FunctionNode) -> frozenset[str]:
    arguments = function.args
    extra = [item for item in (arguments.vararg, arguments.kwarg) if item is not None]
    passed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra]
    stored = (node.id for node in nodes_run_by(function.body) if _is_stored(node))  # type: ignore[attr-defined]
    return frozenset({*(value.arg for value in passed), *stored})


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del))


def _changed_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
        yield from _roots(node)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
        yield from _roots(node.func.value)
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name


def _roots(node: ast.expr) -> Iterator[str]:
    """Yield every key that a change of this one changes: ``a.b[0]``, ``a.b`` and ``a``."""
    while True:
        key = key_of(node)
        if key is not None:
            yield key
        if not isinstance(node, (ast.Attribute, ast.Subscript)):
            return
        node = node.value


def _traits(function: FunctionNode, is_generator: bool) -> Traits:
    statements = list(statements_in(function))
    if len(statements) > _MOST_STATEMENTS:
        return Traits()
    if is_generator and not all(map(_is_plain_piece, function.body)):
        return Traits()
    results = [node.value for node in statements if isinstance(node, ast.Return) and node.value]
    nodes = list(nodes_run_by(function.body))
    return Traits(
        is_short=True,
        deciding=_names_in(chain.from_iterable(map(_deciding_expressions, nodes))),
        sets_attributes=any(map(_is_changed_attribute, nodes)),
        returned=_names_in(results),
        returns_container=any(isinstance(value, (ast.Tuple, ast.List, ast.Dict)) for value in results),
        yields=is_generator,
    )


def _names_in(expressions: Iterable[ast.expr]) -> frozenset[str]:
    return frozenset().union(*map(names_in, expressions))


def _is_changed_attribute(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)


def _is_plain_piece(node: ast.stmt) -> bool:
    """Return True if a statement of a generator yields at most once."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, (ast.Yield, ast.Constant))
    return isinstance(node, (ast.Assign, ast.AnnAssign)) and not any(
        isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in walk(node)
    )


def _deciding_expressions(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that decide the effect of a statement or an expression."""
    if isinstance(node, (ast.If, ast.IfExp)):
        yield node.test
    elif isinstance(node, ast.Match):
        yield node.subject
    elif isinstance(node, (ast.Subscript, ast.BoolOp)):
        yield node
    elif isinstance(node, ast.Call):
        yield from (node.func, *node.args)
