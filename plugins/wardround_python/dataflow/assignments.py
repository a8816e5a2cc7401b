"""Assignments: to names, attributes, entries of containers and targets of loops."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.semantics.dataflow.domain import ARCHIVE, REQUEST, join, without
from wardround_python.dataflow import request_parameters
from wardround_python.dataflow.catalogue import SOURCES
from wardround_python.dataflow.domain import CLEAN, SinkKind, Taint
from wardround_python.dataflow.expression_shapes import constant_text, key_of
from wardround_python.dataflow.known_value import Known, KnownConstant, KnownContainer, KnownEntry
from wardround_python.dataflow.project import Instance
from wardround_python.dataflow.sources import FROM_HOST

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow

_RESPONSE = LazyPattern(r"(^|\.)(make_response|\w*Response)$")


class Assignments:
    """Binds names, attributes and entries of containers to values."""

    __slots__ = (
        "_conditions",
        "_containers",
        "_evaluator",
        "_known",
        "_names",
        "_resolver",
        "_sinks",
        "_state",
        "_writes",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._evaluator = flow.evaluator
        self._names = flow.names
        self._sinks = flow.sinks
        self._containers = flow.containers
        self._conditions = flow.conditions
        self._known = flow.known
        self._writes = flow.writes
        self._resolver = flow.resolver

    def bind(
        self,
        target: ast.expr,
        value: Taint,
        source: ast.expr,
        known: Known | None = None,
    ) -> None:
        """Bind a target to a value; ``source`` is the expression that it is derived from."""
        if isinstance(target, (ast.Tuple, ast.List)):
            self._bind_elements(target, value, source, known)
            return
        if isinstance(target, ast.Starred):
            target = target.value
            known = None
        if isinstance(target, ast.Subscript):
            self._store(target, value, source, known)
        if isinstance(target, ast.Attribute):
            if self._set_namespace(target, KnownEntry(value, known)):
                return
            self._set_field(target, value, known)
            if target.attr == "location" and any(
                _RESPONSE.search(maker) for maker in self._names.makers(target.value)
            ):
                self._sinks.reach(SinkKind.REDIRECT, source, value)
        key = key_of(target)
        if key is None:
            return
        for part in self._state.values.parts_of(key):
            del self._state.values[part]
        self._names.set(key, value)
        self._known.bind(key, known)
        self._state.derived_from[key] = self._names.tainted_names(source) - {key}
        self._conditions.record_guard(key, source)
        self._conditions.record_lookup(key, source)
        creation = self.object_of(source)
        if creation is not None:
            self._state.instances[key] = creation
        else:
            self._state.instances.pop(key, None)

    def object_of(self, source: ast.expr) -> Instance | None:
        """Return the object an evaluated expression refers to; a call is not evaluated again."""
        call = source.value if isinstance(source, ast.Await) else source
        return (
            self._state.objects.get(call) if isinstance(call, ast.Call) else self._resolver.instance(source)
        )

    def bind_each(self, target: ast.expr, iterated: ast.expr) -> None:
        """Bind a loop's target to the elements it iterates over."""
        value = self._elements_taint(iterated)
        match target, iterated:
            case ast.Tuple(elts=[number, element]), ast.Call(func=func) if last_name(func) == "enumerate":
                self.bind(number, CLEAN, iterated)
                self.bind(element, value, iterated)
            case ast.Tuple(elts=[key, entry]), ast.Call(func=func) if last_name(func) == "items":
                is_keyed = any(left & SinkKind.FIELDS for left in value.values())
                self.bind(key, value if is_keyed else CLEAN, iterated)
                self.bind(entry, without(value, SinkKind.FIELDS), iterated)
            case _:
                self.bind(target, value, iterated)

    def _elements_taint(self, iterated: ast.expr) -> Taint:
        value = self._containers.peek(iterated)
        if self._names.makers(iterated) & SOURCES.archives and isinstance(
            iterated, (ast.Name, ast.Attribute)
        ):
            return join(value, {ARCHIVE: SinkKind.PATH})
        return value

    def of_entry(self, key: ast.expr, value: Taint) -> Taint:
        """Return the taint of an entry of a mapping, refined by its key."""
        named = constant_text(key)
        if REQUEST in value and named is not None and named.lower() in SOURCES.host_headers:
            return join(value, FROM_HOST)
        if value and named is not None and request_parameters.ID_NAME.search(named) and REQUEST in value:
            return without(value, SinkKind.LOG)
        return value

    def _set_field(self, target: ast.Attribute, value: Taint, known: Known | None) -> None:
        """Set an attribute of an object of the project that is constructed here."""
        creation = self._state.instances.get(target.value.id) if isinstance(target.value, ast.Name) else None
        if creation is None or creation.fields is None:
            return
        is_certain = creation.region == self._state.region
        creation.known.pop(target.attr, None)
        creation.fields[target.attr] = (
            value if is_certain else join(creation.fields.get(target.attr, {}), value)
        )
        if is_certain and isinstance(known, KnownConstant):
            creation.known[target.attr] = known

    def _set_namespace(self, target: ast.Attribute, entry: KnownEntry) -> bool:
        """Set an attribute of a known namespace; return False if the target is another object."""
        container = (
            self._containers.find(target.value)
            if isinstance(target.value, (ast.Name, ast.Attribute))
            else None
        )
        if container is None or container.kind != "namespace":
            return False
        self._writes.store(ast.Subscript(target.value, ast.Constant(target.attr), ast.Store()), entry)
        return True

    def _bind_elements(
        self,
        target: ast.Tuple | ast.List,
        value: Taint,
        source: ast.expr,
        known: Known | None,
    ) -> None:
        entries = known.entries if isinstance(known, KnownContainer) else None
        at = [at for at, element in enumerate(target.elts) if isinstance(element, ast.Starred)]
        if isinstance(entries, list) and len(at) == 1 and len(entries) >= len(target.elts) - 1:
            end = at[0] + len(entries) - len(target.elts) + 1
            rest = KnownContainer(entries[at[0] : end], self._state.region)
            rest.total = rest.taint
            entries = [*entries[: at[0]], KnownEntry(rest.total, rest), *entries[end:]]
            source = ast.Constant(None)
            elements = [
                element.value if isinstance(element, ast.Starred) else element for element in target.elts
            ]
            target = ast.Tuple(elements, ast.Store())
        if isinstance(entries, list) and len(entries) == len(target.elts):
            parts = source.elts if isinstance(source, (ast.Tuple, ast.List)) else [source] * len(entries)
            for item, entry, part in zip(target.elts, entries.copy(), parts, strict=True):
                self.bind(item, entry.value, part, entry.known)
        elif isinstance(source, (ast.Tuple, ast.List)) and len(source.elts) == len(target.elts):
            values = [self._evaluator.value(part) for part in source.elts]
            for item, each, part in zip(target.elts, values, source.elts, strict=True):
                self.bind(item, each, part)
        else:
            for item in target.elts:
                self.bind(item, value, source)

    def _store(
        self,
        target: ast.Subscript,
        value: Taint,
        source: ast.expr,
        known: Known | None = None,
    ) -> None:
        """Store a value in a container: its key may be a sink, and the container becomes tainted."""
        key = target.slice.value if isinstance(target.slice, ast.Constant) else None
        stem = key_of(target.value)
        named = unparse(target.value)
        if isinstance(key, str) and key.lower() == "access-control-allow-origin":
            self._sinks.reach(SinkKind.ORIGIN, source, value)
        if isinstance(key, str) and key.lower() == "location":
            self._sinks.reach(SinkKind.REDIRECT, source, value)
        if named == "session" or named.endswith(".session"):
            if isinstance(key, str):
                self._sinks.reach(SinkKind.TRUST, source, value)
                self._names.store_in_session(key, value)
            else:
                self._sinks.reach(SinkKind.TRUST, target.slice, self._evaluator.value(target.slice))
        self._writes.store(target, KnownEntry(without(value, SinkKind.FIELDS), known))
        if stem is not None:
            self._names.extend(stem, without(value, SinkKind.FIELDS))
