"""The taint of names, and other names for the same value."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache

from wardround.languages.python.module import last_name
from wardround.languages.python.tree import walk
from wardround.semantics.dataflow.domain import PARAMETER, join, without
from wardround_python.dataflow.catalogue import SANITIZERS
from wardround_python.dataflow.domain import CLEAN, Sanitized, SinkKind, Taint
from wardround_python.dataflow.evaluation import Evaluator
from wardround_python.dataflow.expression_shapes import constant_text, key_of
from wardround_python.dataflow.flow_state import FlowState
from wardround_python.dataflow.known_value import KnownContainer
from wardround_python.dataflow.state import OUTSIDE

_KEPT = SinkKind.REDIRECT | SinkKind.URL | SinkKind.SQL | SinkKind.SHELL | SinkKind.CODE


class NameScope:
    """The taint of names, attributes and session entries at one program point."""

    __slots__ = (
        "_evaluator",
        "_state",
    )

    def __init__(self, state: FlowState, evaluator: Evaluator) -> None:
        self._state = state
        self._evaluator = evaluator

    def set(self, key: str, taint: Taint) -> None:
        """Set the taint of a name or attribute; attributes of ``self`` become part of the summary."""
        state = self._state
        state.values[key] = taint
        state.values.known.pop(key, None)
        if state.guards or state.record_ids:
            self._forget_tests_of(key)
        if taint:
            self._store_outside(key, taint)

    def _forget_tests_of(self, key: str) -> None:
        """Forget the guards and the identifiers of records that rest on the old value of a name."""
        guards, record_ids = self._state.guards, self._state.record_ids
        for name, (_, tested) in list(guards.items()):
            if name == key or key in tested:
                del guards[name]
        for name, ids in list(record_ids.items()):
            if name == key or key in ids:
                del record_ids[name]

    def _store_outside(self, key: str, taint: Taint) -> None:
        """Record a taint that outlives the function: in an attribute, or in a name of an outer function."""
        state = self._state
        if key.startswith("self.") and state.cls is not None:
            attribute = key.removeprefix("self.").partition(".")[0].partition("[")[0]
            state.summary.store(attribute, taint)
        elif state.function is not None and key in state.flow.nested.free(state.function):
            state.summary.store(OUTSIDE + key, taint)

    def store_in_session(self, key: str, taint: Taint) -> None:
        """Record the taint that goes into a session or a cookie under a key."""
        if taint:
            self._state.summary.store(f"session.{key}", taint)

    def session_taint(self, key: str) -> Taint:
        """Return the taint of a session entry, as far as this module stores it."""
        return {f"{PARAMETER}session.{key}": _KEPT}

    def extend(self, key: str, value: Taint) -> None:
        """Join a taint to that of a name or attribute; the known entries of a container remain."""
        known = self._state.values.known.get(key)
        self.set(key, join(self.taint_of(key), value))
        if isinstance(known, KnownContainer):
            self._state.values.known[key] = known

    def makers(self, node: ast.expr) -> frozenset[str]:
        """Return the dotted names of the functions whose results an expression holds."""
        if isinstance(node, ast.Call):
            return frozenset({self._state.module.qualified_name(node.func) or ""})
        key = key_of(node)
        return self._state.flow.makers.get(key, frozenset()) if key is not None else frozenset()

    def sanitize(self, sanitized: Sanitized) -> None:
        """Remove the kinds of sink that a guard shows to be harmless."""
        if self._state.observers.ignores_guards:
            return
        if not sanitized:
            return
        parts = [key for key in self._state.values if not key.isidentifier()]
        for key, kinds in sanitized.items():
            inside = (key + ".", key + "[")
            for item in (key, *(part for part in parts if part.startswith(inside))):
                self._state.values[item] = without(self.taint_of(item), kinds)

    def taint_of(self, key: str) -> Taint:
        """Return the taint of a name or attribute by its key."""
        if key in self._state.values:
            return self._state.values[key]
        expression = _expression(key)
        return self._evaluator.value(expression) if expression is not None else CLEAN

    def aliases(self, node: ast.expr) -> Iterable[str]:
        """Return the names that are bound to the value of an expression, and the names from which it is
        derived.
        """
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
            if node.func.attr not in SANITIZERS.propagating_methods:
                return ()
            node = node.func.value
        if isinstance(node, ast.Call) and last_name(node.func) in {
            "str",
            "repr",
            "Path",
            "realpath",
            "abspath",
        }:
            return self.aliases(node.args[0]) if node.args else ()
        if isinstance(node, ast.NamedExpr):
            node = node.target
        if isinstance(node, ast.Await):
            return self.aliases(node.value)
        key = key_of(node)
        if key is None:
            return ()
        results = [key]
        for element in results:
            results += sorted(self._state.derived_from.get(element, frozenset()).difference(results))
            if len(results) > 20:
                break
        return [item for item in results if item not in {"request", "req", "self", "self.request"}]

    def tainted_names(self, node: ast.expr) -> frozenset[str]:
        """Return the tainted names in an expression."""
        return frozenset(
            part.id for part in walk(node) if isinstance(part, ast.Name) and self._state.values.get(part.id)
        )

    def text_of(self, node: ast.expr) -> str | None:
        """Return the string of a constant, or of a name that the module binds to one."""
        if isinstance(node, ast.Name):
            return self._state.module.top_texts.get(node.id)
        return constant_text(node)


@lru_cache(maxsize=1024)
def _expression(key: str) -> ast.expr | None:
    """Return the expression behind a key."""
    try:
        return ast.parse(key, mode="eval").body
    except SyntaxError:
        return None
