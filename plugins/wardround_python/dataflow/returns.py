"""Transfer functions of ``return``: the summary of what a function returns."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from wardround_python.dataflow.domain import SinkKind, Taint
from wardround_python.dataflow.known_value import Known, KnownConstant, KnownContainer, is_same
from wardround_python.dataflow.page_sinks import headers_in, is_not_page, page_kinds
from wardround_python.dataflow.project import Instance
from wardround_python.dataflow.walking import StatementTransfers

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow

_ADDRESS_METHODS = frozenset({"get_success_url", "get_redirect_url", "get_next_page"})
"""Methods of Django's views that return the address of a redirect."""


class ReturnTransfer:
    """Builds the part of the summary that ``return`` statements decide."""

    __slots__ = (
        "_containers",
        "_evaluator",
        "_known",
        "_resolver",
        "_sinks",
        "_state",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._evaluator = flow.evaluator
        self._sinks = flow.sinks
        self._containers = flow.containers
        self._known = flow.known
        self._resolver = flow.resolver

    def transfers(self) -> StatementTransfers:
        """Return the transfer functions by kind of node."""
        return {ast.Return: self._return}

    def record_known(self, known: Known | None) -> None:
        """Record what is known of the result, as far as every ``return`` agrees."""
        if isinstance(known, KnownContainer) and self._state.inlined is None:
            known = None  # the next call creates another
        before = self._state.known_return
        self._state.known_return = (known if before is None or is_same(before[0], known) else None,)

    def _return(self, node: ast.Return) -> bool:
        self._state.exits += 1
        if node.value is not None:
            value, known = self._known.evaluate(node.value)
            self._state.summary.returns(value)
            self.record_known(known)
            self._record_object(node.value)
            if self._state.in_view and getattr(self._state.function, "name", "") in _ADDRESS_METHODS:
                self._sinks.reach(SinkKind.REDIRECT, node.value, value)
            if self._state.is_page_route and not isinstance(node.value, (ast.Dict, ast.List)):
                self._response(node.value, value)
        else:
            self.record_known(KnownConstant(None))
        return True

    def _response(self, node: ast.expr, value: Taint) -> None:
        """Report the page a route returns, with its status and headers."""
        text, *others = node.elts if isinstance(node, ast.Tuple) and node.elts else [node]
        if others:
            value = self._evaluator.value(text)
        for item in others:
            for header, address in headers_in(item):
                if header == "location":
                    self._sinks.reach(SinkKind.REDIRECT, address, self._evaluator.value(address))
        if not any(is_not_page(other) for other in others):
            self._sinks.reach(page_kinds(text), text, value)

    def _record_object(self, node: ast.expr) -> None:
        if isinstance(node, ast.Name) and node.id == "self":
            self._state.summary.returns_self = True
            return
        value = self._resolver.instance(node)
        if value is not None and self._state.summary.instance is None:
            fields = dict(value.fields) if value.fields is not None else None
            self._state.summary.instance = Instance(value.cls, fields)
