"""Containers that displays, comprehensions and constructors create."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from wardround.languages.python.module import last_name
from wardround.semantics.dataflow.domain import join
from wardround_python.dataflow.constant_folding import ConstantFolder
from wardround_python.dataflow.container_lookup import ContainerLookup
from wardround_python.dataflow.flow_state import FlowState
from wardround_python.dataflow.iteration import Iteration
from wardround_python.dataflow.known_value import Kind, KnownConstant, KnownContainer, KnownEntry
from wardround_python.dataflow.object_resolution import ObjectResolver
from wardround_python.dataflow.value_tracking import Constructions, KnownValues

_LONGEST_TABLE = 30
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
_LISTS = frozenset({"list", "tuple", "collections.deque"})
_LAZY = frozenset({"iter", "reversed", "zip", "enumerate", "map", "itertools.chain", "itertools.islice"})
"""Functions that return iterators, which reading exhausts."""


class ContainerConstruction:
    """Creates the known containers behind displays, comprehensions and constructors."""

    __slots__ = (
        "_containers",
        "_folder",
        "_iteration",
        "_known",
        "_resolver",
        "_state",
    )

    def __init__(
        self,
        state: FlowState,
        folder: ConstantFolder,
        containers: ContainerLookup,
        known: KnownValues,
        resolver: ObjectResolver,
        iteration: Iteration,
    ) -> None:
        self._state = state
        self._folder = folder
        self._containers = containers
        self._known = known
        self._resolver = resolver
        self._iteration = iteration

    def displays(self) -> Constructions:
        """Return the functions for expressions that always create a container."""
        return {
            ast.List: self._sequence,
            ast.Tuple: self._sequence,
            ast.Dict: self._mapping,
            ast.DictComp: self._mapping_comprehension,
            ast.ListComp: self._list_comprehension,
            ast.GeneratorExp: self._list_comprehension,
        }

    def constructors(self) -> Constructions:
        """Return the functions for expressions that may create a container."""
        return {ast.BinOp: self._concatenation, ast.Call: self._constructed}

    def _sequence(self, node: ast.List | ast.Tuple) -> KnownContainer | None:
        nodes = node.elts
        if len(nodes) > _LONGEST_TABLE:
            return None
        if any(isinstance(inner, ast.Starred) for inner in nodes):
            result = self._iteration.elements(ast.List(list(nodes), ast.Load()))
            return self._as_list(result) if result is not None else None
        return self._as_list([self._known.entry(child) for child in nodes])

    def _as_list(self, entries: list[KnownEntry]) -> KnownContainer:
        value = KnownContainer(entries, self._state.region)
        value.total = value.taint
        return value

    def _mapping(self, node: ast.Dict) -> KnownContainer | None:
        if None in node.keys:
            return self._spread_mapping(node)
        keys = [
            self._folder.constant(key) if key is not None else None for key in node.keys[: _LONGEST_TABLE + 1]
        ]
        if len(keys) > _LONGEST_TABLE or None in keys:
            return None
        entries: dict[object, KnownEntry] = {
            key.value: self._known.entry(value)
            for key, value in zip(keys, node.values, strict=True)
            if key is not None
        }
        creation = KnownContainer(entries, self._state.region)
        creation.total = creation.taint
        return creation

    def _mapping_comprehension(self, node: ast.DictComp) -> KnownContainer | None:
        keys: list[KnownConstant | None] = []

        def give() -> KnownEntry:
            keys.append(self._folder.constant(node.key))
            return self._known.entry(node.value)

        found = self._iteration.comprehension(node, give)
        if found is None or None in keys:
            return None
        return self.as_mapping({key.value: one for key, one in zip(keys, found, strict=True) if key})

    def as_mapping(self, entries: dict[object, KnownEntry]) -> KnownContainer:
        """Return a container of known entries."""
        value = KnownContainer(entries, self._state.region)
        value.total = value.taint
        return value

    def of_elements(self, node: ast.Call, name: str) -> KnownContainer | None:
        """Return the container that a call fills with elements, or that is filled later."""
        kind = _QUEUES.get(name)
        if kind is not None:
            starts = node.args[:1] if kind == "stream" else []
            value = KnownContainer(
                [self._known.entry(start) for start in starts], self._state.region, kind=kind
            )
            value.total = value.taint
            return value
        if name == "types.SimpleNamespace" and not node.args and all(k.arg for k in node.keywords):
            value = self.as_mapping({k.arg: self._known.entry(k.value) for k in node.keywords})
            value.kind = "namespace"
            return value
        names = self._resolver.tuple_fields(node)
        if names is not None and not any(isinstance(argument, ast.Starred) for argument in node.args):
            arguments = dict(zip(names, node.args, strict=False)) | {
                k.arg or "": k.value for k in node.keywords
            }
            if set(arguments) != set(names):
                return None
            value = KnownContainer(
                [self._known.entry(arguments[item]) for item in names], self._state.region, names=names
            )
            value.total = value.taint
            return value
        if name in {"dict", "collections.OrderedDict"} and len(node.args) == 1 and not node.keywords:
            pairs = self._iteration.elements(node.args[0])
            return self._of_pairs(pairs) if pairs is not None else None
        if (name in _LISTS and len(node.args) <= 1 and not node.keywords) or name in _LAZY:
            result = self._iteration.elements(node)
            value = KnownContainer(result, self._state.region)
            value.total = value.taint
            return value if result is not None else None
        return None

    def _constructed(self, node: ast.Call) -> KnownContainer | None:
        """Return the container a constructor creates."""
        name = self._state.module.dotted(node.func) or ""
        if name in _PARSERS:
            has_defaults = bool(node.args) or any(k.arg in {"defaults", None} for k in node.keywords)
            return KnownContainer({}, self._state.region, kind="parser") if not has_defaults else None
        if name not in _SEQUENCES | _MAPPINGS or last_name(node.func) in self._state.values:
            return self._copy_of(node, name) or self.of_elements(node, name)
        if name in _MAPPINGS and not node.args and all(k.arg is not None for k in node.keywords):
            entries: dict[object, KnownEntry] = {k.arg: self._known.entry(k.value) for k in node.keywords}
            value = KnownContainer(entries, self._state.region)
            value.total = value.taint
            return value
        if node.keywords or len(node.args) > 1:
            return None
        if not node.args:
            return KnownContainer([] if name in _SEQUENCES else {}, self._state.region)
        return self._copied(node.args[0], name in _MAPPINGS) or self.of_elements(node, name)

    def concatenated(
        self, first: KnownContainer | None, second: KnownContainer | None
    ) -> KnownContainer | None:
        """Return the container of ``first | second`` of mappings or ``first + second`` of lists."""
        if first is None or second is None or first.kind or second.kind:
            return None
        if isinstance(first.entries, dict) and isinstance(second.entries, dict):
            return self.as_mapping(first.entries | second.entries)
        if isinstance(first.entries, list) and isinstance(second.entries, list):
            value = KnownContainer(first.entries + second.entries, self._state.region)
            value.total = value.taint
            return value
        return None

    def _list_comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> KnownContainer | None:
        result = self._iteration.elements(node)
        return self._as_list(result) if result is not None else None

    def _concatenation(self, node: ast.BinOp) -> KnownContainer | None:
        if not isinstance(node.op, (ast.BitOr, ast.Add)):
            return None
        return self.concatenated(self._known.container(node.left), self._known.container(node.right))

    def _spread_mapping(self, node: ast.Dict) -> KnownContainer | None:
        """Return the container of ``{**first, "key": value}``."""
        creation: KnownContainer | None = KnownContainer({}, self._state.region)
        for key, value in zip(node.keys, node.values, strict=True):
            more = self._known.container(value) if key is None else self._mapping(ast.Dict([key], [value]))
            creation = self.concatenated(creation, more)
        return creation

    def _copy_of(self, node: ast.Call, name: str) -> KnownContainer | None:
        """Return the container of ``deepcopy(table)`` or ``json.loads(json.dumps(table))``."""
        arguments = node.args[0] if len(node.args) == 1 and not node.keywords else None
        if name == "json.loads" and isinstance(arguments, ast.Call) and len(arguments.args) == 1:
            arguments = (
                arguments.args[0] if self._state.module.dotted(arguments.func) == "json.dumps" else None
            )
        elif name not in {"copy.copy", "copy.deepcopy"}:
            return None
        container = self._known.container(arguments) if arguments is not None else None
        return (
            self._copied(arguments, isinstance(container.entries, dict))
            if container is not None and arguments
            else None
        )

    def _copied(self, node: ast.expr, as_mapping: bool) -> KnownContainer | None:
        container = self._containers.find(node)
        if container is None and isinstance(node, (ast.List, ast.Tuple, ast.Dict)):
            known = self._known.of(node)
            container = known if isinstance(known, KnownContainer) else None
        if container is None or container.entries is None or container.is_parser:
            return None
        if as_mapping is not isinstance(container.entries, dict):
            return None
        return KnownContainer(container.entries.copy(), self._state.region, join(container.total))

    def _of_pairs(self, pairs: Sequence[KnownEntry]) -> KnownContainer | None:
        entries: dict[object, KnownEntry] = {}
        for pair in pairs:
            row = pair.known.entries if isinstance(pair.known, KnownContainer) else None
            key = row[0].known if isinstance(row, list) and len(row) == 2 else None
            if not isinstance(key, KnownConstant) or not isinstance(row, list):
                return None
            entries[key.value] = row[1]
        return self.as_mapping(entries)
