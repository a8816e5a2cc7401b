"""Equivalent simpler expressions: ``getattr(x, "y")`` is ``x.y``, ``partial(f, 1)(2)`` is ``f(1, 2)``."""

from __future__ import annotations

import ast

from wardround.languages.python.module import last_name
from wardround_python.dataflow.assignments import Assignments
from wardround_python.dataflow.constant_folding import ConstantFolder
from wardround_python.dataflow.domain import Taint
from wardround_python.dataflow.evaluation import Evaluator
from wardround_python.dataflow.flow_state import FlowState
from wardround_python.dataflow.known_value import Known, NamedTupleType, PartialCall
from wardround_python.dataflow.object_resolution import ObjectResolver
from wardround_python.dataflow.value_tracking import KnownValues

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

    def __init__(
        self,
        state: FlowState,
        evaluator: Evaluator,
        folder: ConstantFolder,
        known: KnownValues,
        resolver: ObjectResolver,
        assignments: Assignments,
    ) -> None:
        self._state = state
        self._evaluator = evaluator
        self._folder = folder
        self._known = known
        self._resolver = resolver
        self._assignments = assignments

    def partial(self, node: ast.Call) -> Known | None:
        """Return what is known of a call that only prepares another."""
        if last_name(node.func) not in _LAST_NAMES:
            return None
        name = self._state.module.dotted(node.func) or ""
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
        other = self._normalized(node)
        if other is None:
            return None
        value = self._evaluator.value(other)
        known = self._known.of(other)
        if known is not None:
            self._state.results[node] = known
        return value

    def _normalized(self, node: ast.Call) -> ast.expr | None:
        """Return the simpler expression a call is equal to; None for other calls."""
        func = node.func
        if isinstance(func, ast.Name):
            if func.id == "getattr" and "getattr" not in self._state.values:
                return self._attribute(node)
            known = self._state.values.known.get(func.id)
            if isinstance(known, PartialCall):
                return self._completed(known.made, node)
            return self._special(node, func, "__call__") if known is None else self._as_text(node)
        if isinstance(func, ast.Call) and (self._state.module.dotted(func.func) or "") in _MAKERS:
            return self._completed(func, node)
        if isinstance(func, ast.Call) and isinstance(func.func, ast.Name):
            return self._special(node, func, "__call__")
        return None

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
        name = self._folder.constant(node.args[1]) if len(node.args) > 1 else None
        if name is None or not isinstance(name.value, str) or not name.value.isidentifier():
            return None
        container = (
            self._known.container(node.args[0]) if isinstance(node.args[0], (ast.Name, ast.Call)) else None
        )
        if len(node.args) == 3 and container is not None and container.kind == "namespace":
            if isinstance(container.entries, dict) and name.value not in container.entries:
                return node.args[2]
        elif len(node.args) == 3:
            return None
        return ast.copy_location(ast.Attribute(node.args[0], name.value, ast.Load()), node)

    def _completed(self, made: ast.Call, node: ast.Call) -> ast.expr | None:
        """Return a prepared call with the rest of its arguments."""
        name = last_name(made.func)
        if name == "partial" and made.args:
            func, *first = made.args
            call = ast.Call(func, [*first, *node.args], [*made.keywords, *node.keywords])
            return ast.copy_location(call, node)
        if len(node.args) != 1 or not made.args:
            return None
        result: ast.expr
        if name == "methodcaller":
            method = self._folder.constant(made.args[0])
            result = ast.Attribute(node.args[0], str(method.value) if method else "?", ast.Load())
            result = ast.Call(result, made.args[1:], made.keywords)
        elif len(made.args) != 1:
            return None
        elif name == "itemgetter":
            result = ast.Subscript(node.args[0], made.args[0], ast.Load())
        else:
            path = self._folder.constant(made.args[0])
            if path is None or not isinstance(path.value, str):
                return None
            result = node.args[0]
            for part in path.value.split("."):
                result = ast.copy_location(ast.Attribute(result, part, ast.Load()), node)
        return ast.copy_location(result, node)

    def _special(self, node: ast.Call, on: ast.Name | ast.Call, name: str) -> ast.expr | None:
        """Return ``thing.__call__(value)`` for ``thing(value)`` of an object of the project."""
        if not self._state.flow.calls_objects:
            return self._as_text(node)
        value = self._state.instances.get(on.id) if isinstance(on, ast.Name) else self._resolver.instance(on)
        if value is None or value.cls.method(name) is None:
            return self._as_text(node)
        func = ast.copy_location(ast.Attribute(on, name, ast.Load()), node)
        return ast.copy_location(ast.Call(func, node.args, node.keywords), node)

    def _as_text(self, node: ast.Call) -> ast.expr | None:
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
