"""Resolution of calls and names to functions, classes and objects of the project."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from wardround.languages.python.module import FunctionNode, last_name
from wardround_python.dataflow.domain import Taint
from wardround_python.dataflow.expression_shapes import key_of
from wardround_python.dataflow.known_value import KnownFunction, NamedTupleType
from wardround_python.dataflow.project import Instance, ProjectClass, ProjectModule

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow

Named = Sequence[tuple[ast.keyword, Taint]]


class ResolvedCallee(NamedTuple):
    """A function of the project that is called.

    Attributes:
        receiver: the object it is called on; None for a plain function.
        is_own: True if the receiver is ``self``.
        skips: True if its first parameter is the receiver.
    """

    flow: ProjectModule
    function: FunctionNode
    receiver: Instance | None = None
    is_own: bool = False
    skips: bool = False


class ObjectResolver:
    """Finds the functions and objects of the project that names and calls refer to."""

    __slots__ = (
        "_containers",
        "_evaluator",
        "_known",
        "_state",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._evaluator = flow.evaluator
        self._containers = flow.containers
        self._known = flow.known

    def instance(self, node: ast.expr) -> Instance | None:
        """Return the object an expression refers to, if its class is one of the project."""
        value = node.value if isinstance(node, ast.Await) else node
        if isinstance(value, ast.Call):
            return self._created_object(value)
        key = key_of(value)
        if key is None:
            return None
        if key in self._state.instances:
            return self._state.instances[key]
        if isinstance(value, ast.Name):
            return self._declared_object(value)
        if key.startswith("self.") and key.count(".") == 1 and self._state.cls is not None:
            cls = self._state.cls.class_of_attribute(key.removeprefix("self."))
            return Instance(cls) if cls is not None else None
        return self._module_instance(value)

    def _created_object(self, call: ast.Call) -> Instance | None:
        if call not in self._state.objects:
            self._evaluator.value(call)
        return self._state.objects.get(call)

    def called_class(self, node: ast.Call) -> ProjectClass | None:
        """Return the class of the project that a call constructs."""
        func = node.func
        if isinstance(func, ast.Name) and func.id in {"cls"} and self._state.cls is not None:
            return self._state.cls
        if isinstance(func, ast.Name) and func.id in self._state.values:
            return None
        return self._state.flow.class_of_name(func) if isinstance(func, (ast.Name, ast.Attribute)) else None

    def tuple_fields(self, node: ast.Call) -> tuple[str, ...] | None:
        """Return the fields of the named tuple that a call creates; None if it creates none."""
        known = self._state.values.known.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if isinstance(known, NamedTupleType):
            return known.names
        if not self._state.flow.has_named_tuples:
            return None
        cls = self.called_class(node)
        is_tuple = cls is not None and any(last_name(base) == "NamedTuple" for base in cls.node.bases)
        return cls.fields if cls is not None and is_tuple else None

    def callee(self, node: ast.Call) -> ResolvedCallee | None:
        """Return the function of the project that is called."""
        match node.func:
            case ast.Lambda() as func:
                return ResolvedCallee(self._state.flow, self._state.flow.nested.of_lambda(func))
            case ast.Name() as func:
                return self._named_callee(func)
            case ast.Subscript() as func:
                return self._entry_callee(func)
            case ast.Attribute() as func:
                return self._called_method(func) or self._imported_callee(func)
            case _:
                return None

    def _named_callee(self, func: ast.Name) -> ResolvedCallee | None:
        known = self._state.values.known.get(func.id)
        if isinstance(known, KnownFunction):
            return self._callee_of(known.function)
        function = self._known.named_function(func.id)
        if function is not None:
            return ResolvedCallee(self._state.flow, function)
        return self._imported_callee(func) if func.id not in self._state.values else None

    def _entry_callee(self, func: ast.Subscript) -> ResolvedCallee | None:
        """Return the function of ``handlers[name](value)``."""
        container = self._known.container(func.value)
        entry = self._containers.entry(container, func.slice) if container is not None else None
        known = entry.known if entry is not None else None
        return self._callee_of(known.function) if isinstance(known, KnownFunction) else None

    def _declared_object(self, node: ast.Name) -> Instance | None:
        """Return the object behind an annotated parameter, or behind a name of the module."""
        if self._state.function is not None:
            arguments = self._state.function.args
            for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
                if argument.arg == node.id:
                    cls = (
                        self._state.flow.class_of_name(argument.annotation)
                        if argument.annotation is not None
                        else None
                    )
                    return Instance(cls) if cls is not None else None
        return self._module_instance(node)

    def _module_instance(self, node: ast.expr) -> Instance | None:
        if isinstance(node, ast.Name) and node.id not in self._state.module.imported:
            cls = self._state.flow.class_of_top(node.id)
        else:
            dotted = self._state.module.imported_name(node)
            result = self._state.flow.modules.find(self._state.module.path, dotted) if dotted else None
            cls = result.flow.class_of_top(result.names[0]) if result and len(result.names) == 1 else None
        return Instance(cls, {}) if cls is not None else None

    def _callee_of(self, function: FunctionNode) -> ResolvedCallee | None:
        """Return a function bound to a name here, if this module defines it."""
        return ResolvedCallee(self._state.flow, function) if self._state.flow.nested.has(function) else None

    def _imported_callee(self, func: ast.expr) -> ResolvedCallee | None:
        dotted = self._state.module.imported_name(func)
        result = self._state.flow.modules.find(self._state.module.path, dotted) if dotted else None
        if result is None or not result.names:
            return None
        function = result.flow.functions.get(result.names[0])
        return (
            ResolvedCallee(result.flow, function) if function is not None and len(result.names) == 1 else None
        )

    def _called_method(self, func: ast.Attribute) -> ResolvedCallee | None:
        cls = self._state.cls
        match func.value:
            case ast.Call(func=called) if cls is not None and last_name(called) == "super":
                return self._of(cls, func.attr, None, is_own=True, above=True)
            case ast.Name(id="self" | "cls") if cls is not None:
                return self._of(cls, func.attr, None, is_own=True)
            case receiver:
                return self._method_of(receiver, func)

    def _method_of(self, receiver: ast.expr, func: ast.Attribute) -> ResolvedCallee | None:
        """Return the method of an object, or of a class by its name."""
        instance = self.instance(receiver)
        if instance is not None:
            return self._of(instance.cls, func.attr, instance)
        if isinstance(receiver, (ast.Name, ast.Attribute)) and key_of(receiver) not in self._state.values:
            cls = self._state.flow.class_of_name(receiver)
            if cls is not None:
                return self._of(cls, func.attr, None)
        return self._called_by_variable_name(func)

    def _called_by_variable_name(self, func: ast.Attribute) -> ResolvedCallee | None:
        """Return the method of an object passed in from outside, found by the name of its variable."""
        on = func.value
        is_handed = isinstance(on, ast.Attribute) or (
            isinstance(on, ast.Name)
            and on.id in self._state.values
            and on.id not in self._state.module.imported
        )
        name = last_name(on)
        cls = self._state.flow.modules.class_named_like(name, func.attr) if is_handed and name else None
        return self._of(cls, func.attr, Instance(cls)) if cls is not None else None

    def _of(
        self,
        cls: ProjectClass,
        name: str,
        receiver: Instance | None,
        is_own: bool = False,
        above: bool = False,
    ) -> ResolvedCallee | None:
        result = cls.method(name, above)
        if result is None:
            return None
        holder, function = result
        positional = [*function.args.posonlyargs, *function.args.args]
        skips = bool(positional) and positional[0].arg in {"self", "cls"}
        return ResolvedCallee(holder.flow, function, receiver, is_own, skips)
