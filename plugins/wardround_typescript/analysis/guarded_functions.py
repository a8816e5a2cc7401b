"""The functions of a script, each with its operations and their guards."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from wardround.languages.script.code import FUNCTIONS, Code, argument, code_of
from wardround.languages.script.syntax import inside
from wardround.lazy import LazyPattern
from wardround.semantics.semdiff.guards import Guard, GuardedFunction
from wardround_typescript.analysis.guards import GuardFinder, is_early_exit, operations_in
from wardround_typescript.analysis.tested_values import tested_values
from wardround_typescript.syntax.nodes import ancestors, child, is_kind, parent

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_ROUTES = frozenset({"get", "post", "put", "patch", "delete", "all", "use", "on", "handle", "route"})
_SERVER = LazyPattern(r"\s*[\"']use server[\"']")
_TO_EXPORT = 3
"""Number of nodes from a function to its export: ``export const f = () => 1``."""


def bodies(path: str, text: str) -> list[GuardedFunction]:
    """Return the named functions of a script, and route handlers by verb and path."""
    code = code_of(path, text)
    named = ((_name(code, node), node) for node in code.kinds(*sorted(FUNCTIONS)))
    return [_guarded_function(code, name, node) for name, node in named if name]


def _name(code: Code, function: Node) -> str:
    own = code.name_of(function)
    if own:
        return _qualified_name(code, function, own)
    target = function.parent
    if is_kind(target, "assignment_expression"):
        return code.field(target, "left")
    call = target.parent if is_kind(target, "arguments") else None
    return _name_by_call(code, call) if is_kind(call, "call_expression") else ""


def _qualified_name(code: Code, function: Node, own: str) -> str:
    """Return the name of a function, for a method with its class."""
    if function.type != "method_definition":
        return own
    owner = parent(function.parent)
    return f"{code.field(owner, 'name')}.{own}" if owner is not None and "class" in owner.type else own


def _name_by_call(code: Code, call: Node) -> str:
    """Return the verb and path of a route, or the variable that holds the result of a wrapper."""
    called, first = code.callee(call), argument(call, 0)
    if called.rpartition(".")[2] in _ROUTES and is_kind(first, "string"):
        return f"{called}({code.text(first)})"
    holder = call.parent
    return code.field(holder, "name") if is_kind(holder, "variable_declarator") else ""


def _guarded_function(code: Code, name: str, function: Node) -> GuardedFunction:
    body = function.child_by_field_name("body") or function
    operations = operations_in(code, body)
    nodes = list(inside(body))
    return GuardedFunction(
        name,
        tuple(_guards(GuardFinder(code, operations), function, nodes)),
        operations,
        frozenset(_used_names(code, nodes)),
        sum(node.type == "if_statement" and is_early_exit(node) for node in nodes),
        _parameters(code, function),
        _position(code, function),
        _group(code, function),
        partial(tested_values, code, function),
    )


def _guards(finder: GuardFinder, function: Node, nodes: list[Node]) -> Iterator[Guard]:
    yield from finder.above(function)
    for node in nodes:
        yield from finder.at(node)


def _used_names(code: Code, nodes: list[Node]) -> Iterator[str]:
    """Yield the callees, verbatim, and the variables of some nodes."""
    for node in nodes:
        if node.type == "call_expression":
            yield code.callee(node)
        elif node.type == "identifier":
            yield code.text(node)


def _group(code: Code, function: Node) -> str:
    """Return the functions that browsers can call: the exports of a module of server actions."""
    is_exported = any(around.type == "export_statement" for around in islice(ancestors(function), _TO_EXPORT))
    return "use server" if is_exported and _SERVER.match(code.module.text) else ""


def _parameters(code: Code, function: Node) -> tuple[str, ...]:
    declared = function.child_by_field_name("parameters")
    if declared is None:
        lone = function.child_by_field_name("parameter")
        return (code.text(lone),) if lone is not None else ()
    patterns = (
        parameter.child_by_field_name("pattern") or parameter for parameter in declared.named_children
    )
    return tuple(name for pattern in patterns for name in code.names_in(pattern))


def _position(code: Code, function: Node) -> tuple[int, int]:
    """Return the position of a function's name; of an anonymous one, that of its variable or property, or its
    own.
    """
    holder = function.parent
    own = function.child_by_field_name("name") or child(holder, "name") or child(holder, "left")
    return code.module.place(own or function)
