"""Taint of the results of functions and methods of libraries."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.languages.python.module import last_name
from wardround.semantics.dataflow.domain import ARCHIVE, join, without
from wardround_python.dataflow import sanitizers, sources
from wardround_python.dataflow.assignments import Assignments
from wardround_python.dataflow.catalogue import SANITIZERS, SOURCES
from wardround_python.dataflow.constant_folding import ConstantFolder
from wardround_python.dataflow.container_construction import ContainerConstruction
from wardround_python.dataflow.container_lookup import ContainerLookup
from wardround_python.dataflow.domain import CLEAN, SinkKind, Taint, decoded, encoded
from wardround_python.dataflow.evaluation import Evaluator
from wardround_python.dataflow.expression_shapes import key_of
from wardround_python.dataflow.flow_state import FlowState
from wardround_python.dataflow.forwarding_calls import session_call
from wardround_python.dataflow.iteration import Iteration
from wardround_python.dataflow.known_value import KnownConstant, KnownEntry
from wardround_python.dataflow.object_resolution import ObjectResolver
from wardround_python.dataflow.project import Instance
from wardround_python.dataflow.request_objects import is_request
from wardround_python.dataflow.scope import NameScope
from wardround_python.dataflow.sources import FROM_HOST, FROM_REQUEST
from wardround_python.dataflow.string_building import StringBuilder
from wardround_python.dataflow.value_tracking import KnownValues

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

    def __init__(
        self,
        state: FlowState,
        evaluator: Evaluator,
        names: NameScope,
        folder: ConstantFolder,
        containers: ContainerLookup,
        known: KnownValues,
        resolver: ObjectResolver,
        assignments: Assignments,
        iteration: Iteration,
        construction: ContainerConstruction,
        strings: StringBuilder,
    ) -> None:
        self._state = state
        self._evaluator = evaluator
        self._names = names
        self._folder = folder
        self._containers = containers
        self._known = known
        self._resolver = resolver
        self._assignments = assignments
        self._iteration = iteration
        self._construction = construction
        self._strings = strings

    def function(self, node: ast.Call, name: str, taints: Sequence[Taint], taint: Taint) -> Taint:
        """Return the taint of the result of a function of the language or of a library."""
        if name in {"dataclasses.replace", "dataclasses.asdict"} and node.args:
            return self._dataclass_copy(node, last_name(node.func), taint)
        if name in SANITIZERS.matching and len(taints) > 1:
            return taints[1] if self._strings.matches_anything(node.args[0]) else CLEAN
        if name == "heapq.heappush" and (heap := key_of(node.args[0])) is not None and taint:
            self._names.extend(heap, taint)
        recoded = _recoded(name, last_name(node.func), taint)
        if recoded is not None:
            return recoded
        if name == "filter" and node.args and last_name(node.args[0]) in SANITIZERS.text_guards:
            return CLEAN
        if name == "next" and node.args:
            return self._first_of(node, taint)
        if name == "print":
            return self._printed(node, taint)
        if name in {"map", "functools.reduce"} and len(node.args) > 1:
            return self._mapped(node)
        return _of_library(node, name, taint)

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
            return decoded(taint)
        key = key_of(func.value)
        if func.attr in SANITIZERS.storing_methods and taint and key is not None:
            self._names.extend(key, taint)
        if func.attr == "hex" and not node.args:
            return encoded(receiver)
        filled = self._strings.fill(node, func, receiver, taints, taint)
        return self._propagated(node, func, receiver, taints, taint) if filled is None else filled

    def _first_of(self, node: ast.Call, taint: Taint) -> Taint:
        """Return the taint of ``next(entries)``."""
        entry = self._iteration.next(node.args[0])
        if entry is not None and entry.known is not None:
            self._state.results[node] = entry.known
        return entry.value if entry is not None else taint

    def _printed(self, node: ast.Call, taint: Taint) -> Taint:
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

    def _mapped(self, node: ast.Call) -> Taint:
        """Return the taint of what a function returns for each of the values it is called with."""
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
                one: KnownEntry(value, creation.known.get(one)) for one, value in creation.fields.items()
            }
            table = self._state.results[node] = self._construction.as_mapping(entries)
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
        if func.attr in SOURCES.request_calls and is_request(
            self._state.module, func.value, self._state.function
        ):
            return FROM_REQUEST
        if (
            func.attr == "get"
            and node.args
            and sources.is_sent_key(self._state.module, func.value, node.args[0], self._state.function)
        ):
            return FROM_REQUEST
        if func.attr in SOURCES.host_calls and is_request(
            self._state.module, func.value, self._state.function
        ):
            return FROM_HOST
        if (
            func.attr in SOURCES.handler_calls
            and isinstance(func.value, ast.Name)
            and func.value.id == "self"
        ):
            return without(FROM_REQUEST, SinkKind.FIELDS)
        if func.attr in SOURCES.archive_calls and self._names.makers(func.value) & SOURCES.archives:
            return {ARCHIVE: SinkKind.PATH}
        return None

    def _session(self, node: ast.Call, func: ast.Attribute, taints: Sequence[Taint]) -> Taint | None:
        """Return the taint of a session or cookie that is read, or record a stored one."""
        kept = session_call(func, node)
        if kept is None:
            return None
        if func.attr in {"get", "pop", "get_signed_cookie", "get_secure_cookie"}:
            return join(self._names.session_taint(kept), *taints[1:2])
        self._names.store_in_session(
            kept, self._strings.raw_parts(node.args[1]) if len(node.args) > 1 else CLEAN
        )
        return CLEAN

    def _propagated(
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


def _recoded(name: str, last: str, taint: Taint) -> Taint | None:
    """Return the taint after encoding, sanitizing or decoding; None for other functions."""
    if name in SANITIZERS.encoding:
        return encoded(taint)
    if (last in sanitizers.SANITIZED and name not in {"json.dumps"}) or last == "basename":
        kept = sanitizers.undone_later(name, taint)
        return join(without(taint, sanitizers.SANITIZED[last]), kept)
    return decoded(taint) if name in SANITIZERS.decoding else None


def _of_library(node: ast.Call, name: str, taint: Taint) -> Taint:
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
