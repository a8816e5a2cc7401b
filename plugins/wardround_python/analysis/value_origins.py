"""The values that the scopes of a module assign to names, and the calls that create them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cached_property

from wardround.languages.python.module import FunctionNode, PythonModule, nodes_run_by
from wardround.languages.python.tree import walk
from wardround_python.analysis.call_resolution import CallResolver
from wardround_python.syntax.assignments import is_named
from wardround_python.syntax.calls import called_method

Origin = ast.expr | ast.arg | None
"""A value, a parameter, or None if it is unknown."""
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef, ast.arg)


class ValueOrigins:
    """The origins of the values of one module."""

    def __init__(self, module: PythonModule, callees: CallResolver) -> None:
        self._module = module
        self._callees = callees
        self._bindings: dict[ast.AST, Mapping[str, Sequence[Origin]]] = {}

    def only_value(self, node: ast.Name) -> Origin:
        """Return the only value that the scope of a name assigns to it."""
        values = self._assigned_values(node)
        return values[0] if len(values) == 1 else None

    def creating_call(self, node: ast.expr, deep: int) -> ast.Call | None:
        """Return the only call that creates the value of a name, an attribute or a function's result."""
        if not deep:
            return None
        match node:
            case ast.Call():
                return self._call_behind(node, deep)
            case ast.Await():
                return self.creating_call(node.value, deep)
            case ast.Name():
                only = self.only_value(node)
            case ast.Attribute() if is_named(node.value, "self"):
                only = self._only_self_value(node.attr)
            case _:
                return None
        if only is None or isinstance(only, ast.arg):
            return None
        return self.creating_call(only, deep - 1)

    def _call_behind(self, call: ast.Call, deep: int) -> ast.Call | None:
        """Return the call whose result a function of this module returns; for another function its call."""
        definition = self._callees.definition_of(call)
        if definition is None or definition.path != self._module.path:
            return call
        if not isinstance(definition.node, FunctionNode):
            return call
        returns = [node for node in nodes_run_by(definition.node.body) if isinstance(node, ast.Return)]
        result = returns[0].value if len(returns) == 1 else None
        return self.creating_call(result, deep - 1) if result is not None else None

    def _only_self_value(self, attribute: str) -> ast.expr | None:
        values = self._self_assignments.get(attribute, [])
        return values[0] if len(values) == 1 else None

    def _assigned_values(self, node: ast.Name) -> Sequence[Origin]:
        """Return the values that the scope of a name assigns to it; None for an unknown one."""
        scope = self._module.function_of(node)
        while scope is not None:
            values = self._bindings_in(scope).get(node.id)
            if values is not None:
                return values
            scope = self._module.function_of(scope)
        if node.id in self._module.imported:
            return [None]
        return self._bindings_in(self._module.tree).get(node.id, [None])

    def _bindings_in(self, scope: ast.AST) -> Mapping[str, Sequence[Origin]]:
        """Return the bindings of a function, including nested functions, or of the entire module."""
        if scope not in self._bindings:
            bindings: dict[str, list[Origin]] = {}
            for node in walk(scope):
                if isinstance(node, ast.arg):
                    bindings.setdefault(node.arg, []).append(node)
                elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                    bindings.setdefault(node.id, []).append(self._value_for(node))
            self._bindings[scope] = bindings
        return self._bindings[scope]

    def _value_for(self, target: ast.Name) -> ast.expr | None:
        """Return the value that a target is assigned."""
        parent = self._module.parents[target]
        if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            return parent.value
        if isinstance(parent, ast.withitem):
            return parent.context_expr
        statement = self._module.parents[parent] if isinstance(parent, ast.Tuple) else None
        return _outputs(statement.value) if isinstance(statement, ast.Assign) else None

    @cached_property
    def bound_names(self) -> frozenset[str]:
        """The names that the module assigns or defines."""
        names: set[str] = set()
        for node in self._module.nodes:
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                names.add(node.id)
            elif isinstance(node, _DEFINITIONS):
                names.add(node.arg if isinstance(node, ast.arg) else node.name)
        return frozenset(names)

    @cached_property
    def _self_assignments(self) -> Mapping[str, list[ast.expr | None]]:
        values: dict[str, list[ast.expr | None]] = {}
        for node in self._module.nodes:
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                parent = self._module.parents[node]
                value = parent.value if isinstance(parent, (ast.Assign, ast.AnnAssign)) else None
                values.setdefault(node.attr, []).append(value)
        return values


def _outputs(value: ast.expr) -> ast.expr | None:
    """Return the value that is unpacked if its parts are the output and the errors of a process."""
    return value if isinstance(value, ast.Call) and called_method(value) == "communicate" else None
