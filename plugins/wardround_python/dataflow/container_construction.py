"""Containers that displays, comprehensions and constructors create."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from wardround.languages.python.module import last_name
from wardround.semantics.dataflow.domain import join
from wardround_python.dataflow.known_value import Kind, KnownConstant, KnownContainer, KnownEntry
from wardround_python.dataflow.value_tracking import Constructions
from wardround_python.syntax.calls import keyword_values, spreads_keywords

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow

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

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._folder = flow.folder
        self._containers = flow.containers
        self._known = flow.known
        self._resolver = flow.resolver
        self._iteration = flow.iteration

    def displays(self) -> Constructions:
        """Return the functions for expressions that always create a container."""
        return {
            ast.List: self._sequence,
            ast.Tuple: self._sequence,
            ast.Dict: self._build_mapping,
            ast.DictComp: self._mapping_comprehension,
            ast.ListComp: self._list_comprehension,
            ast.GeneratorExp: self._list_comprehension,
        }

    def constructors(self) -> Constructions:
        """Return the functions for expressions that may create a container."""
        return {ast.BinOp: self._concatenation, ast.Call: self._construct}

    def _sequence(self, node: ast.List | ast.Tuple) -> KnownContainer | None:
        nodes = node.elts
        if len(nodes) > _LONGEST_TABLE:
            return None
        if any(isinstance(inner, ast.Starred) for inner in nodes):
            result = self._iteration.elements(ast.List(list(nodes), ast.Load()))
            return self._make_list(result) if result is not None else None
        return self._make_list([self._known.entry(child) for child in nodes])

    def _make_list(self, entries: list[KnownEntry]) -> KnownContainer:
        value = KnownContainer(entries, self._state.region)
        value.total = value.taint
        return value

    def _build_mapping(self, node: ast.Dict) -> KnownContainer | None:
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
        return self.mapping_of({key.value: entry for key, entry in zip(keys, found, strict=True) if key})

    def mapping_of(self, entries: dict[object, KnownEntry]) -> KnownContainer:
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
            value = self.mapping_of({k.arg: self._known.entry(k.value) for k in node.keywords})
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
            return self._container_of_pairs(pairs) if pairs is not None else None
        if (name in _LISTS and len(node.args) <= 1 and not node.keywords) or name in _LAZY:
            result = self._iteration.elements(node)
            value = KnownContainer(result, self._state.region)
            value.total = value.taint
            return value if result is not None else None
        return None

    def _construct(self, node: ast.Call) -> KnownContainer | None:
        """Return the container a constructor creates."""
        name = self._state.module.qualified_name(node.func) or ""
        if name in _PARSERS:
            return self._parser(node)
        if name not in _SEQUENCES | _MAPPINGS or last_name(node.func) in self._state.values:
            return self._copy_of(node, name) or self.of_elements(node, name)
        if name in _MAPPINGS and not node.args:
            return None if spreads_keywords(node) else self._keyword_container(node)
        return self._copied_container(node, name)

    def _parser(self, node: ast.Call) -> KnownContainer | None:
        has_defaults = node.args or spreads_keywords(node) or keyword_values(node, "defaults")
        return None if has_defaults else KnownContainer({}, self._state.region, kind="parser")

    def _copied_container(self, node: ast.Call, name: str) -> KnownContainer | None:
        """Return the container of ``list(values)`` and ``list()``."""
        if node.keywords or len(node.args) > 1:
            return None
        if not node.args:
            return KnownContainer([], self._state.region)
        return self._copy_container(node.args[0], name in _MAPPINGS) or self.of_elements(node, name)

    def _keyword_container(self, node: ast.Call) -> KnownContainer:
        """Return the container of ``dict(key=value)``."""
        entries: dict[object, KnownEntry] = {
            keyword.arg: self._known.entry(keyword.value) for keyword in node.keywords
        }
        value = KnownContainer(entries, self._state.region)
        value.total = value.taint
        return value

    def concatenate(
        self, first: KnownContainer | None, second: KnownContainer | None
    ) -> KnownContainer | None:
        """Return the container of ``first | second`` of mappings or ``first + second`` of lists."""
        if first is None or second is None or first.kind or second.kind:
            return None
        if isinstance(first.entries, dict) and isinstance(second.entries, dict):
            return self.mapping_of(first.entries | second.entries)
        if isinstance(first.entries, list) and isinstance(second.entries, list):
            value = KnownContainer(first.entries + second.entries, self._state.region)
            value.total = value.taint
            return value
        return None

    def _list_comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> KnownContainer | None:
        result = self._iteration.elements(node)
        return self._make_list(result) if result is not None else None

    def _concatenation(self, node: ast.BinOp) -> KnownContainer | None:
        if not isinstance(node.op, (ast.BitOr, ast.Add)):
            return None
        return self.concatenate(self._known.container(node.left), self._known.container(node.right))

    def _spread_mapping(self, node: ast.Dict) -> KnownContainer | None:
        """Return the container of ``{**first, "key": value}``."""
        creation: KnownContainer | None = KnownContainer({}, self._state.region)
        for key, value in zip(node.keys, node.values, strict=True):
            more = (
                self._known.container(value) if key is None else self._build_mapping(ast.Dict([key], [value]))
            )
            creation = self.concatenate(creation, more)
        return creation

    def _copy_of(self, node: ast.Call, name: str) -> KnownContainer | None:
        """Return the container of ``deepcopy(table)`` or ``json.loads(json.dumps(table))``."""
        original = self._original(node, name)
        if original is None:
            return None
        container = self._known.container(original)
        if container is None:
            return None
        return self._copy_container(original, isinstance(container.entries, dict))

    def _original(self, node: ast.Call, name: str) -> ast.expr | None:
        """Return the expression that a call copies."""
        if len(node.args) != 1 or node.keywords:
            return None
        argument = node.args[0]
        if name in {"copy.copy", "copy.deepcopy"}:
            return argument
        if name != "json.loads":
            return None
        if not isinstance(argument, ast.Call) or len(argument.args) != 1:
            return argument
        is_dumped = self._state.module.qualified_name(argument.func) == "json.dumps"
        return argument.args[0] if is_dumped else None

    def _copy_container(self, node: ast.expr, mapping_of: bool) -> KnownContainer | None:
        container = self._containers.find(node)
        if container is None and isinstance(node, (ast.List, ast.Tuple, ast.Dict)):
            known = self._known.of(node)
            container = known if isinstance(known, KnownContainer) else None
        if container is None or container.entries is None or container.is_parser:
            return None
        if mapping_of is not isinstance(container.entries, dict):
            return None
        return KnownContainer(container.entries.copy(), self._state.region, join(container.total))

    def _container_of_pairs(self, pairs: Sequence[KnownEntry]) -> KnownContainer | None:
        entries: dict[object, KnownEntry] = {}
        for pair in pairs:
            row = pair.known.entries if isinstance(pair.known, KnownContainer) else None
            key = row[0].known if isinstance(row, list) and len(row) == 2 else None
            if not isinstance(key, KnownConstant) or not isinstance(row, list):
                return None
            entries[key.value] = row[1]
        return self.mapping_of(entries)
