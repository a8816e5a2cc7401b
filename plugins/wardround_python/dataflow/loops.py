"""Transfer functions of loops, ``try`` and ``with``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from wardround.languages.python.module import last_name
from wardround_python.dataflow.domain import CLEAN
from wardround_python.dataflow.known_value import KnownContainer
from wardround_python.dataflow.state import joined_environments
from wardround_python.dataflow.walking import StatementTransfers

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow

_MOST_ROUNDS = 2
"""Rounds over a loop's body, so that assignments at its end reach its start."""
_DEEPEST_LOOP = 3
_SWALLOWING = frozenset({"suppress", "raises", "assertRaises"})


class LoopWalker:
    """Analyses loops, ``try`` and ``with``."""

    __slots__ = (
        "_assignments",
        "_conditions",
        "_containers",
        "_evaluator",
        "_known",
        "_names",
        "_state",
        "_walker",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._evaluator = flow.evaluator
        self._names = flow.names
        self._containers = flow.containers
        self._conditions = flow.conditions
        self._known = flow.known
        self._assignments = flow.assignments
        self._walker = flow.walker

    def transfers(self) -> StatementTransfers:
        """Return the transfer functions by kind of node."""
        return {
            ast.While: self._while,
            ast.For: self._for,
            ast.AsyncFor: self._for,
            ast.With: self._with,
            ast.AsyncWith: self._with,
            ast.Try: self._try,
        }

    def _while(self, node: ast.While) -> bool:
        if self._conditions.truth_value(node.test) is False:
            return self._walker.walk(node.orelse)
        self._invalidate_changed_values(node.body)
        self._containers.peek(node.test)
        when_true, _ = self._conditions.sanitized_branches(node.test)
        self._loop(lambda: self._names.sanitize(when_true), node.body, node.orelse)
        return False

    def _for(self, node: ast.For | ast.AsyncFor) -> bool:
        self._invalidate_changed_values([node.target, *node.body])
        self._loop(lambda: self._assignments.bind_each(node.target, node.iter), node.body, node.orelse)
        return False

    def _invalidate_changed_values(self, body: Sequence[ast.stmt | ast.expr]) -> None:
        """Discard the known values of names that these statements change: they may run often or in part."""
        for created in self._state.instances.values():
            created.known.clear()
        changed = self._state.flow.nested.changed_in(body) if self._state.values.known else frozenset()
        for key in changed & self._state.values.known.keys():
            container = self._state.values.known.pop(key)
            if isinstance(container, KnownContainer):
                self._containers.escape(container)

    def _loop(self, start: Callable[[], None], body: list[ast.stmt], after: list[ast.stmt]) -> None:
        outer, self._state.jumps = self._state.jumps, []
        region, exits = self._state.region, self._state.exits
        self._state.loops += 1
        for _ in range(_MOST_ROUNDS if self._state.loops <= _DEEPEST_LOOP else 1):
            before = self._state.values.copy()
            self._state.enter_region()
            start()
            ends = self._walker.walk(body)
            for jump in [*([] if ends else [self._state.values]), *self._state.jumps]:
                before = joined_environments(before, jump)
            self._state.values = before
            self._state.jumps = []
        self._state.loops -= 1
        self._state.jumps = outer
        self._walker.leave(region, exits)
        self._walker.walk(after)

    def _try(self, node: ast.Try) -> bool:
        before, region, exits = self._state.values.copy(), self._state.region, self._state.exits
        self._state.tries += 1
        outside, self._state.raised = self._state.raised, CLEAN
        if any(not isinstance(item.body[-1], (ast.Return, ast.Raise)) for item in node.handlers):
            self._state.enter_region()
        ends = self._walker.walk(node.body) or self._walker.walk(node.orelse)
        after = self._state.values
        left = [] if ends else [after]
        changed = (
            self._state.flow.nested.changed_in(node.body) if node.handlers and before.known else frozenset()
        )
        for handler in node.handlers:
            self._state.values = joined_environments(before, after)
            self._state.values.forget(changed | {handler.name or ""})
            if handler.name is not None:
                self._names.set(handler.name, self._state.raised)
            self._state.enter_region()
            if not self._walker.walk(handler.body):
                left.append(self._state.values)
        self._state.tries -= 1
        self._state.raised = outside
        self._state.values = left[0] if left else before
        self._walker.join(left)
        self._walker.leave(region, exits)
        return self._walker.walk(node.finalbody) or not left

    def _with(self, node: ast.With | ast.AsyncWith) -> bool:
        for item in node.items:
            value = self._evaluator.value(item.context_expr)
            if item.optional_vars is not None:
                known = self._known.of(item.context_expr)
                known = known if isinstance(known, KnownContainer) and known.kind == "stream" else None
                self._assignments.bind(item.optional_vars, value, item.context_expr, known)
        calls = [element.context_expr for element in node.items if isinstance(element.context_expr, ast.Call)]
        if any(last_name(call.func) in _SWALLOWING for call in calls):
            self._invalidate_changed_values(node.body)
        return self._walker.walk(node.body)
