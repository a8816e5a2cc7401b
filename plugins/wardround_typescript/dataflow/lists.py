"""The elements of lists, if they are known.

The state holds them as properties of the access path of the list: ``list.0``, ``list.1`` the elements,
``list.+`` any further ones, ``list.#`` how many are known. If two branches have different lengths, only the
value of the list itself is known after them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from wardround.semantics.dataflow.domain import join, join_all, without
from wardround_typescript.dataflow.constant_folding import Constant, fold
from wardround_typescript.dataflow.domain import CLEAN, NOTHING, SinkKind, Taint
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.nodes import bare
from wardround_typescript.dataflow.state import EXTENT, KEYS_KNOWN, FlowState
from wardround_typescript.syntax.nodes import child

_COPYING_METHODS = frozenset({"concat", "slice", "reverse", "toReversed"})
_MAX_ELEMENTS = 40
OF_CONTAINER = SinkKind.FIELDS | SinkKind.REACHED
"""Labels of an element that the container does not have."""


@dataclass(frozen=True, slots=True)
class ListContents:
    """The elements of a list, first to last; the value of any further ones, or None where there are none."""

    elements: tuple[Taint, ...]
    rest: Taint | None = None

    def at(self, index: int) -> Taint | None:
        """Return the value of an element, counted from the end where negative; None where it is unknown."""
        if index < 0:
            index += len(self.elements)
            if self.rest is not None or index < 0:
                return None
        return self.elements[index] if index < len(self.elements) else self.rest or CLEAN

    @property
    def joined(self) -> Taint:
        """The value of the list itself."""
        return without(join_all([*self.elements, self.rest or CLEAN]), OF_CONTAINER)

    @property
    def reversed(self) -> ListContents:
        """The elements in reverse order."""
        return ListContents(self.elements[::-1])

    def append(self, value: Taint) -> ListContents:
        """Return the list with another element at its end."""
        if self.rest is not None or len(self.elements) >= _MAX_ELEMENTS:
            return ListContents(self.elements, join(self.rest or CLEAN, value))
        return ListContents((*self.elements, value))

    def extend(self, other: ListContents | None, value: Taint) -> ListContents:
        """Return the list with the elements of another one appended; ``value`` is that of the other."""
        if self.rest is not None or other is None or len(self.elements) + len(other.elements) > _MAX_ELEMENTS:
            return ListContents(self.elements, join(self.rest or CLEAN, value))
        return ListContents((*self.elements, *other.elements), other.rest)


class Lists:
    """Evaluates the contents of lists."""

    __slots__ = ("_evaluator", "_scope", "_state")

    def __init__(self, state: FlowState, evaluator: Evaluator) -> None:
        self._state = state
        self._scope = state.scope
        self._evaluator = evaluator

    def at_path(self, path: str) -> ListContents | None:
        """Return the contents of the list at an access path; None where it holds none or they are unknown."""
        values = self._state.values
        extents = list(values.get(f"{path}.{EXTENT}", CLEAN))
        if len(extents) != 1 or extents[0] == KEYS_KNOWN:
            return None
        count = int(extents[0].rstrip("+"))
        elements = tuple(values.get(f"{path}.{at}", CLEAN) for at in range(count))
        return ListContents(elements, values.get(f"{path}.+", CLEAN) if extents[0].endswith("+") else None)

    def contents(self, node: Node) -> ListContents | None:
        """Return the contents of the list that an expression evaluates to."""
        node = bare(node)
        match node.type:
            case "array":
                return self._literal(node)
            case "call_expression":
                return self._copy(node)
            case "identifier" | "member_expression":
                path = self._state.access_path(node)
                return self.at_path(path) if path is not None else None
        return None

    def bind(self, path: str, contents: ListContents) -> None:
        """Give an access path the contents of a list."""
        values = self._state.values
        for at, value in enumerate(contents.elements):
            values[f"{path}.{at}"] = value
        if contents.rest is not None:
            values[f"{path}.+"] = contents.rest
        mark = "+" if contents.rest is not None else ""
        values[f"{path}.{EXTENT}"] = {f"{len(contents.elements)}{mark}": NOTHING}
        values[path] = contents.joined

    def push(self, contents: ListContents, node: Node, value: Taint) -> ListContents:
        """Return a list with another element, or with those of a list that is spread."""
        if node.type == "spread_element" and node.named_children:
            return contents.extend(self.contents(node.named_children[0]), value)
        return contents.append(value)

    def _literal(self, node: Node) -> ListContents | None:
        contents = ListContents(())
        for element in node.named_children[: _MAX_ELEMENTS + 1]:
            if element.type != "comment":
                contents = self.push(contents, element, self._evaluator.evaluate(element))
        return contents if len(node.named_children) <= _MAX_ELEMENTS else None

    def _copy(self, node: Node) -> ListContents | None:
        """Return the result of a method that copies a list."""
        function, argument_list = child(node, "function"), child(node, "arguments")
        owner = child(function, "object")
        if function is None or argument_list is None or owner is None:
            return None
        method = self._state.property_name(function)
        contents = self.contents(owner) if method in _COPYING_METHODS else None
        if contents is None:
            return None
        arguments = argument_list.named_children
        if method == "concat":
            return self._concatenate(contents, arguments)
        bounds = [fold(self._scope, argument) for argument in arguments]
        return _slice(contents, bounds) if method == "slice" else _reverse(contents, bounds)

    def _concatenate(self, contents: ListContents, arguments: Sequence[Node]) -> ListContents:
        for argument in arguments:
            inner = self.contents(argument)
            # What is not a list of known contents may be one of any length.
            contents = contents.extend(inner, self._evaluator.evaluate(argument))
        return contents

    def call_method(
        self, path: str, method: str, arguments: Sequence[Node], values: Sequence[Taint]
    ) -> Taint | None:
        """Apply a method that changes the list at a path and return its result; None where it is unknown."""
        mutation = _MUTATIONS.get(method)
        if mutation is None or f"{path}.{EXTENT}" not in self._state.values:
            return None
        contents = self.at_path(path)
        result = mutation(self, contents, arguments, values) if contents is not None else None
        if result is None:
            self._state.forget_contents(path, join_all(values))
            return None
        self.bind(path, result[0])
        return result[1]

    def element(self, owner: Node, index: Node) -> Taint | None:
        """Return the result of ``list.at(index)``; None where it is unknown."""
        contents, position = self.contents(owner), fold(self._scope, index)
        return contents.at(position) if contents is not None and isinstance(position, int) else None

    def _push_all(
        self, contents: ListContents, arguments: Sequence[Node], values: Sequence[Taint]
    ) -> Mutated | None:
        for node, value in zip(arguments, values, strict=True):
            contents = self.push(contents, node, value)
        return contents, CLEAN

    def _apply_unshift(
        self, contents: ListContents, arguments: Sequence[Node], values: Sequence[Taint]
    ) -> Mutated | None:
        if any(argument.type == "spread_element" for argument in arguments):
            return None
        return ListContents((*values, *contents.elements), contents.rest), CLEAN

    def _apply_shift(
        self, contents: ListContents, arguments: Sequence[Node], values: Sequence[Taint]
    ) -> Mutated | None:
        return ListContents(contents.elements[1:], contents.rest), contents.at(0) or CLEAN

    def _pop(
        self, contents: ListContents, arguments: Sequence[Node], values: Sequence[Taint]
    ) -> Mutated | None:
        if contents.rest is not None:
            return None
        return ListContents(contents.elements[:-1]), contents.at(-1) or CLEAN

    def _splice(
        self, contents: ListContents, arguments: Sequence[Node], values: Sequence[Taint]
    ) -> Mutated | None:
        start, count = [*(fold(self._scope, argument) for argument in arguments[:2]), None, None][:2]
        if contents.rest is not None or not isinstance(start, int) or not isinstance(count, int) or start < 0:
            return None
        elements, end = contents.elements, start + count
        left = ListContents((*elements[:start], *values[2:], *elements[end:]))
        return left, join_all(elements[start:end])

    def _reverse(
        self, contents: ListContents, arguments: Sequence[Node], values: Sequence[Taint]
    ) -> Mutated | None:
        return (contents.reversed, contents.joined) if contents.rest is None else None

    def _shuffle(
        self, contents: ListContents, arguments: Sequence[Node], values: Sequence[Taint]
    ) -> Mutated | None:
        return None


def _slice(contents: ListContents, bounds: Sequence[Constant | None]) -> ListContents | None:
    if contents.rest is not None or not all(isinstance(bound, int) for bound in bounds):
        return None
    start, end = [*(bound for bound in bounds if isinstance(bound, int)), None, None][:2]
    return ListContents(contents.elements[start:end])


def _reverse(contents: ListContents, arguments: Sequence[Constant | None]) -> ListContents | None:
    is_known = contents.rest is None and all(isinstance(argument, int) for argument in arguments)
    return contents.reversed if is_known else None


Mutated = tuple[ListContents, Taint]
"""A list after a method changed it, and the result of the method."""
_Mutation = Callable[[Lists, ListContents, Sequence[Node], Sequence[Taint]], Mutated | None]
_MUTATIONS: Mapping[str, _Mutation] = {
    "push": Lists._push_all,
    "unshift": Lists._apply_unshift,
    "shift": Lists._apply_shift,
    "pop": Lists._pop,
    "splice": Lists._splice,
    "reverse": Lists._reverse,
    "sort": Lists._shuffle,
    "fill": Lists._shuffle,
    "copyWithin": Lists._shuffle,
}
