"""Lists, mappings and parsers of settings whose entries are followed one by one."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from wardround.semantics.dataflow.domain import join, without
from wardround_python.dataflow.domain import CLEAN, SinkKind, Value
from wardround_python.dataflow.known_value import NO_ENTRY, Exactly, Held, KnownEntry
from wardround_python.dataflow.string_building import Texts

_LOOKS = frozenset(
    {"index", "count", "items", "values", "keys", "has_option", "has_section", "sections", "options"}
)
"""Methods that change nothing."""


class TableCall(NamedTuple):
    """A method called on a table, with what it is given."""

    node: ast.Call
    held: Held
    given: Sequence[KnownEntry]


class Tables(Texts):
    """Follows what goes into a table and what comes out of it."""

    def _table_call(self, node: ast.Call, held: Held, given: Sequence[Value]) -> Value:
        """What a method of a table gives, after what it does to it."""
        assert isinstance(node.func, ast.Attribute)
        entries = [
            KnownEntry(value, self._knowledge(one)) for one, value in zip(node.args, given, strict=True)
        ]
        call = TableCall(node, held, entries)
        name = node.func.attr
        act = _ACTS.get(held.kind, _OF_MAPPINGS if isinstance(held.entries, dict) else _OF_LISTS).get(name)
        if any(isinstance(one, ast.Starred) for one in node.args):
            act = None
        for entry in entries:
            held.put(entry)
        if act is None:
            if name not in _LOOKS:
                self._let_go(held)
            return without(held.every, SinkKind.FIELDS)
        answer = act(self, call)
        if answer is None:
            self._let_go(held)
            return held.whole
        if answer.known is not None:
            self._answers[node] = answer.known
        return answer.value

    def _may_change(self, held: Held) -> bool:
        """Whether a change made here is made for certain."""
        return held.where == self._where and held.has_room

    def _put_into(self, target: ast.Subscript, entry: KnownEntry) -> None:
        """What a statement stores under a key: ``held[key] = entry``, ``parser[section][option] = entry``."""
        held = self._held(target.value)
        if held is not None:
            self._put_under(held, target.slice, entry)
            return
        if isinstance(entry.known, Held):
            self._let_go(entry.known)
        outer = self._held(target.value.value) if isinstance(target.value, ast.Subscript) else None
        if outer is not None and isinstance(target.value, ast.Subscript):
            outer.put(entry)
            pair = self._exacts([target.value.slice, target.slice]) if outer.is_parser else None
            if pair is not None and isinstance(outer.entries, dict) and self._may_change(outer):
                outer.entries[pair[0], str(pair[1]).lower()] = entry
            else:
                self._let_go(outer)

    def _put_under(self, held: Held, key: ast.expr, entry: KnownEntry) -> None:
        held.put(entry)
        if held.is_parser and isinstance(entry.known, Held) and isinstance(entry.known.entries, dict):
            section = self._exact(key)
            if section is not None and isinstance(held.entries, dict) and self._may_change(held):
                for option, one in entry.known.entries.items():
                    held.entries[section.value, str(option).lower()] = one
                return
        exact = self._exact(key)
        entries = held.entries
        if exact is None or held.is_parser or not self._may_change(held):
            self._let_go(held)
        elif isinstance(entries, dict):
            entries[exact.value] = entry
        elif isinstance(entries, list) and isinstance(exact.value, int):
            if -len(entries) <= exact.value < len(entries):
                entries[exact.value] = entry
        else:
            self._let_go(held)

    def _take_out(self, held: Held, key: ast.expr) -> None:
        """``del held[key]``."""
        exact = self._exact(key)
        if exact is None or held.is_parser or not self._may_change(held):
            self._let_go(held)
        else:
            self._popped(held, exact)

    def _popped(self, held: Held, exact: Exactly) -> KnownEntry:
        entries = held.entries
        if isinstance(entries, dict):
            return entries.pop(exact.value, NO_ENTRY)
        if isinstance(entries, list) and isinstance(exact.value, int):
            is_there = -len(entries) <= exact.value < len(entries)
            return entries.pop(exact.value) if is_there else NO_ENTRY
        self._let_go(held)
        return KnownEntry(held.whole)

    # Lists.

    def _append(self, call: TableCall) -> KnownEntry | None:
        if not self._may_change(call.held) or len(call.given) != 1 or call.node.keywords:
            return None
        assert isinstance(call.held.entries, list)
        call.held.entries.append(call.given[0])
        return NO_ENTRY

    def _append_left(self, call: TableCall) -> KnownEntry | None:
        if not self._may_change(call.held) or len(call.given) != 1:
            return None
        assert isinstance(call.held.entries, list)
        call.held.entries.insert(0, call.given[0])
        return NO_ENTRY

    def _insert(self, call: TableCall) -> KnownEntry | None:
        at = self._exact(call.node.args[0]) if len(call.given) == 2 else None
        if at is None or not isinstance(at.value, int) or not self._may_change(call.held):
            return None
        assert isinstance(call.held.entries, list)
        call.held.entries.insert(at.value, call.given[1])
        return NO_ENTRY

    def _extend(self, call: TableCall) -> KnownEntry | None:
        more = self._many(call)
        if more is None or not self._may_change(call.held):
            return None
        assert isinstance(call.held.entries, list)
        call.held.entries += more
        return NO_ENTRY

    def _many(self, call: TableCall) -> list[KnownEntry] | None:
        known = call.given[0].known if len(call.given) == 1 else None
        return known.entries.copy() if isinstance(known, Held) and isinstance(known.entries, list) else None

    def _pop_from_list(self, call: TableCall) -> KnownEntry | None:
        at = self._exact(call.node.args[0]) if call.node.args else Exactly(-1)
        if at is None or not self._may_change(call.held):
            return None
        return self._popped(call.held, at)

    def _pop_left(self, call: TableCall) -> KnownEntry | None:
        return self._popped(call.held, Exactly(0)) if self._may_change(call.held) else None

    def _reverse(self, call: TableCall) -> KnownEntry | None:
        if not self._may_change(call.held):
            return None
        assert isinstance(call.held.entries, list)
        call.held.entries.reverse()
        return NO_ENTRY

    def _remove(self, call: TableCall) -> KnownEntry | None:
        """Take the first entry out that is a constant, where what stands before it is known too."""
        known = call.given[0].known if len(call.given) == 1 else None
        entries = call.held.entries
        if not isinstance(known, Exactly) or not isinstance(entries, list) or not self._may_change(call.held):
            return None
        for at, entry in enumerate(entries):
            if not isinstance(entry.known, Exactly):
                return None
            if entry.known.value == known.value:
                del entries[at]
                return NO_ENTRY
        return NO_ENTRY

    def _clear_table(self, call: TableCall) -> KnownEntry | None:
        if not self._may_change(call.held):
            return None
        assert call.held.entries is not None
        call.held.entries.clear()
        return NO_ENTRY

    def _copy(self, call: TableCall) -> KnownEntry | None:
        held = call.held
        if held.entries is None:
            return None
        return KnownEntry(held.every, Held(held.entries.copy(), self._where, held.every))

    # Queues, cells and streams.

    def _take(self, call: TableCall) -> KnownEntry | None:
        at = Exactly(-1 if call.held.kind == "stack" else 0)
        return self._popped(call.held, at) if self._may_change(call.held) and call.held.entries else None

    def _replace(self, call: TableCall) -> KnownEntry | None:
        if not self._may_change(call.held) or len(call.given) != 1:
            return None
        call.held.entries = [call.given[0]]
        return NO_ENTRY

    def _content(self, call: TableCall) -> KnownEntry | None:
        """What a cell holds, or all that was written into a stream."""
        entries = call.held.entries
        if not isinstance(entries, list):
            return None
        known = entries[0].known if len(entries) == 1 else None
        return KnownEntry(call.held.every, known)

    def _ignore(self, call: TableCall) -> KnownEntry | None:
        return NO_ENTRY

    def _rotate(self, call: TableCall) -> KnownEntry | None:
        by = self._exact(call.node.args[0]) if call.node.args else Exactly(1)
        entries = call.held.entries
        if by is None or not isinstance(by.value, int) or not isinstance(entries, list):
            return None
        if not self._may_change(call.held) or not entries:
            return None
        at = -by.value % len(entries)
        call.held.entries = entries[at:] + entries[:at]
        return NO_ENTRY

    # Mappings.

    def _get(self, call: TableCall) -> KnownEntry | None:
        held = call.held
        if not call.given or call.node.keywords or held.entries is None:
            return None
        exact = self._exact(call.node.args[0])
        default = call.given[1] if len(call.given) > 1 else KnownEntry(CLEAN, Exactly(None))
        if exact is None:
            for one in self._tables_in(held):
                self._let_go(one)
            return KnownEntry(join(held.every, default.value))
        assert isinstance(held.entries, dict)
        return held.entries.get(exact.value, default)

    def _pop_from_mapping(self, call: TableCall) -> KnownEntry | None:
        exact = self._exact(call.node.args[0]) if call.node.args else None
        if exact is None or not self._may_change(call.held):
            return None
        assert isinstance(call.held.entries, dict)
        default = call.given[1] if len(call.given) > 1 else NO_ENTRY
        return call.held.entries.pop(exact.value, default)

    def _set_default(self, call: TableCall) -> KnownEntry | None:
        exact = self._exact(call.node.args[0]) if call.node.args else None
        if exact is None or not self._may_change(call.held):
            return None
        assert isinstance(call.held.entries, dict)
        default = call.given[1] if len(call.given) > 1 else NO_ENTRY
        return call.held.entries.setdefault(exact.value, default)

    def _update(self, call: TableCall) -> KnownEntry | None:
        more: dict[object, KnownEntry] = {}
        for entry in call.given:
            known = entry.known
            if not isinstance(known, Held) or not isinstance(known.entries, dict) or known.is_parser:
                return None
            more |= known.entries
        for keyword in call.node.keywords:
            if keyword.arg is None:
                return None
            more[keyword.arg] = self._as_entry(keyword.value)
        for entry in more.values():
            call.held.put(entry)
        if not self._may_change(call.held):
            return None
        assert isinstance(call.held.entries, dict)
        call.held.entries.update(more)
        return NO_ENTRY

    # ConfigParser: the keys are pairs, options in lower case.

    def _parser_key(self, call: TableCall) -> tuple[str, str] | None:
        pair = self._exacts(call.node.args[:2])
        if pair is None or len(pair) != 2:
            return None
        section, option = pair
        return (section, option.lower()) if isinstance(section, str) and isinstance(option, str) else None

    def _add_section(self, call: TableCall) -> KnownEntry | None:
        return NO_ENTRY

    def _set_option(self, call: TableCall) -> KnownEntry | None:
        key = self._parser_key(call)
        if key is None or len(call.given) != 3 or not self._may_change(call.held):
            return None
        assert isinstance(call.held.entries, dict)
        call.held.entries[key] = call.given[2]
        return NO_ENTRY

    def _get_option(self, call: TableCall) -> KnownEntry | None:
        key = self._parser_key(call)
        if key is None or not isinstance(call.held.entries, dict):
            return None
        found = call.held.entries.get(key)
        if found is not None:
            has_reference = isinstance(found.known, Exactly) and "%" in str(found.known.value)
            return found if not has_reference else KnownEntry(call.held.every)
        if any(isinstance(one, tuple) and one[0] == "DEFAULT" for one in call.held.entries):
            return KnownEntry(call.held.every)
        defaults = [k.value for k in call.node.keywords if k.arg == "fallback"]
        return self._as_entry(defaults[0]) if defaults else NO_ENTRY

    def _read_mapping(self, call: TableCall) -> KnownEntry | None:
        """``parser.read_dict({section: {option: value}})``."""
        known = call.given[0].known if len(call.given) == 1 else None
        if (
            not isinstance(known, Held)
            or not isinstance(known.entries, dict)
            or not self._may_change(call.held)
        ):
            return None
        assert isinstance(call.held.entries, dict)
        for section, entry in known.entries.items():
            inner = entry.known.entries if isinstance(entry.known, Held) else None
            if not isinstance(section, str) or not isinstance(inner, dict):
                return None
            for option, one in inner.items():
                call.held.put(one)
                call.held.entries[section, str(option).lower()] = one
        return NO_ENTRY

    def _section_entry(self, held: Held, section: ast.expr, option: ast.expr) -> KnownEntry | None:
        """``parser[section][option]``."""
        pair = self._exacts([section, option])
        if pair is None or not isinstance(held.entries, dict):
            return None
        return held.entries.get((pair[0], str(pair[1]).lower()), NO_ENTRY)

    def _looked_up(self, node: ast.Subscript) -> Value | None:
        """What an entry carries that is read by its key; None where nothing is known of the table."""
        outer = self._held(node.value.value) if isinstance(node.value, ast.Subscript) else None
        if outer is not None and outer.is_parser and isinstance(node.value, ast.Subscript):
            found = self._section_entry(outer, node.value.slice, node.slice)
            return found.value if found is not None else outer.every
        held = self._table(node.value)
        if held is None:
            return None
        if isinstance(node.slice, ast.Slice) and isinstance(held.entries, list):
            return self._cut(node.slice, held.entries)
        entry = self._entry(held, node.slice)
        if entry is not None:
            return entry.value
        for one in self._tables_in(held):
            self._let_go(one)
        return join(held.every, held.whole if held.entries is None else CLEAN)

    def _cut(self, node: ast.Slice, entries: list[KnownEntry]) -> Value:
        ends = [Exactly(None) if one is None else self._exact(one) for one in (node.lower, node.upper)]
        numbers = [one.value for one in ends if one is not None and isinstance(one.value, (int, type(None)))]
        chosen = entries[slice(*numbers)] if len(numbers) == 2 else entries
        return join(*(one.value for one in chosen))


_Act = Callable[[Tables, TableCall], KnownEntry | None]
_OF_LISTS: Mapping[str, _Act] = {
    "append": Tables._append,
    "appendleft": Tables._append_left,
    "insert": Tables._insert,
    "extend": Tables._extend,
    "pop": Tables._pop_from_list,
    "popleft": Tables._pop_left,
    "reverse": Tables._reverse,
    "rotate": Tables._rotate,
    "remove": Tables._remove,
    "clear": Tables._clear_table,
    "copy": Tables._copy,
}
_OF_MAPPINGS: Mapping[str, _Act] = {
    "get": Tables._get,
    "pop": Tables._pop_from_mapping,
    "setdefault": Tables._set_default,
    "update": Tables._update,
    "clear": Tables._clear_table,
    "copy": Tables._copy,
}
_OF_PARSERS: Mapping[str, _Act] = {
    "add_section": Tables._add_section,
    "set": Tables._set_option,
    "get": Tables._get_option,
    "read_dict": Tables._read_mapping,
}
_ACTS: Mapping[str, Mapping[str, _Act]] = {
    "parser": _OF_PARSERS,
    "queue": {
        "put": Tables._append,
        "put_nowait": Tables._append,
        "get": Tables._take,
        "get_nowait": Tables._take,
    },
    "stack": {
        "put": Tables._append,
        "put_nowait": Tables._append,
        "get": Tables._take,
        "get_nowait": Tables._take,
    },
    "cell": {"set": Tables._replace, "get": Tables._content},
    "stream": {
        "write": Tables._append,
        "truncate": Tables._clear_table,
        **dict.fromkeys(("seek", "tell", "flush", "close"), Tables._ignore),
        **dict.fromkeys(("read", "getvalue", "getbuffer", "readline", "readlines"), Tables._content),
    },
    "namespace": {},
}
