"""What assignments, loops and ``with`` give to names."""

from __future__ import annotations

import ast
from abc import abstractmethod
from typing import TYPE_CHECKING

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import last_name
from wardround.semantics.dataflow.domain import ARCHIVE, REQUEST, join, without
from wardround_python.dataflow import sources
from wardround_python.dataflow.conditions import Conditions
from wardround_python.dataflow.domain import CLEAN, SinkKind, Value
from wardround_python.dataflow.expression_shapes import constant_text, key_of
from wardround_python.dataflow.known_value import Exactly, Held, Known, KnownEntry
from wardround_python.dataflow.scope import FROM_HOST

if TYPE_CHECKING:
    from wardround_python.dataflow.classes import Instance


_RESPONSE = LazyPattern(r"(^|\.)(make_response|\w*Response)$")


class Bindings(Conditions):
    """Gives values to names, attributes and parts of containers."""

    def _bind(
        self,
        target: ast.expr,
        value: Value,
        source: ast.expr,
        known: Known | None = None,
    ) -> None:
        """Give a target a value that is made of ``source``; ``known``: what is certain of it."""
        if isinstance(target, (ast.Tuple, ast.List)):
            self._bind_parts(target, value, source, known)
            return
        if isinstance(target, ast.Starred):
            target = target.value
            known = None
        if isinstance(target, ast.Subscript):
            self._store(target, value, source, known)
        if isinstance(target, ast.Attribute):
            if self._put_attribute(target, KnownEntry(value, known)):
                return
            self._put_field(target, value, known)
            if target.attr == "location" and any(_RESPONSE.search(one) for one in self._makers(target.value)):
                self._reach(SinkKind.REDIRECT, source, value)
        key = key_of(target)
        if key is None:
            return
        for old in [one for one in self._values if one.startswith((key + ".", key + "["))]:
            del self._values[old]
        self._set(key, value)
        self._learn(key, known)
        self._made_of[key] = self._names(source) - {key}
        self._keep_test(key, source)
        self._keep_lookup(key, source)
        made = self._made_here(source)
        if made is not None:
            self._instances[key] = made
        else:
            self._instances.pop(key, None)

    def _made_here(self, source: ast.expr) -> Instance | None:
        """The object an expression gave that was walked just now: a call is not walked again for it."""
        call = source.value if isinstance(source, ast.Await) else source
        return self._fresh.get(call) if isinstance(call, ast.Call) else self._instance(source)

    def _put_field(self, target: ast.Attribute, value: Value, known: Known | None) -> None:
        """Give an object of the project that was made here an attribute."""
        made = self._instances.get(target.value.id) if isinstance(target.value, ast.Name) else None
        if made is None or made.fields is None:
            return
        is_certain = made.where == self._where
        made.held.pop(target.attr, None)
        made.fields[target.attr] = value if is_certain else join(made.fields.get(target.attr, {}), value)
        if is_certain and isinstance(known, Exactly):
            made.held[target.attr] = known

    def _put_attribute(self, target: ast.Attribute, entry: KnownEntry) -> bool:
        """Give a namespace that is known an attribute; gives whether it is one."""
        held = self._held(target.value) if isinstance(target.value, (ast.Name, ast.Attribute)) else None
        if held is None or held.kind != "namespace":
            return False
        self._put_into(ast.Subscript(target.value, ast.Constant(target.attr), ast.Store()), entry)
        return True

    def _bind_parts(
        self,
        target: ast.Tuple | ast.List,
        value: Value,
        source: ast.expr,
        known: Known | None,
    ) -> None:
        entries = known.entries if isinstance(known, Held) else None
        at = [at for at, one in enumerate(target.elts) if isinstance(one, ast.Starred)]
        if isinstance(entries, list) and len(at) == 1 and len(entries) >= len(target.elts) - 1:
            end = at[0] + len(entries) - len(target.elts) + 1
            rest = Held(entries[at[0] : end], self._where)
            rest.whole = rest.every
            entries = [*entries[: at[0]], KnownEntry(rest.whole, rest), *entries[end:]]
            source = ast.Constant(None)
            elements = [one.value if isinstance(one, ast.Starred) else one for one in target.elts]
            target = ast.Tuple(elements, ast.Store())
        if isinstance(entries, list) and len(entries) == len(target.elts):
            parts = source.elts if isinstance(source, (ast.Tuple, ast.List)) else [source] * len(entries)
            for one, entry, part in zip(target.elts, entries.copy(), parts, strict=True):
                self._bind(one, entry.value, part, entry.known)
        elif isinstance(source, (ast.Tuple, ast.List)) and len(source.elts) == len(target.elts):
            values = [self.value(part) for part in source.elts]
            for one, each, part in zip(target.elts, values, source.elts, strict=True):
                self._bind(one, each, part)
        else:
            for one in target.elts:
                self._bind(one, value, source)

    def _store(
        self,
        target: ast.Subscript,
        value: Value,
        source: ast.expr,
        known: Known | None = None,
    ) -> None:
        """Put a value into a container: its own danger is known there too, and some containers are sinks."""
        key = target.slice.value if isinstance(target.slice, ast.Constant) else None
        stem = key_of(target.value)
        named = ast.unparse(target.value)
        if isinstance(key, str) and key.lower() == "access-control-allow-origin":
            self._reach(SinkKind.ORIGIN, source, value)
        if isinstance(key, str) and key.lower() == "location":
            self._reach(SinkKind.REDIRECT, source, value)
        if named == "session" or named.endswith(".session"):
            if isinstance(key, str):
                self._reach(SinkKind.TRUST, source, value)
                self._remember(key, value)
            else:
                self._reach(SinkKind.TRUST, target.slice, self.value(target.slice))
        self._put_into(target, KnownEntry(without(value, SinkKind.FIELDS), known))
        if stem is not None:
            self._add(stem, without(value, SinkKind.FIELDS))

    @abstractmethod
    def _put_into(self, target: ast.Subscript, entry: KnownEntry) -> None:
        """Put an entry into a table that is known."""

    def _bind_each(self, target: ast.expr, iterated: ast.expr) -> None:
        """Bind a loop's variable to the elements of what it runs over."""
        value = self._peek(iterated)
        if self._makers(iterated) & sources.ARCHIVES and isinstance(iterated, (ast.Name, ast.Attribute)):
            value = join(value, {ARCHIVE: SinkKind.PATH})
        is_pair = isinstance(target, ast.Tuple) and len(target.elts) == 2
        if is_pair and isinstance(iterated, ast.Call) and last_name(iterated.func) == "enumerate":
            assert isinstance(target, ast.Tuple)
            self._bind(target.elts[0], CLEAN, iterated)
            self._bind(target.elts[1], value, iterated)
        elif is_pair and isinstance(iterated, ast.Call) and last_name(iterated.func) == "items":
            assert isinstance(target, ast.Tuple)
            is_keyed = any(left & SinkKind.FIELDS for left in value.values())
            self._bind(target.elts[0], value if is_keyed else CLEAN, iterated)
            self._bind(target.elts[1], without(value, SinkKind.FIELDS), iterated)
        else:
            self._bind(target, value, iterated)

    def _of_entry(self, key: ast.expr, value: Value) -> Value:
        """What an entry of a mapping carries, by what it is called."""
        named = constant_text(key)
        if REQUEST in value and named is not None and named.lower() in sources.HOST_HEADERS:
            return join(value, FROM_HOST)
        if value and named is not None and sources.ID_NAME.search(named) and REQUEST in value:
            return without(value, SinkKind.LOG)
        return value
