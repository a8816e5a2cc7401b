"""What a loop over something would come by, one after the other, where all of it is known."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence

from wardround.languages.python.module import last_name
from wardround.semantics.dataflow.domain import join
from wardround_python.dataflow.containers import Tables
from wardround_python.dataflow.domain import CLEAN
from wardround_python.dataflow.known_value import Exactly, Held, Kind, Known, KnownEntry

_MOST = 20
_SEQUENCES = frozenset({"list", "tuple", "collections.deque"})
_MAPPINGS = frozenset({"dict", "collections.OrderedDict"})
_PARSERS = frozenset(
    {"configparser.ConfigParser", "configparser.RawConfigParser", "configparser.SafeConfigParser"}
)
_QUEUES: Mapping[str, Kind] = {
    "queue.Queue": "queue",
    "queue.SimpleQueue": "queue",
    "multiprocessing.Queue": "queue",
    "queue.LifoQueue": "stack",
    "contextvars.ContextVar": "cell",
    "io.StringIO": "stream",
    "io.BytesIO": "stream",
}


class Elements(Tables):
    """Finds the elements of what can be looped over, and the tables that are made of them."""

    def _elements(self, node: ast.expr) -> list[KnownEntry] | None:
        """What a loop over an expression comes by; None where that can't be told."""
        found = self._elements_of(node)
        return found if found is not None and len(found) <= _MOST else None

    def _elements_of(self, node: ast.expr) -> list[KnownEntry] | None:
        if isinstance(node, (ast.List, ast.Tuple)):
            return self._displayed(node.elts)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self._comprehended(node, lambda: self._as_entry(node.elt))
        if isinstance(node, ast.Call) and node not in self._answers:
            return self._called_elements(node)
        held = self._table(node)
        entries = held.entries if held is not None and held.kind in ("", "queue") else None
        if isinstance(entries, dict):
            return [_constant(key) for key in entries]
        return entries.copy() if entries is not None else None

    def _displayed(self, nodes: Sequence[ast.expr]) -> list[KnownEntry] | None:
        found: list[KnownEntry] = []
        for one in nodes:
            more = self._elements(one.value) if isinstance(one, ast.Starred) else [self._as_entry(one)]
            if more is None:
                return None
            found += more
        return found

    def _called_elements(self, node: ast.Call) -> list[KnownEntry] | None:
        name = self._module.dotted(node.func) or ""
        handler = _HANDLERS.get(name) if not node.keywords and name not in self._values else None
        if handler is not None:
            return handler(self, node.args)
        if isinstance(node.func, ast.Attribute) and not node.args and node.func.attr in _VIEWS:
            held = self._table(node.func.value)
            entries = held.entries if held is not None and not held.kind else None
            return _VIEWS[node.func.attr](entries, self._where) if isinstance(entries, dict) else None
        return None

    def _same(self, given: Sequence[ast.expr]) -> list[KnownEntry] | None:
        return self._elements(given[0]) if len(given) == 1 else [] if not given else None

    def _reversed(self, given: Sequence[ast.expr]) -> list[KnownEntry] | None:
        found = self._same(given)
        return found[::-1] if found is not None else None

    def _chained(self, given: Sequence[ast.expr]) -> list[KnownEntry] | None:
        return self._displayed([ast.Starred(one) for one in given])

    def _zipped(self, given: Sequence[ast.expr]) -> list[KnownEntry] | None:
        each = [self._elements(one) for one in given]
        if not each or any(one is None for one in each):
            return None
        return [_row(row, self._where) for row in zip(*(one or () for one in each), strict=False)]

    def _numbered(self, given: Sequence[ast.expr]) -> list[KnownEntry] | None:
        found = self._same(given)
        if found is None:
            return None
        return [_row([_constant(at), one], self._where) for at, one in enumerate(found)]

    def _cut_out(self, given: Sequence[ast.expr]) -> list[KnownEntry] | None:
        found = self._elements(given[0]) if given else None
        ends = self._exacts(given[1:])
        numbers = [one for one in ends or () if one is None or (isinstance(one, int) and one >= 0)]
        if found is None or not ends or len(numbers) != len(ends):
            return None
        return found[slice(*numbers)]

    def _made_by_each(self, given: Sequence[ast.expr]) -> list[KnownEntry] | None:
        """``map(function, elements)``."""
        found = self._elements(given[1]) if len(given) == 2 else None
        if found is None:
            return None
        made: list[KnownEntry] = []
        call = ast.copy_location(ast.Call(given[0], [ast.Name("element", ast.Load())], []), given[0])
        for one in found:
            before = self._values.copied()
            self._bind(ast.Name("element", ast.Store()), one.value, ast.Constant(None), one.known)
            made.append(self._each(given[0], call))
            self._values = before
        return made

    def _each(self, func: ast.expr, call: ast.Call) -> KnownEntry:
        is_method = isinstance(func, ast.Attribute) and self._module.dotted(func.value) == "str"
        if is_method and isinstance(func, ast.Attribute):  # map(str.strip, values)
            method = ast.Attribute(call.args[0], func.attr, ast.Load())
            call = ast.copy_location(ast.Call(method, [], []), func)
        return KnownEntry(self.value(call), self._knowledge(call))

    def _comprehended(
        self, node: ast.ListComp | ast.GeneratorExp | ast.DictComp, give: Callable[[], KnownEntry]
    ) -> list[KnownEntry] | None:
        part = node.generators[0]
        found = self._elements(part.iter) if len(node.generators) == 1 else None
        if found is None or part.is_async:
            return None
        before, where = self._values.copied(), self._stretch()
        made: list[KnownEntry] = []
        try:
            for one in found:
                self._bind(part.target, one.value, ast.Constant(None), one.known)
                decided = [self._decided(test) for test in part.ifs]
                if None in decided:
                    return None
                if all(decided):
                    made.append(give())
        finally:
            self._values, self._where = before, where
        return made

    def _comprehended_mapping(self, node: ast.DictComp) -> Held | None:
        keys: list[Exactly | None] = []

        def give() -> KnownEntry:
            keys.append(self._exact(node.key))
            return self._as_entry(node.value)

        found = self._comprehended(node, give)
        if found is None or None in keys:
            return None
        return self._as_mapping({key.value: one for key, one in zip(keys, found, strict=True) if key})

    def _as_mapping(self, entries: dict[object, KnownEntry]) -> Held:
        made = Held(entries, self._where)
        made.whole = made.every
        return made

    def _table_of(self, node: ast.Call, name: str) -> Held | None:
        """The table that a call makes of elements, or fills later: a list, a mapping, a queue."""
        kind = _QUEUES.get(name)
        if kind is not None:
            starts = node.args[:1] if kind == "stream" else []
            made = Held([self._as_entry(one) for one in starts], self._where, kind=kind)
            made.whole = made.every
            return made
        if name == "types.SimpleNamespace" and not node.args and all(k.arg for k in node.keywords):
            made = self._as_mapping({k.arg: self._as_entry(k.value) for k in node.keywords})
            made.kind = "namespace"
            return made
        names = self._tuple_fields(node)
        if names is not None and not any(isinstance(one, ast.Starred) for one in node.args):
            given = dict(zip(names, node.args, strict=False)) | {k.arg or "": k.value for k in node.keywords}
            if set(given) != set(names):
                return None
            made = Held([self._as_entry(given[one]) for one in names], self._where, names=names)
            made.whole = made.every
            return made
        if name in {"dict", "collections.OrderedDict"} and len(node.args) == 1 and not node.keywords:
            pairs = self._elements(node.args[0])
            return self._of_pairs(pairs) if pairs is not None else None
        if (name in _LISTS and len(node.args) <= 1 and not node.keywords) or name in _LAZY:
            found = self._elements(node)
            made = Held(found, self._where)
            made.whole = made.every
            return made if found is not None else None
        return None

    def _made_table(self, node: ast.Call) -> Held | None:
        """The table a constructor makes."""
        name = self._module.dotted(node.func) or ""
        if name in _PARSERS:
            has_defaults = bool(node.args) or any(k.arg in {"defaults", None} for k in node.keywords)
            return Held({}, self._where, kind="parser") if not has_defaults else None
        if name not in _SEQUENCES | _MAPPINGS or last_name(node.func) in self._values:
            return self._copy_made(node, name) or self._table_of(node, name)
        if name in _MAPPINGS and not node.args and all(k.arg is not None for k in node.keywords):
            entries: dict[object, KnownEntry] = {k.arg: self._as_entry(k.value) for k in node.keywords}
            made = Held(entries, self._where)
            made.whole = made.every
            return made
        if node.keywords or len(node.args) > 1:
            return None
        if not node.args:
            return Held([] if name in _SEQUENCES else {}, self._where)
        return self._copied(node.args[0], name in _MAPPINGS) or self._table_of(node, name)

    def _copy_made(self, node: ast.Call, name: str) -> Held | None:
        """``deepcopy(table)``, ``json.loads(json.dumps(table))``."""
        given = node.args[0] if len(node.args) == 1 and not node.keywords else None
        if name == "json.loads" and isinstance(given, ast.Call) and len(given.args) == 1:
            given = given.args[0] if self._module.dotted(given.func) == "json.dumps" else None
        elif name not in {"copy.copy", "copy.deepcopy"}:
            return None
        held = self._table(given) if given is not None else None
        return self._copied(given, isinstance(held.entries, dict)) if held is not None and given else None

    def _copied(self, node: ast.expr, as_mapping: bool) -> Held | None:
        held = self._held(node)
        if held is None and isinstance(node, (ast.List, ast.Tuple, ast.Dict)):
            known = self._knowledge(node)
            held = known if isinstance(known, Held) else None
        if held is None or held.entries is None or held.is_parser:
            return None
        if as_mapping is not isinstance(held.entries, dict):
            return None
        return Held(held.entries.copy(), self._where, join(held.whole))

    def _of_pairs(self, pairs: Sequence[KnownEntry]) -> Held | None:
        entries: dict[object, KnownEntry] = {}
        for one in pairs:
            row = one.known.entries if isinstance(one.known, Held) else None
            key = row[0].known if isinstance(row, list) and len(row) == 2 else None
            if not isinstance(key, Exactly) or not isinstance(row, list):
                return None
            entries[key.value] = row[1]
        return self._as_mapping(entries)

    def _joined_tables(self, first: Held | None, second: Held | None) -> Held | None:
        """``first | second`` of mappings, ``first + second`` of lists."""
        if first is None or second is None or first.kind or second.kind:
            return None
        if isinstance(first.entries, dict) and isinstance(second.entries, dict):
            return self._as_mapping(first.entries | second.entries)
        if isinstance(first.entries, list) and isinstance(second.entries, list):
            made = Held(first.entries + second.entries, self._where)
            made.whole = made.every
            return made
        return None

    def _next(self, node: ast.expr) -> KnownEntry | None:
        """What ``next`` gives of something."""
        held = self._held(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        if held is not None and not held.kind and isinstance(held.entries, list):
            if not held.entries or held.where != self._where:
                self._let_go(held)
                return KnownEntry(held.whole)
            return held.entries.pop(0)
        found = self._elements(node) if held is None else None
        return found[0] if found else None

    @abstractmethod
    def _tuple_fields(self, node: ast.Call) -> tuple[str, ...] | None:
        """The fields of the named tuple that a call makes; None if it makes none."""


def _constant(value: object) -> KnownEntry:
    return KnownEntry(CLEAN, Exactly(value))  # type: ignore[arg-type]


def _row(entries: Sequence[KnownEntry], where: int) -> KnownEntry:
    whole = join(*(one.value for one in entries))
    known: Known = Held(list(entries), where, whole)
    return KnownEntry(whole, known)


_VIEWS: Mapping[str, Callable[[dict[object, KnownEntry], int], list[KnownEntry]]] = {
    "keys": lambda entries, where: [_constant(key) for key in entries],
    "values": lambda entries, where: list(entries.values()),
    "items": lambda entries, where: [_row([_constant(key), one], where) for key, one in entries.items()],
}
_HANDLERS: Mapping[str, Callable[[Elements, Sequence[ast.expr]], list[KnownEntry] | None]] = {
    "list": Elements._same,
    "tuple": Elements._same,
    "iter": Elements._same,
    "collections.deque": Elements._same,
    "reversed": Elements._reversed,
    "zip": Elements._zipped,
    "enumerate": Elements._numbered,
    "map": Elements._made_by_each,
    "itertools.chain": Elements._chained,
    "itertools.islice": Elements._cut_out,
}
_LISTS = frozenset({"list", "tuple", "collections.deque"})
_LAZY = frozenset({"iter", "reversed", "zip", "enumerate", "map", "itertools.chain", "itertools.islice"})
"""What gives its elements one by one: a table that is used up."""
