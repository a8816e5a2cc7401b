"""Methods of containers whose entries are known."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from wardround.semantics.dataflow.domain import join, without
from wardround_python.dataflow.domain import CLEAN, SinkKind, Taint
from wardround_python.dataflow.known_value import NO_ENTRY, KnownConstant, KnownContainer, KnownEntry

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow

_LOOKS = frozenset(
    {"index", "count", "items", "values", "keys", "has_option", "has_section", "sections", "options"}
)
"""Methods that change nothing."""


class ContainerCall(NamedTuple):
    """A method call on a container, with its arguments."""

    node: ast.Call
    container: KnownContainer
    arguments: Sequence[KnownEntry]


class ContainerMethods:
    """Applies the methods of lists, mappings, queues and parsers to known containers."""

    __slots__ = (
        "_containers",
        "_folder",
        "_known",
        "_state",
        "_writes",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._folder = flow.folder
        self._containers = flow.containers
        self._known = flow.known
        self._writes = flow.writes

    def call(self, node: ast.Call, container: KnownContainer, given: Sequence[Taint]) -> Taint:
        """Return the taint of a method's result, after its effect on the container."""
        assert isinstance(node.func, ast.Attribute)
        entries = [
            KnownEntry(value, self._known.of(argument))
            for argument, value in zip(node.args, given, strict=True)
        ]
        call = ContainerCall(node, container, entries)
        name = node.func.attr
        act = _ACTS.get(
            container.kind, _OF_MAPPINGS if isinstance(container.entries, dict) else _OF_LISTS
        ).get(name)
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            act = None
        for entry in entries:
            container.put(entry)
        if act is None:
            if name not in _LOOKS:
                self._containers.escape(container)
            return without(container.taint, SinkKind.FIELDS)
        result = act(self, call)
        if result is None:
            self._containers.escape(container)
            return container.total
        if result.known is not None:
            self._state.results[node] = result.known
        return result.value

    def _append(self, call: ContainerCall) -> KnownEntry | None:
        if not self._writes.is_certain(call.container) or len(call.arguments) != 1 or call.node.keywords:
            return None
        assert isinstance(call.container.entries, list)
        call.container.entries.append(call.arguments[0])
        return NO_ENTRY

    def _call_appendleft(self, call: ContainerCall) -> KnownEntry | None:
        if not self._writes.is_certain(call.container) or len(call.arguments) != 1:
            return None
        assert isinstance(call.container.entries, list)
        call.container.entries.insert(0, call.arguments[0])
        return NO_ENTRY

    def _insert(self, call: ContainerCall) -> KnownEntry | None:
        at = self._folder.constant(call.node.args[0]) if len(call.arguments) == 2 else None
        if at is None or not isinstance(at.value, int) or not self._writes.is_certain(call.container):
            return None
        assert isinstance(call.container.entries, list)
        call.container.entries.insert(at.value, call.arguments[1])
        return NO_ENTRY

    def _extend(self, call: ContainerCall) -> KnownEntry | None:
        more = self._many(call)
        if more is None or not self._writes.is_certain(call.container):
            return None
        assert isinstance(call.container.entries, list)
        call.container.entries += more
        return NO_ENTRY

    def _many(self, call: ContainerCall) -> list[KnownEntry] | None:
        known = call.arguments[0].known if len(call.arguments) == 1 else None
        return (
            known.entries.copy()
            if isinstance(known, KnownContainer) and isinstance(known.entries, list)
            else None
        )

    def _pop_from_list(self, call: ContainerCall) -> KnownEntry | None:
        at = self._folder.constant(call.node.args[0]) if call.node.args else KnownConstant(-1)
        if at is None or not self._writes.is_certain(call.container):
            return None
        return self._writes.pop(call.container, at)

    def _call_popleft(self, call: ContainerCall) -> KnownEntry | None:
        return (
            self._writes.pop(call.container, KnownConstant(0))
            if self._writes.is_certain(call.container)
            else None
        )

    def _reverse(self, call: ContainerCall) -> KnownEntry | None:
        if not self._writes.is_certain(call.container):
            return None
        assert isinstance(call.container.entries, list)
        call.container.entries.reverse()
        return NO_ENTRY

    def _remove(self, call: ContainerCall) -> KnownEntry | None:
        """Remove the first entry that equals a constant, if every entry before it is constant."""
        known = call.arguments[0].known if len(call.arguments) == 1 else None
        entries = call.container.entries
        if (
            not isinstance(known, KnownConstant)
            or not isinstance(entries, list)
            or not self._writes.is_certain(call.container)
        ):
            return None
        for at, entry in enumerate(entries):
            if not isinstance(entry.known, KnownConstant):
                return None
            if entry.known.value == known.value:
                del entries[at]
                return NO_ENTRY
        return NO_ENTRY

    def _clear(self, call: ContainerCall) -> KnownEntry | None:
        if not self._writes.is_certain(call.container):
            return None
        assert call.container.entries is not None
        call.container.entries.clear()
        return NO_ENTRY

    def _copy(self, call: ContainerCall) -> KnownEntry | None:
        container = call.container
        if container.entries is None:
            return None
        return KnownEntry(
            container.taint, KnownContainer(container.entries.copy(), self._state.region, container.taint)
        )

    def _take(self, call: ContainerCall) -> KnownEntry | None:
        at = KnownConstant(-1 if call.container.kind == "stack" else 0)
        return (
            self._writes.pop(call.container, at)
            if self._writes.is_certain(call.container) and call.container.entries
            else None
        )

    def _replace(self, call: ContainerCall) -> KnownEntry | None:
        if not self._writes.is_certain(call.container) or len(call.arguments) != 1:
            return None
        call.container.entries = [call.arguments[0]]
        return NO_ENTRY

    def _content_of_container(self, call: ContainerCall) -> KnownEntry | None:
        """Return the content of a cell, or everything written into a stream."""
        entries = call.container.entries
        if not isinstance(entries, list):
            return None
        known = entries[0].known if len(entries) == 1 else None
        return KnownEntry(call.container.taint, known)

    def _ignore(self, call: ContainerCall) -> KnownEntry | None:
        return NO_ENTRY

    def _rotate(self, call: ContainerCall) -> KnownEntry | None:
        by = self._folder.constant(call.node.args[0]) if call.node.args else KnownConstant(1)
        entries = call.container.entries
        if by is None or not isinstance(by.value, int) or not isinstance(entries, list):
            return None
        if not self._writes.is_certain(call.container) or not entries:
            return None
        at = -by.value % len(entries)
        call.container.entries = entries[at:] + entries[:at]
        return NO_ENTRY

    def _get(self, call: ContainerCall) -> KnownEntry | None:
        container = call.container
        if not call.arguments or call.node.keywords or container.entries is None:
            return None
        constant = self._folder.constant(call.node.args[0])
        default = call.arguments[1] if len(call.arguments) > 1 else KnownEntry(CLEAN, KnownConstant(None))
        if constant is None:
            for item in self._containers.nested_containers(container):
                self._containers.escape(item)
            return KnownEntry(join(container.taint, default.value))
        assert isinstance(container.entries, dict)
        return container.entries.get(constant.value, default)

    def _pop_from_mapping(self, call: ContainerCall) -> KnownEntry | None:
        constant = self._folder.constant(call.node.args[0]) if call.node.args else None
        if constant is None or not self._writes.is_certain(call.container):
            return None
        assert isinstance(call.container.entries, dict)
        default = call.arguments[1] if len(call.arguments) > 1 else NO_ENTRY
        return call.container.entries.pop(constant.value, default)

    def _set_default(self, call: ContainerCall) -> KnownEntry | None:
        constant = self._folder.constant(call.node.args[0]) if call.node.args else None
        if constant is None or not self._writes.is_certain(call.container):
            return None
        assert isinstance(call.container.entries, dict)
        default = call.arguments[1] if len(call.arguments) > 1 else NO_ENTRY
        return call.container.entries.setdefault(constant.value, default)

    def _update(self, call: ContainerCall) -> KnownEntry | None:
        more: dict[object, KnownEntry] = {}
        for entry in call.arguments:
            known = entry.known
            if (
                not isinstance(known, KnownContainer)
                or not isinstance(known.entries, dict)
                or known.is_parser
            ):
                return None
            more |= known.entries
        for keyword in call.node.keywords:
            if keyword.arg is None:
                return None
            more[keyword.arg] = self._known.entry(keyword.value)
        for entry in more.values():
            call.container.put(entry)
        if not self._writes.is_certain(call.container):
            return None
        assert isinstance(call.container.entries, dict)
        call.container.entries.update(more)
        return NO_ENTRY

    def _parser_key(self, call: ContainerCall) -> tuple[str, str] | None:
        pair = self._folder.constants(call.node.args[:2])
        if pair is None or len(pair) != 2:
            return None
        section, option = pair
        return (section, option.lower()) if isinstance(section, str) and isinstance(option, str) else None

    def _add_section(self, call: ContainerCall) -> KnownEntry | None:
        return NO_ENTRY

    def _set_option(self, call: ContainerCall) -> KnownEntry | None:
        key = self._parser_key(call)
        if key is None or len(call.arguments) != 3 or not self._writes.is_certain(call.container):
            return None
        assert isinstance(call.container.entries, dict)
        call.container.entries[key] = call.arguments[2]
        return NO_ENTRY

    def _get_option(self, call: ContainerCall) -> KnownEntry | None:
        key = self._parser_key(call)
        options = call.container.entries
        if key is None or not isinstance(options, dict):
            return None
        result = options.get(key)
        if result is not None:
            return KnownEntry(call.container.taint) if _refers_to_option(result) else result
        if _has_default_section(options):
            return KnownEntry(call.container.taint)
        defaults = [keyword.value for keyword in call.node.keywords if keyword.arg == "fallback"]
        return self._known.entry(defaults[0]) if defaults else NO_ENTRY

    def _read_mapping(self, call: ContainerCall) -> KnownEntry | None:
        """Apply ``parser.read_dict({section: {option: value}})``."""
        known = call.arguments[0].known if len(call.arguments) == 1 else None
        if (
            not isinstance(known, KnownContainer)
            or not isinstance(known.entries, dict)
            or not self._writes.is_certain(call.container)
        ):
            return None
        assert isinstance(call.container.entries, dict)
        for section, entry in known.entries.items():
            inner = entry.known.entries if isinstance(entry.known, KnownContainer) else None
            if not isinstance(section, str) or not isinstance(inner, dict):
                return None
            for option, item in inner.items():
                call.container.put(item)
                call.container.entries[section, str(option).lower()] = item
        return NO_ENTRY


