"""The uses of a resource in the function that opens it, which show if the function is its only owner."""

from __future__ import annotations

import ast

from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import unparse, walk
from wardround_python.analysis.call_resolution import CallResolver
from wardround_python.libraries.resources import BORROWERS, CLOSERS

_HANDING_OVER = frozenset({"detach"})
"""Methods after which the object owns nothing that has to be closed."""
_PLAIN_ATTRIBUTES = frozenset({"name", "mode", "encoding", "closed", "status", "headers", "filename"})
_YIELDS = (ast.Yield, ast.YieldFrom)


class ResourceUses:
    """The uses of a name that is bound to a resource."""

    def __init__(self, module: PythonModule, callees: CallResolver, function: FunctionNode, name: str):
        self._module = module
        self._callees = callees
        self._function = function
        self._names = _uses(function, name)
        self._loads = [use for use in self._names if isinstance(use.ctx, ast.Load)]

    @property
    def _is_bound_once(self) -> bool:
        return len(self._names) == len(self._loads) + 1

    def are_local(self, closers: frozenset[str], closed: int) -> bool:
        """Return True if only the function owns it: one assignment, the given closes, no other owner."""
        if not self._is_bound_once or not self._loads:
            return False
        members = [getattr(self._module.parents[use], "attr", None) for use in self._loads]
        if sum(member in closers for member in members) != closed:
            return False
        return all(self._stays_local(use) for use in self._loads)

    def are_member_accesses(self) -> bool:
        """Return True if the function only accesses members of it and passes it to no other code."""
        parents = (self._module.parents[use] for use in self._loads)
        return self._is_bound_once and all(
            isinstance(parent, (ast.Attribute, ast.withitem)) for parent in parents
        )

    def _stays_local(self, use: ast.Name) -> bool:
        """Return True if a use gives the resource to no other owner."""
        if self._module.function_of(use) is not self._function:
            return False
        parent = self._module.parents[use]
        match parent:
            case ast.Attribute():
                return self._is_plain_member(parent)
            case ast.For() | ast.comprehension():
                return parent.iter is use
            case ast.Yield():
                return self._is_yielded(use)
            case ast.keyword():
                call = self._module.parents[parent]
            case _:
                call = parent
        return isinstance(call, ast.Call) and self._is_borrowed(call, use)

    def _is_plain_member(self, member: ast.Attribute) -> bool:
        if member.attr in _PLAIN_ATTRIBUTES:
            return True
        parent = self._module.parents[member]
        is_called = isinstance(parent, ast.Call) and parent.func is member
        return is_called and member.attr not in _HANDING_OVER

    def _is_yielded(self, use: ast.Name) -> bool:
        """Return True if a context manager yields the resource."""
        function = self._module.function_of(use)
        decorators = getattr(function, "decorator_list", ())
        return any("contextmanager" in unparse(decorator) for decorator in decorators)

    def _is_borrowed(self, call: ast.Call, use: ast.Name) -> bool:
        if self._module.qualified_name(call.func) in BORROWERS:
            return True
        parameter = self._parameter_for(call, use)
        return parameter is not None and _only_calls_methods(*parameter)

    def _parameter_for(self, call: ast.Call, use: ast.Name) -> tuple[FunctionNode, str] | None:
        """Return the function of the project that a call passes a name to, and its parameter."""
        definition = self._callees.definition_of(call) if use in call.args else None
        if definition is None or not isinstance(definition.node, FunctionNode):
            return None
        function = definition.node
        if function.decorator_list:
            return None
        parameters = [*function.args.posonlyargs, *function.args.args][definition.is_method :]
        position = call.args.index(use)
        return (function, parameters[position].arg) if position < len(parameters) else None


def _uses(scope: ast.AST, name: str) -> list[ast.Name]:
    return [node for node in walk(scope) if isinstance(node, ast.Name) and node.id == name]


def _only_calls_methods(function: FunctionNode, parameter: str) -> bool:
    """Return True if a function calls methods of its parameter, does not close it, and does nothing else."""
    nodes = list(walk(function))
    if any(isinstance(node, _YIELDS) for node in nodes):
        return False
    loads = _uses(function, parameter)
    called = {member.value for member in _called_members(nodes)}
    closed = {node.value for node in nodes if isinstance(node, ast.Attribute) and node.attr in CLOSERS}
    return bool(loads) and called.issuperset(loads) and closed.isdisjoint(loads)


def _called_members(nodes: list[ast.AST]) -> list[ast.Attribute]:
    callees = [node.func for node in nodes if isinstance(node, ast.Call)]
    return [callee for callee in callees if isinstance(callee, ast.Attribute)]
