"""Sinks among the arguments of calls."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.languages.python.module import last_name
from wardround_python.dataflow.commands import COMMAND_FLAGS, PROCESSES, RUNS, read_by_shell
from wardround_python.dataflow.domain import SinkKind, Taint
from wardround_python.dataflow.forwarding_calls import (
    forwarded_sinks,
    is_response_by_own_method,
    writes_fields,
)
from wardround_python.dataflow.known_value import KnownConstant
from wardround_python.dataflow.sinks import session_values, sinks_of_call

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow


class CallSinks:
    """Reports the sinks among the arguments of calls."""

    __slots__ = (
        "_containers",
        "_evaluator",
        "_known",
        "_names",
        "_normalizer",
        "_sinks",
        "_state",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._evaluator = flow.evaluator
        self._names = flow.names
        self._sinks = flow.sinks
        self._containers = flow.containers
        self._known = flow.known
        self._normalizer = flow.normalizer

    def report(
        self,
        node: ast.Call,
        receiver: Taint,
        taints: Sequence[Taint],
        named: Sequence[tuple[ast.keyword, Taint]],
    ) -> None:
        """Report the sinks that a call's receiver and arguments reach."""
        known: dict[ast.expr, Taint] = dict(zip(node.args, taints, strict=True))
        known.update({keyword.value: value for keyword, value in named})
        if isinstance(node.func, ast.Attribute):
            known[node.func.value] = receiver
        makers = self._names.makers(node.func.value if isinstance(node.func, ast.Attribute) else node.func)
        for kind, argument in sinks_of_call(self._state.module, node, makers, self._state.flow.slow):
            self._sinks.reach(
                kind,
                argument,
                known[argument] if argument in known else self._evaluator.value(argument),
            )
        self._command(node)
        for keyword, value in named:
            if keyword.arg is None and writes_fields(self._state.module, node):
                self._sinks.reach(SinkKind.FIELDS, keyword.value, value)
        if last_name(node.func) == "setattr" and len(node.args) == 3:
            self._sinks.reach(SinkKind.FIELDS, node.args[1], taints[1])
            self._normalizer.set_attribute(node, taints[2])
        if _is_header_call(node, "access-control-allow-origin"):
            self._sinks.reach(SinkKind.ORIGIN, node.args[1], taints[1])
        if _is_header_call(node, "location"):
            self._sinks.reach(SinkKind.REDIRECT, node.args[1], taints[1])
        for key, argument in session_values(node):
            self._sinks.reach(SinkKind.TRUST, argument, self._evaluator.value(argument))
            if not isinstance(key, ast.Constant):
                self._sinks.reach(SinkKind.TRUST, key, self._evaluator.value(key))
        for kind, argument in forwarded_sinks(node):
            self._sinks.reach(
                kind,
                argument,
                known[argument] if argument in known else self._evaluator.value(argument),
            )
        if is_response_by_own_method(node, self._state.in_view):
            kind = SinkKind.REDIRECT if last_name(node.func) == "redirect" else SinkKind.PAGE
            for argument, value in list(zip(node.args, taints, strict=True))[:1]:
                self._sinks.reach(kind, argument, value)

    def _command(self, node: ast.Call) -> None:
        """Report a command line that is built before the call, or flags that start a shell."""
        if not node.args or last_name(node.func) not in RUNS:
            return
        if not (self._state.module.qualified_name(node.func) or "").startswith(PROCESSES):
            return
        command = node.args[0]
        if any(self._enables_shell(keyword.value) for keyword in node.keywords if keyword.arg is None):
            self._sinks.reach(SinkKind.SHELL, command, self._containers.peek(command))
        if isinstance(command, (ast.Name, ast.Attribute)):
            self._built_command(command)

    def _enables_shell(self, flags: ast.expr) -> bool:
        """Return True if a mapping that is spread into the call has ``shell`` in it."""
        container = self._known.container(flags)
        if container is None or not isinstance(container.entries, dict):
            return False
        shell = container.at("shell")
        return shell is not None and isinstance(shell.known, KnownConstant) and bool(shell.known.value)

    def _built_command(self, command: ast.Name | ast.Attribute) -> None:
        container = self._containers.find(command)
        if container is None:
            return
        if isinstance(container.entries, list):
            for value in read_by_shell(container.entries):
                self._sinks.reach(SinkKind.SHELL, command, value)
        elif not container.texts.isdisjoint(COMMAND_FLAGS):
            self._sinks.reach(SinkKind.SHELL, command, container.total)


def _is_header_call(node: ast.Call, header: str) -> bool:
    return (
        len(node.args) == 2
        and isinstance(node.args[0], ast.Constant)
        and str(node.args[0].value).lower() == header
    )