_Method = Callable[[ContainerMethods, ContainerCall], KnownEntry | None]

_OF_LISTS: Mapping[str, _Method] = {
    "append": ContainerMethods._append,
    "appendleft": ContainerMethods._call_appendleft,
    "insert": ContainerMethods._insert,
    "extend": ContainerMethods._extend,
    "pop": ContainerMethods._pop_from_list,
    "popleft": ContainerMethods._call_popleft,
    "reverse": ContainerMethods._reverse,
    "rotate": ContainerMethods._rotate,
    "remove": ContainerMethods._remove,
    "clear": ContainerMethods._clear,
    "copy": ContainerMethods._copy,
}

_OF_MAPPINGS: Mapping[str, _Method] = {
    "get": ContainerMethods._get,
    "pop": ContainerMethods._pop_from_mapping,
    "setdefault": ContainerMethods._set_default,
    "update": ContainerMethods._update,
    "clear": ContainerMethods._clear,
    "copy": ContainerMethods._copy,
}

_OF_PARSERS: Mapping[str, _Method] = {
    "add_section": ContainerMethods._add_section,
    "set": ContainerMethods._set_option,
    "get": ContainerMethods._get_option,
    "read_dict": ContainerMethods._read_mapping,
}


def _has_default_section(options: Mapping[object, KnownEntry]) -> bool:
    return any(isinstance(option, tuple) and option[0] == "DEFAULT" for option in options)


def _refers_to_option(entry: KnownEntry) -> bool:
    """Return True if a parser replaces a part of the value of an option, as in ``%(home)s/data``."""
    return isinstance(entry.known, KnownConstant) and "%" in str(entry.known.value)


_ACTS: Mapping[str, Mapping[str, _Method]] = {
    "parser": _OF_PARSERS,
    "queue": {
        "put": ContainerMethods._append,
        "put_nowait": ContainerMethods._append,
        "get": ContainerMethods._take,
        "get_nowait": ContainerMethods._take,
    },
    "stack": {
        "put": ContainerMethods._append,
        "put_nowait": ContainerMethods._append,
        "get": ContainerMethods._take,
        "get_nowait": ContainerMethods._take,
    },
    "cell": {"set": ContainerMethods._replace, "get": ContainerMethods._content_of_container},
    "stream": {
        "write": ContainerMethods._append,
        "truncate": ContainerMethods._clear,
        **dict.fromkeys(("seek", "tell", "flush", "close"), ContainerMethods._ignore),
        **dict.fromkeys(
            ("read", "getvalue", "getbuffer", "readline", "readlines"), ContainerMethods._content_of_container
        ),
    },
    "namespace": {},
}
