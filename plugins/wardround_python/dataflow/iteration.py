"""The elements that loops and comprehensions iterate over, if all are known."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from wardround.semantics.dataflow.domain import join
from wardround_python.dataflow.assignments import Assignments
from wardround_python.dataflow.conditions import ConditionEvaluator
from wardround_python.dataflow.constant_folding import ConstantFolder
from wardround_python.dataflow.container_lookup import ContainerLookup
from wardround_python.dataflow.domain import CLEAN
from wardround_python.dataflow.evaluation import Evaluator
from wardround_python.dataflow.flow_state import FlowState
from wardround_python.dataflow.known_value import Known, KnownConstant, KnownContainer, KnownEntry
from wardround_python.dataflow.value_tracking import KnownValues

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

    def __init__(
        self,
        state: FlowState,
        evaluator: Evaluator,
        folder: ConstantFolder,
        containers: ContainerLookup,
        conditions: ConditionEvaluator,
        known: KnownValues,
        assignments: Assignments,
    ) -> None:
        self._state = state
        self._evaluator = evaluator
        self._folder = folder
        self._containers = containers
        self._conditions = conditions
        self._known = known
        self._assignments = assignments

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
        before, region = self._state.values.copied(), self._state.enter_region()
        values: list[KnownEntry] = []
        try:
            for item in result:
                self._assignments.bind(part.target, item.value, ast.Constant(None), item.known)
                decided = [self._conditions.decided(test) for test in part.ifs]
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
            return self._displayed(node.elts)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self.comprehension(node, lambda: self._known.entry(node.elt))
        if isinstance(node, ast.Call) and node not in self._state.results:
            return self._of_call(node)
        container = self._known.container(node)
        entries = container.entries if container is not None and container.kind in ("", "queue") else None
        if isinstance(entries, dict):
            return [_constant(key) for key in entries]
        return entries.copy() if entries is not None else None

    def _displayed(self, nodes: Sequence[ast.expr]) -> list[KnownEntry] | None:
        results: list[KnownEntry] = []
        for node in nodes:
            more = self.elements(node.value) if isinstance(node, ast.Starred) else [self._known.entry(node)]
            if more is None:
                return None
            results += more
        return results

    def _of_call(self, node: ast.Call) -> list[KnownEntry] | None:
        name = self._state.module.dotted(node.func) or ""
        handler = _HANDLERS.get(name) if not node.keywords and name not in self._state.values else None
        if handler is not None:
            return handler(self, node.args)
        if isinstance(node.func, ast.Attribute) and not node.args and node.func.attr in _VIEWS:
            container = self._known.container(node.func.value)
            entries = container.entries if container is not None and not container.kind else None
            return _VIEWS[node.func.attr](entries, self._state.region) if isinstance(entries, dict) else None
        return None

    def _same(self, arguments: Sequence[ast.expr]) -> list[KnownEntry] | None:
        return self.elements(arguments[0]) if len(arguments) == 1 else [] if not arguments else None

    def _reversed(self, arguments: Sequence[ast.expr]) -> list[KnownEntry] | None:
        result = self._same(arguments)
        return result[::-1] if result is not None else None

    def _chained(self, arguments: Sequence[ast.expr]) -> list[KnownEntry] | None:
        return self._displayed([ast.Starred(argument) for argument in arguments])

    def _zipped(self, arguments: Sequence[ast.expr]) -> list[KnownEntry] | None:
        each = [self.elements(argument) for argument in arguments]
        if not each or any(item is None for item in each):
            return None
        return [
            _row(row, self._state.region) for row in zip(*(element or () for element in each), strict=False)
        ]

    def _numbered(self, arguments: Sequence[ast.expr]) -> list[KnownEntry] | None:
        result = self._same(arguments)
        if result is None:
            return None
        return [_row([_constant(at), one], self._state.region) for at, one in enumerate(result)]

    def _sliced(self, arguments: Sequence[ast.expr]) -> list[KnownEntry] | None:
        result = self.elements(arguments[0]) if arguments else None
        ends = self._folder.constants(arguments[1:])
        numbers = [end for end in ends or () if end is None or (isinstance(end, int) and end >= 0)]
        if result is None or not ends or len(numbers) != len(ends):
            return None
        return result[slice(*numbers)]

    def _mapped(self, arguments: Sequence[ast.expr]) -> list[KnownEntry] | None:
        """Return the elements of ``map(function, elements)``."""
        result = self.elements(arguments[1]) if len(arguments) == 2 else None
        if result is None:
            return None
        values: list[KnownEntry] = []
        call = ast.copy_location(ast.Call(arguments[0], [ast.Name("element", ast.Load())], []), arguments[0])
        for item in result:
            before = self._state.values.copied()
            self._assignments.bind(
                ast.Name("element", ast.Store()), item.value, ast.Constant(None), item.known
            )
            values.append(self._apply(arguments[0], call))
            self._state.values = before
        return values

    def _apply(self, func: ast.expr, call: ast.Call) -> KnownEntry:
        is_method = isinstance(func, ast.Attribute) and self._state.module.dotted(func.value) == "str"
        if is_method and isinstance(func, ast.Attribute):  # map(str.strip, values)
            method = ast.Attribute(call.args[0], func.attr, ast.Load())
            call = ast.copy_location(ast.Call(method, [], []), func)
        return KnownEntry(self._evaluator.value(call), self._known.of(call))


def _constant(value: object) -> KnownEntry:
    return KnownEntry(CLEAN, KnownConstant(value))  # type: ignore[arg-type]


def _row(entries: Sequence[KnownEntry], region: int) -> KnownEntry:
    whole = join(*(entry.value for entry in entries))
    known: Known = KnownContainer(list(entries), region, whole)
    return KnownEntry(whole, known)


_VIEWS: Mapping[str, Callable[[dict[object, KnownEntry], int], list[KnownEntry]]] = {
    "keys": lambda entries, region: [_constant(key) for key in entries],
    "values": lambda entries, region: list(entries.values()),
    "items": lambda entries, region: [_row([_constant(key), one], region) for key, one in entries.items()],
}

_HANDLERS: Mapping[str, Callable[[Iteration, Sequence[ast.expr]], list[KnownEntry] | None]] = {
    "list": Iteration._same,
    "tuple": Iteration._same,
    "iter": Iteration._same,
    "collections.deque": Iteration._same,
    "reversed": Iteration._reversed,
    "zip": Iteration._zipped,
    "enumerate": Iteration._numbered,
    "map": Iteration._mapped,
    "itertools.chain": Iteration._chained,
    "itertools.islice": Iteration._sliced,
}
