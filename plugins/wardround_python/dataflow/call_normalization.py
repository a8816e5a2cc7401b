"""Equivalent simpler expressions: ``getattr(x, "y")`` is ``x.y``, ``partial(f, 1)(2)`` is ``f(1, 2)``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from wardround.languages.python.module import last_name
from wardround_python.dataflow.domain import Taint
from wardround_python.dataflow.known_value import Known, KnownContainer, NamedTupleType, PartialCall

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow

_MAKERS = frozenset(
    {"functools.partial", "operator.itemgetter", "operator.attrgetter", "operator.methodcaller"}
)
_NAMED_TUPLE = "collections.namedtuple"
_LAST_NAMES = frozenset({"partial", "itemgetter", "attrgetter", "methodcaller", "namedtuple"})


class CallNormalizer:
    """Rewrites calls with a direct equivalent, such as ``getattr`` with a constant name."""

    __slots__ = (
        "_assignments",
        "_evaluator",
        "_folder",
        "_known",
        "_resolver",
        "_state",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._evaluator = flow.evaluator
        self._folder = flow.folder
        self._known = flow.known
        self._resolver = flow.resolver
        self._assignments = flow.assignments

    def partial(self, node: ast.Call) -> Known | None:
        """Return what is known of a call that only prepares another."""
        if last_name(node.func) not in _LAST_NAMES:
            return None
        name = self._state.module.qualified_name(node.func) or ""
        if name in _MAKERS:
            return PartialCall(node)
        if name == _NAMED_TUPLE and len(node.args) == 2:
            return self._tuple_type(node.args[1])
        return None

    def set_attribute(self, node: ast.Call, value: Taint) -> None:
        """Bind the attribute that ``setattr(thing, "name", value)`` sets."""
        name = self._folder.constant(node.args[1])
        if name is not None and isinstance(name.value, str) and name.value.isidentifier():
            target = ast.copy_location(ast.Attribute(node.args[0], name.value, ast.Store()), node)
            self._assignments.bind(target, value, node.args[2], self._known.of(node.args[2]))

    def taint(self, node: ast.Call) -> Taint | None:
        """Return the taint of a call that is equal to a simpler expression; None for other calls."""
        other = self._normalize_call(node)
        if other is None:
            return None
        value = self._evaluator.value(other)
        known = self._known.of(other)
        if known is not None:
            self._state.results[node] = known
        return value

    def _normalize_call(self, node: ast.Call) -> ast.expr | None:
        """Return the simpler expression a call is equal to; None for other calls."""
        match node.func:
            case ast.Name() as func:
                return self._normalize_named_call(node, func)
            case ast.Call() as func if (self._state.module.qualified_name(func.func) or "") in _MAKERS:
                return self._complete_call(func, node)
            case ast.Call(func=ast.Name()) as func:
                return self._special(node, func, "__call__")
            case _:
                return None

    def _normalize_named_call(self, node: ast.Call, func: ast.Name) -> ast.expr | None:
        if func.id == "getattr" and "getattr" not in self._state.values:
            return self._attribute(node)
        known = self._state.values.known.get(func.id)
        if isinstance(known, PartialCall):
            return self._complete_call(known.made, node)
        return self._special(node, func, "__call__") if known is None else self._string_receiver(node)

    def _tuple_type(self, node: ast.expr) -> NamedTupleType | None:
        if isinstance(node, (ast.List, ast.Tuple)):
            names = self._folder.constants(node.elts)
        else:
            constant = self._folder.constant(node)
            text = constant.value if constant is not None else None
            names = list(text.replace(",", " ").split()) if isinstance(text, str) else None
        return NamedTupleType(tuple(map(str, names))) if names else None

    def _attribute(self, node: ast.Call) -> ast.expr | None:
        """Return ``thing.name`` for ``getattr(thing, "name")``, if a default cannot apply."""
        name = self._attribute_name(node)
        if name is None:
            return None
        attribute = ast.copy_location(ast.Attribute(node.args[0], name, ast.Load()), node)
        if len(node.args) != 3:
            return attribute
        namespace = self._namespace(node.args[0])
        if namespace is None:
            return None
        is_missing = isinstance(namespace.entries, dict) and name not in namespace.entries
        return node.args[2] if is_missing else attribute

    def _attribute_name(self, node: ast.Call) -> str | None:
        constant = self._folder.constant(node.args[1]) if len(node.args) > 1 else None
        name = constant.value if constant is not None else None
        return name if isinstance(name, str) and name.isidentifier() else None

    def _namespace(self, node: ast.expr) -> KnownContainer | None:
        container = self._known.container(node) if isinstance(node, (ast.Name, ast.Call)) else None
        return container if container is not None and container.kind == "namespace" else None

    def _complete_call(self, created: ast.Call, node: ast.Call) -> ast.expr | None:
        """Return a prepared call with the rest of its arguments."""
        match last_name(created.func), created.args, node.args:
            case "partial", [func, *first], _:
                call = ast.Call(func, [*first, *node.args], [*created.keywords, *node.keywords])
                return ast.copy_location(call, node)
            case "methodcaller", [name, *arguments], [receiver]:
                return self._method_call(receiver, name, arguments, created.keywords, node)
            case "itemgetter", [key], [container]:
                return ast.copy_location(ast.Subscript(container, key, ast.Load()), node)
            case _, [path], [start]:
                return self._attribute_at(start, path, node)
            case _:
                return None

    def _method_call(
        self,
        receiver: ast.expr,
        name: ast.expr,
        arguments: list[ast.expr],
        keywords: list[ast.keyword],
        node: ast.Call,
    ) -> ast.Call:
        constant = self._folder.constant(name)
        method = ast.Attribute(receiver, str(constant.value) if constant else "?", ast.Load())
        return ast.copy_location(ast.Call(method, arguments, keywords), node)

    def _attribute_at(self, start: ast.expr, path: ast.expr, node: ast.Call) -> ast.expr | None:
        """Return ``start.a.b`` for the path ``"a.b"``."""
        constant = self._folder.constant(path)
        if constant is None or not isinstance(constant.value, str):
            return None
        result = start
        for name in constant.value.split("."):
            result = ast.copy_location(ast.Attribute(result, name, ast.Load()), node)
        return result

    def _special(self, node: ast.Call, on: ast.Name | ast.Call, name: str) -> ast.expr | None:
        """Return ``thing.__call__(value)`` for ``thing(value)`` of an object of the project."""
        if not self._state.flow.calls_objects:
            return self._string_receiver(node)
        value = self._state.instances.get(on.id) if isinstance(on, ast.Name) else self._resolver.instance(on)
        if value is None or value.cls.method(name) is None:
            return self._string_receiver(node)
        func = ast.copy_location(ast.Attribute(on, name, ast.Load()), node)
        return ast.copy_location(ast.Call(func, node.args, node.keywords), node)

    def _string_receiver(self, node: ast.Call) -> ast.expr | None:
        """Return ``thing.__str__()`` for ``str(thing)``."""
        if last_name(node.func) != "str" or len(node.args) != 1 or not self._state.flow.converts_objects:
            return None
        value = (
            self._resolver.instance(node.args[0]) if isinstance(node.args[0], (ast.Name, ast.Call)) else None
        )
        if value is None or value.cls.method("__str__") is None:
            return None
        func = ast.copy_location(ast.Attribute(node.args[0], "__str__", ast.Load()), node)
        return ast.copy_location(ast.Call(func, [], []), node)
