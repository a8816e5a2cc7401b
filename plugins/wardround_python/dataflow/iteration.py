"""The elements that loops and comprehensions iterate over, if all are known."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from wardround.semantics.dataflow.domain import join
from wardround_python.dataflow.domain import CLEAN
from wardround_python.dataflow.known_value import Known, KnownConstant, KnownContainer, KnownEntry

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow

_MOST = 20


class Iteration:
    """Finds the elements of an iterable, one by one."""

    __slots__ = (
        "_assignments",
        "_conditions",
        "_containers",
        "_evaluator",
        "_folder",
        "_known",
        "_state",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._evaluator = flow.evaluator
        self._folder = flow.folder
        self._containers = flow.containers
        self._conditions = flow.conditions
        self._known = flow.known
        self._assignments = flow.assignments

    def elements(self, node: ast.expr) -> list[KnownEntry] | None:
        """Return the elements that a loop over an expression yields; None if unknown."""
        result = self._elements_of(node)
        return result if result is not None and len(result) <= _MOST else None

    def comprehension(
        self, node: ast.ListComp | ast.GeneratorExp | ast.DictComp, give: Callable[[], KnownEntry]
    ) -> list[KnownEntry] | None:
        """Return the elements a comprehension with one ``for`` creates by ``create``; None if unknown."""
        part = node.generators[0]
        result = self.elements(part.iter) if len(node.generators) == 1 else None
        if result is None or part.is_async:
            return None
        before, region = self._state.values.copy(), self._state.enter_region()
        values: list[KnownEntry] = []
        try:
            for item in result:
                self._assignments.bind(part.target, item.value, ast.Constant(None), item.known)
                decided = [self._conditions.truth_value(test) for test in part.ifs]
                if None in decided:
                    return None
                if all(decided):
                    values.append(give())
        finally:
            self._state.values, self._state.region = before, region
        return values

    def next(self, node: ast.expr) -> KnownEntry | None:
        """Return the entry that ``next`` takes from an iterator or a container."""
        container = self._containers.find(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        if container is not None and not container.kind and isinstance(container.entries, list):
            if not container.entries or container.region != self._state.region:
                self._containers.escape(container)
                return KnownEntry(container.total)
            return container.entries.pop(0)
        result = self.elements(node) if container is None else None
        return result[0] if result else None

    def _elements_of(self, node: ast.expr) -> list[KnownEntry] | None:
        if isinstance(node, (ast.List, ast.Tuple)):
            return self._display_elements(node.elts)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self.comprehension(node, lambda: self._known.entry(node.elt))
        if isinstance(node, ast.Call) and node not in self._state.results:
            return self._entries_of_call(node)
        container = self._known.container(node)
        entries = container.entries if container is not None and container.kind in ("", "queue") else None
        if isinstance(entries, dict):
            return [_constant_entry(key) for key in entries]
        return entries.copy() if entries is not None else None

    def _display_elements(self, nodes: Sequence[ast.expr]) -> list[KnownEntry] | None:
        results: list[KnownEntry] = []
        for node in nodes:
            more = self.elements(node.value) if isinstance(node, ast.Starred) else [self._known.entry(node)]
            if more is None:
                return None
            results += more
        return results

    def _entries_of_call(self, node: ast.Call) -> list[KnownEntry] | None:
        name = self._state.module.qualified_name(node.func) or ""
        handler = _HANDLERS.get(name) if not node.keywords and name not in self._state.values else None
        if handler is not None:
            return handler(self, node.args)
        if isinstance(node.func, ast.Attribute) and not node.args:
            return self._of_view(node.func)
        return None

    def _of_view(self, func: ast.Attribute) -> list[KnownEntry] | None:
        """Return the elements of a view of a mapping: ``options.items()``."""
        view = _VIEWS.get(func.attr)
        container = self._known.container(func.value) if view is not None else None
        if view is None or container is None or container.kind:
            return None
        return view(container.entries, self._state.region) if isinstance(container.entries, dict) else None

    def _equal_entries(self, arguments: Sequence[ast.expr]) -> list[KnownEntry] | None:
        return self.elements(arguments[0]) if len(arguments) == 1 else [] if not arguments else None

    def _reverse_elements(self, arguments: Sequence[ast.expr]) -> list[KnownEntry] | None:
        result = self._equal_entries(arguments)
        return result[::-1] if result is not None else None

    def _chain_elements(self, arguments: Sequence[ast.expr]) -> list[KnownEntry] | None:
        return self._display_elements([ast.Starred(argument) for argument in arguments])

    def _zip_elements(self, arguments: Sequence[ast.expr]) -> list[KnownEntry] | None:
        each = [self.elements(argument) for argument in arguments]
        if not each or any(item is None for item in each):
            return None
        return [
            _row(row, self._state.region) for row in zip(*(element or () for element in each), strict=False)
        ]

    def _enumerate_elements(self, arguments: Sequence[ast.expr]) -> list[KnownEntry] | None:
        result = self._equal_entries(arguments)
        if result is None:
            return None
        return [_row([_constant_entry(at), element], self._state.region) for at, element in enumerate(result)]

    def _slice_elements(self, arguments: Sequence[ast.expr]) -> list[KnownEntry] | None:
        result = self.elements(arguments[0]) if arguments else None
        ends = self._folder.constants(arguments[1:])
        numbers = [end for end in ends or () if end is None or (isinstance(end, int) and end >= 0)]
        if result is None or not ends or len(numbers) != len(ends):
            return None
        return result[slice(*numbers)]

    def _map_elements(self, arguments: Sequence[ast.expr]) -> list[KnownEntry] | None:
        """Return the elements of ``map(function, elements)``."""
        result = self.elements(arguments[1]) if len(arguments) == 2 else None
        if result is None:
            return None
        values: list[KnownEntry] = []
        call = ast.copy_location(ast.Call(arguments[0], [ast.Name("element", ast.Load())], []), arguments[0])
        for item in result:
            before = self._state.values.copy()
            self._assignments.bind(
                ast.Name("element", ast.Store()), item.value, ast.Constant(None), item.known
            )
            values.append(self._apply(arguments[0], call))
            self._state.values = before
        return values

    def _apply(self, func: ast.expr, call: ast.Call) -> KnownEntry:
        is_method = isinstance(func, ast.Attribute) and self._state.module.qualified_name(func.value) == "str"
        if is_method and isinstance(func, ast.Attribute):  # map(str.strip, values)
            method = ast.Attribute(call.args[0], func.attr, ast.Load())
            call = ast.copy_location(ast.Call(method, [], []), func)
        return KnownEntry(self._evaluator.value(call), self._known.of(call))


def _constant_entry(value: object) -> KnownEntry:
    return KnownEntry(CLEAN, KnownConstant(value))  # type: ignore[arg-type]


def _row(entries: Sequence[KnownEntry], region: int) -> KnownEntry:
    complete = join(*(entry.value for entry in entries))
    known: Known = KnownContainer(list(entries), region, complete)
    return KnownEntry(complete, known)


_VIEWS: Mapping[str, Callable[[dict[object, KnownEntry], int], list[KnownEntry]]] = {
    "keys": lambda entries, region: [_constant_entry(key) for key in entries],
    "values": lambda entries, region: list(entries.values()),
    "items": lambda entries, region: [
        _row([_constant_entry(key), entry], region) for key, entry in entries.items()
    ],
}

_HANDLERS: Mapping[str, Callable[[Iteration, Sequence[ast.expr]], list[KnownEntry] | None]] = {
    "list": Iteration._equal_entries,
    "tuple": Iteration._equal_entries,
    "iter": Iteration._equal_entries,
    "collections.deque": Iteration._equal_entries,
    "reversed": Iteration._reverse_elements,
    "zip": Iteration._zip_elements,
    "enumerate": Iteration._enumerate_elements,
    "map": Iteration._map_elements,
    "itertools.chain": Iteration._chain_elements,
    "itertools.islice": Iteration._slice_elements,
}
