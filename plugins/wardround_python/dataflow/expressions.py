"""Transfer functions of expressions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from wardround.languages.python.module import last_name
from wardround.semantics.dataflow.domain import ARCHIVE, REQUEST, join, only, without
from wardround_python.dataflow import request_parameters, sources
from wardround_python.dataflow.catalogue import SANITIZERS, SOURCES
from wardround_python.dataflow.domain import CLEAN, STORED, UPLOAD, SinkKind, Taint
from wardround_python.dataflow.evaluation import Transfers
from wardround_python.dataflow.expression_shapes import key_of
from wardround_python.dataflow.known_value import KnownContainer, KnownEntry
from wardround_python.dataflow.request_objects import is_request
from wardround_python.dataflow.sources import (
    FROM_HOST,
    FROM_MODEL,
    FROM_PATH,
    FROM_REQUEST,
    FROM_SENDER,
    FROM_UPLOAD,
)

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow

_IN_FORM = SinkKind.SQL | SinkKind.SHELL | SinkKind.CODE | SinkKind.LDAP | SinkKind.XPATH | SinkKind.TEMPLATE


class ExpressionTransfer:
    """Transfers taint through every kind of expression except calls and built text."""

    __slots__ = (
        "_assignments",
        "_calls",
        "_conditions",
        "_containers",
        "_evaluator",
        "_known",
        "_names",
        "_reads",
        "_sinks",
        "_state",
        "_summaries",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._evaluator = flow.evaluator
        self._names = flow.names
        self._sinks = flow.sinks
        self._containers = flow.containers
        self._conditions = flow.conditions
        self._known = flow.known
        self._assignments = flow.assignments
        self._reads = flow.reads
        self._summaries = flow.summaries
        self._calls = flow.calls

    def transfers(self) -> Transfers:
        """Return the transfer functions by kind of node."""
        return {
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Subscript: self._subscript,
            ast.IfExp: self._choice,
            ast.BoolOp: self._boolean,
            ast.Tuple: self._collection,
            ast.List: self._collection,
            ast.Set: self._collection,
            ast.Dict: self._dict,
            ast.ListComp: self._comprehension,
            ast.SetComp: self._comprehension,
            ast.GeneratorExp: self._comprehension,
            ast.DictComp: self._comprehension,
            ast.Await: self._inner,
            ast.Starred: self._inner,
            ast.YieldFrom: self._inner,
            ast.FormattedValue: self._inner,
            ast.Yield: self._transfer_yield,
            ast.NamedExpr: self._walrus,
            ast.Compare: self._compare,
            ast.UnaryOp: self._negation,
        }

    def _attribute(self, node: ast.Attribute) -> Taint:
        key = key_of(node)
        receiver = self._evaluator.value(node.value) if isinstance(node.value, ast.Call) else None
        for read in (self._tracked_attribute, self._request_attribute, self._source_attribute):
            taint = read(node, key)
            if taint is not None:
                return taint
        return self._receiver_taint(node, self._evaluator.value(node.value) if receiver is None else receiver)

    def _tracked_attribute(self, node: ast.Attribute, key: str | None) -> Taint | None:
        """Return the taint that the analysis itself tracks for an attribute."""
        entry = self._containers.attribute_entry(node)
        if entry is not None:
            return entry.value
        table = self._containers.find(node)
        if table is not None:
            self._containers.escape(table)
            return join(self._state.values.get(key, CLEAN) if key is not None else CLEAN, table.total)
        if key is None:
            return None
        if key in self._state.values:
            return self._state.values[key]
        if key.startswith("self.") and key.count(".") == 1:
            return self._summaries.self_attribute(key) or None
        return None

    def _request_attribute(self, node: ast.Attribute, key: str | None) -> Taint | None:
        """Return the taint of an attribute that reads an HTTP request (``request.args``); None for others."""
        taint = _request_part(node.attr)
        if taint is not None and is_request(self._state.module, node.value, self._state.function):
            return taint
        if sources.is_raw_request(self._state.module, key, self._state.function):
            return FROM_REQUEST if key == "self.rfile" else sources.FROM_LINE
        if key == "self.kwargs" and self._state.function is not None:
            is_view = request_parameters.is_view_method(self._state.module, self._state.function)
            return FROM_REQUEST if is_view else CLEAN
        return None

    def _source_attribute(self, node: ast.Attribute, key: str | None) -> Taint | None:
        """Return the taint of another source, or of an object of the project."""
        if sources.is_model_text(self._state.module, node):
            return FROM_MODEL
        if node.attr in SOURCES.validated:
            return {REQUEST: _IN_FORM}
        taint = self._object_attribute(node)
        if taint is None and sources.STORED_ADDRESS.search(node.attr) and self._is_record(node.value):
            return {STORED: SinkKind.URL}
        return taint

    @staticmethod
    def _receiver_taint(node: ast.Attribute, value: Taint) -> Taint:
        """Return the taint of an attribute, derived from that of its receiver."""
        if UPLOAD in value and node.attr == "filename":
            return without(FROM_REQUEST, SinkKind.FIELDS)
        if node.attr in SANITIZERS.clean_attributes:
            return CLEAN
        is_part = node.attr in {"name", "stem", "suffix"}
        if is_part and (isinstance(node.value, ast.Call) or ARCHIVE not in value):
            return without(value, SinkKind.PATH)
        return value

    def _name(self, node: ast.Name) -> Taint:
        value = self._state.values.get(node.id, CLEAN)
        container = self._state.values.known.get(node.id)
        if isinstance(container, KnownContainer):  # a recipient may change it
            self._containers.escape(container)
            return join(value, container.total)
        return value

    def _is_record(self, node: ast.expr) -> bool:
        """Return True if a name is bound to the result of a lookup here."""
        return isinstance(node, ast.Name) and bool(self._names.makers(node) & self._state.flow.lookups)

    def _object_attribute(self, node: ast.Attribute) -> Taint | None:
        """Return the taint of an attribute of an object of the project; None if unknown."""
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            creation = None
            is_property = self._state.cls is not None and self._state.cls.is_property(node.attr)
        else:
            creation = self._assignments.object_of(node.value)
            is_property = creation is not None and creation.cls.is_property(node.attr)
        if is_property:
            call = ast.copy_location(ast.Call(node, [], []), node)
            value = self._calls.call(call)
            self._state.results.pop(node, None)
            if call in self._state.results:
                self._state.results[node] = self._state.results[call]
            return value
        return (
            creation.fields.get(node.attr, CLEAN)
            if creation is not None and creation.fields is not None
            else None
        )

    def _subscript(self, node: ast.Subscript) -> Taint:
        self._evaluator.value(node.slice)
        if sources.is_sent_key(self._state.module, node.value, node.slice, self._state.function):
            return FROM_REQUEST
        if sources.is_model_text(self._state.module, node):
            return FROM_MODEL
        called = self._evaluator.value(node.value) if isinstance(node.value, ast.Call) else None
        entry = self._entry_taint(node)
        if entry is not None:
            return entry
        value = self._evaluator.value(node.value) if called is None else called
        return self._assignments.of_entry(node.slice, value)

    def _entry_taint(self, node: ast.Subscript) -> Taint | None:
        """Return the taint that is known of an entry itself; None where the taint of its object counts."""
        key = key_of(node)
        known = self._reads.entry_taint(node)
        if key is not None and key in self._state.values:
            return self._state.values[key]
        if known is not None:
            return self._assignments.of_entry(node.slice, known)
        if key is not None and isinstance(node.slice, ast.Constant) and last_name(node.value) == "session":
            return self._names.session_taint(str(node.slice.value))
        return None

    def _choice(self, node: ast.IfExp) -> Taint:
        self._evaluator.value(node.test)
        decided = self._conditions.truth_value(node.test)
        if decided is not None:
            return self._evaluator.value(node.body if decided else node.orelse)
        when_true, when_false = self._conditions.sanitized_branches(node.test)
        before = self._state.values.copy()
        region = self._state.enter_region()
        self._names.sanitize(when_true)
        first = self._evaluator.value(node.body)
        self._state.values = before.copy()
        self._names.sanitize(when_false)
        second = self._evaluator.value(node.orelse)
        self._state.values, self._state.region = before, region
        return join(first, second)

    def _boolean(self, node: ast.BoolOp) -> Taint:
        before, region = self._state.values.copy(), self._state.region
        results = []
        for operand in node.values:
            value = self._containers.peek(operand)
            decided = self._conditions.truth_value(operand)
            if decided is isinstance(node.op, ast.Or) or operand is node.values[-1]:
                results.append(value)
                break
            if decided is None:
                results += (
                    [value] if isinstance(node.op, ast.Or) else []
                )  # an ``and`` returns only its false operands
                self._state.enter_region()
            when_true, when_false = self._conditions.sanitized_branches(operand)
            self._names.sanitize(when_true if isinstance(node.op, ast.And) else when_false)
        self._state.values, self._state.region = before, region
        return join(*results)

    def _collection(self, node: ast.Tuple | ast.List | ast.Set) -> Taint:
        return without(join(*(self._evaluator.value(element) for element in node.elts)), SinkKind.FIELDS)

    def _dict(self, node: ast.Dict) -> Taint:
        results = []
        for key, item in zip(node.keys, node.values, strict=True):
            value = self._evaluator.value(item)
            if key is None:
                results.append(value)
                continue
            if isinstance(key, ast.Constant) and str(key.value).lower() == "access-control-allow-origin":
                self._sinks.reach(SinkKind.ORIGIN, item, value)
            chosen = {o: left & SinkKind.FIELDS for o, left in self._evaluator.value(key).items()}
            results.append(join(without(value, SinkKind.FIELDS), chosen))
        return join(*results)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Taint:
        before, region = self._state.values.copy(), self._state.enter_region()
        for part in node.generators:
            self._assignments.bind_each(part.target, part.iter)
            for test in part.ifs:
                self._evaluator.value(test)
                self._names.sanitize(self._conditions.sanitized_branches(test)[0])
        if isinstance(node, ast.DictComp):
            key = self._evaluator.value(node.key)
            value = join(
                without(self._evaluator.value(node.value), SinkKind.FIELDS), only(key, SinkKind.FIELDS)
            )
        else:
            value = self._evaluator.value(node.elt)
        self._state.values, self._state.region = before, region
        return value

    def _inner(self, node: ast.Await | ast.Starred | ast.YieldFrom | ast.FormattedValue) -> Taint:
        return self._evaluator.value(node.value)

    def _transfer_yield(self, node: ast.Yield) -> Taint:
        if node.value is not None:
            value, known = self._evaluator.value(node.value), self._known.of(node.value)
            self._state.summary.returns(value)
            self._state.yielded.append(KnownEntry(value, known))
        return CLEAN

    def _walrus(self, node: ast.NamedExpr) -> Taint:
        value = self._evaluator.value(node.value)
        self._assignments.bind(node.target, value, node.value, self._known.of(node.value))
        return value

    def _compare(self, node: ast.Compare) -> Taint:
        for operand in (node.left, *node.comparators):
            self._containers.peek(operand)
        return CLEAN

    def _negation(self, node: ast.UnaryOp) -> Taint:
        self._containers.peek(node.operand)
        return CLEAN


def _request_part(name: str) -> Taint | None:
    """Return the taint of an attribute of the request by its name."""
    if name in SOURCES.request_parts:
        return FROM_UPLOAD if name in {"files", "FILES"} else FROM_REQUEST
    parts = (
        (SOURCES.path_parts, FROM_PATH),
        (SOURCES.sender_parts, FROM_SENDER),
        (SOURCES.host_parts, FROM_HOST),
    )
    return next((taint for names, taint in parts if name in names), None)
