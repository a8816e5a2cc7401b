"""Taint of the results of functions and methods of libraries."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.languages.python.module import last_name
from wardround.semantics.dataflow.domain import ARCHIVE, join, without
from wardround_python.dataflow import sanitizers, sources
from wardround_python.dataflow.catalogue import SANITIZERS, SOURCES
from wardround_python.dataflow.domain import CLEAN, SinkKind, Taint, decode_taint, encode_taint
from wardround_python.dataflow.expression_shapes import key_of
from wardround_python.dataflow.forwarding_calls import session_call
from wardround_python.dataflow.known_value import KnownConstant, KnownEntry
from wardround_python.dataflow.project import Instance
from wardround_python.dataflow.request_objects import is_request
from wardround_python.dataflow.sources import FROM_HOST, FROM_REQUEST
from wardround_python.syntax.assignments import is_named

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow

_PARTS_OF_ADDRESSES = frozenset({"urllib.parse.urlparse", "urllib.parse.urlsplit"})


class LibraryCalls:
    """Transfers taint through functions and methods of the language and of libraries."""

    __slots__ = (
        "_assignments",
        "_construction",
        "_containers",
        "_evaluator",
        "_folder",
        "_iteration",
        "_known",
        "_names",
        "_resolver",
        "_state",
        "_strings",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._evaluator = flow.evaluator
        self._names = flow.names
        self._folder = flow.folder
        self._containers = flow.containers
        self._known = flow.known
        self._resolver = flow.resolver
        self._assignments = flow.assignments
        self._iteration = flow.iteration
        self._construction = flow.construction
        self._strings = flow.strings

    def function(self, node: ast.Call, name: str, taints: Sequence[Taint], taint: Taint) -> Taint:
        """Return the taint of the result of a function of the language or of a library."""
        if name in SANITIZERS.matching and len(taints) > 1:
            return taints[1] if self._strings.matches_anything(node.args[0]) else CLEAN
        if name == "heapq.heappush" and taint:
            self._push(node.args[0], taint)
        recoded = _recode(name, last_name(node.func), taint)
        if recoded is not None:
            return recoded
        return self._builtin(node, name, taint)

    def _builtin(self, node: ast.Call, name: str, taint: Taint) -> Taint:
        match name:
            case "dataclasses.replace" | "dataclasses.asdict" if node.args:
                return self._dataclass_copy(node, last_name(node.func), taint)
            case "filter" if node.args and last_name(node.args[0]) in SANITIZERS.text_guards:
                return CLEAN
            case "next" if node.args:
                return self._first_of(node, taint)
            case "print":
                return self._taint_stream(node, taint)
            case "map" | "functools.reduce" if len(node.args) > 1:
                return self._map_taint(node)
        return _library_taint(node, name, taint)

    def _push(self, heap: ast.expr, taint: Taint) -> None:
        key = key_of(heap)
        if key is not None:
            self._names.extend(key, taint)

    def method(
        self,
        node: ast.Call,
        func: ast.Attribute,
        receiver: Taint,
        taints: Sequence[Taint],
        taint: Taint,
    ) -> Taint | None:
        """Return the taint of a method's result; None for a function of a module."""
        sent = self._source(node, func)
        if sent is None:
            sent = self._session(node, func, taints)
        if sent is not None:
            return sent
        if self._state.module.imported_name(func) is not None and not receiver:
            return None
        if (
            isinstance(func.value, ast.Name)
            and func.value.id in {"bytes", "bytearray"}
            and func.attr == "fromhex"
        ):
            return decode_taint(taint)
        key = key_of(func.value)
        if func.attr in SANITIZERS.storing_methods and taint and key is not None:
            self._names.extend(key, taint)
        if func.attr == "hex" and not node.args:
            return encode_taint(receiver)
        filled = self._strings.fill(node, func, receiver, taints, taint)
        return self._propagate(node, func, receiver, taints, taint) if filled is None else filled

    def _first_of(self, node: ast.Call, taint: Taint) -> Taint:
        """Return the taint of ``next(entries)``."""
        entry = self._iteration.next(node.args[0])
        if entry is not None and entry.known is not None:
            self._state.results[node] = entry.known
        return entry.value if entry is not None else taint

    def _taint_stream(self, node: ast.Call, taint: Taint) -> Taint:
        """Taint the stream of ``print(value, file=stream)``."""
        for keyword in node.keywords:
            key = key_of(keyword.value) if keyword.arg == "file" else None
            known_fields = self._containers.find(keyword.value)
            if known_fields is not None:
                known_fields.put(KnownEntry(taint))
                self._containers.escape(known_fields)
            if key is not None and taint:
                self._names.extend(key, taint)
        return CLEAN

    def _map_taint(self, node: ast.Call) -> Taint:
        """Return the taint of the results of a function that is called for each of the values."""
        func, *taints = node.args
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "str":
            return self._evaluator.value(taints[0])  # map(str.strip, values)
        if last_name(node.func) == "reduce":
            taints = [*taints, taints[0]]
        return self._evaluator.value(ast.copy_location(ast.Call(func, taints, []), node))

    def _dataclass_copy(self, node: ast.Call, name: str, taint: Taint) -> Taint:
        """Return the taint of ``replace(record, field=value)`` or ``asdict(record)`` of a known class."""
        creation = self._resolver.instance(node.args[0])
        if creation is None or creation.fields is None:
            return taint
        if name == "asdict":
            entries: dict[object, KnownEntry] = {
                field: KnownEntry(value, creation.known.get(field))
                for field, value in creation.fields.items()
            }
            table = self._state.results[node] = self._construction.mapping_of(entries)
            return table.total
        fields, known_fields = dict(creation.fields), dict(creation.known)
        for keyword in node.keywords:
            known = self._known.of(keyword.value)
            if keyword.arg is not None:
                fields[keyword.arg] = self._containers.peek(keyword.value)
                known_fields.pop(keyword.arg, None)
                known_fields.update({keyword.arg: known} if isinstance(known, KnownConstant) else {})
        self._state.objects[node] = copied = Instance(creation.cls, fields, self._state.region, known_fields)
        return copied.total

    def _source(self, node: ast.Call, func: ast.Attribute) -> Taint | None:
        """Return the taint of a method that is a source: of a request, a handler, an archive."""
        method, receiver = func.attr, func.value
        if self._returns_sent_value(node, func):
            return FROM_REQUEST
        if method in SOURCES.host_calls and self._is_request(receiver):
            return FROM_HOST
        if method in SOURCES.handler_calls and is_named(receiver, "self"):
            return without(FROM_REQUEST, SinkKind.FIELDS)
        if method in SOURCES.archive_calls and self._names.makers(receiver) & SOURCES.archives:
            return {ARCHIVE: SinkKind.PATH}
        return None

    def _returns_sent_value(self, node: ast.Call, func: ast.Attribute) -> bool:
        """Return True if a method returns a part of a request."""
        if func.attr in SOURCES.request_calls and self._is_request(func.value):
            return True
        if func.attr != "get" or not node.args:
            return False
        return sources.is_sent_key(self._state.module, func.value, node.args[0], self._state.function)

    def _is_request(self, node: ast.expr) -> bool:
        return is_request(self._state.module, node, self._state.function)

    def _session(self, node: ast.Call, func: ast.Attribute, taints: Sequence[Taint]) -> Taint | None:
        """Return the taint of a session or cookie that is read, or record a stored one."""
        retained = session_call(func, node)
        if retained is None:
            return None
        if func.attr in {"get", "pop", "get_signed_cookie", "get_secure_cookie"}:
            return join(self._names.session_taint(retained), *taints[1:2])
        self._names.store_in_session(
            retained, self._strings.raw_taint(node.args[1]) if len(node.args) > 1 else CLEAN
        )
        return CLEAN

    def _propagate(
        self, node: ast.Call, func: ast.Attribute, receiver: Taint, taints: Sequence[Taint], taint: Taint
    ) -> Taint:
        """Return the taint a method propagates from its receiver and arguments."""
        if func.attr not in SANITIZERS.propagating_methods:
            return CLEAN
        receiver = without(receiver, sanitizers.sanitized_by_method(node, func))
        added = taint if func.attr in SANITIZERS.argument_methods else CLEAN
        if func.attr == "get" and any(k.arg == "type" and _is_number(k.value) for k in node.keywords):
            return CLEAN
        if func.attr in {"get", "pop", "setdefault"}:
            added = join(*taints[1:2])
            if node.args:
                receiver = self._assignments.of_entry(node.args[0], receiver)
        return join(receiver, added)


def _is_number(node: ast.expr) -> bool:
    """Return True if werkzeug converts a field to a type that holds no text."""
    return isinstance(node, ast.Name) and node.id in {"int", "float", "bool", "UUID"}


def _recode(name: str, last: str, taint: Taint) -> Taint | None:
    """Return the taint after encoding, sanitizing or decoding; None for other functions."""
    if name in SANITIZERS.encoding:
        return encode_taint(taint)
    if (last in sanitizers.SANITIZED and name not in {"json.dumps"}) or last == "basename":
        retained = sanitizers.undone_later(name, taint)
        return join(without(taint, sanitizers.SANITIZED[last]), retained)
    return decode_taint(taint) if name in SANITIZERS.decoding else None


def _library_taint(node: ast.Call, name: str, taint: Taint) -> Taint:
    """Return the taint a library function propagates."""
    if name in _PARTS_OF_ADDRESSES:
        return without(taint, SinkKind.URL | SinkKind.REDIRECT | SinkKind.HOST)
    if name == "json.dumps":
        return without(taint, sanitizers.SANITIZED["dumps"])
    if name in {"flask.url_for", "quart.url_for"}:
        return FROM_HOST if any(k.arg == "_external" for k in node.keywords) else CLEAN
    if name.startswith("urllib.parse.urljoin"):
        return taint
    if name in {"os.path.join", "pathlib.Path", "pathlib.PurePath"}:
        return without(taint, SinkKind.FIELDS)
    if name in SANITIZERS.one_line:
        return without(taint, SinkKind.LOG | sanitizers.sanitized_by_pattern(node, name))
    return taint if name in SANITIZERS.propagating else CLEAN
