"""The parts of a state in updater functions, which receive the previous state."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.languages.script.code import Code, argument, bare, own_nodes, returned_expressions
from wardround.languages.script.syntax import Node
from wardround.lazy import LazyPattern
from wardround_typescript.syntax.nodes import child, is_kind, parts

_TAKING = LazyPattern(r"\.(find|findLast|at|get)$")
_SLICED = LazyPattern(r"^(?P<list>[\w$]+)\.(?:slice|concat)\(\)$")
_FIRST = 0


class StateParts:
    """Follows the parts of the state that is the first argument of a function."""

    def __init__(self, code: Code) -> None:
        self._code = code
        # Start offsets of the helpers under inspection, which may call each other.
        self._open: set[int] = set()

    def names(self, function: Node) -> set[str]:
        """Return the name of the state, and the names bound to parts of it; none if it is reassigned."""
        first = self._first_parameter(function)
        if not first.isidentifier():
            return set()
        names = {first}
        for node in own_nodes(function):
            match node.type:
                case "variable_declarator":
                    names.update(self._names_of_state(node, names))
                case "assignment_expression" if self._code.field(node, "left") in names:
                    return set()
        return names

    def _first_parameter(self, function: Node) -> str:
        lone = child(function, "parameter")
        if lone is not None:
            return self._code.text(lone)
        return self._code.field(next(iter(parameters_of(function)), None), "pattern")

    def _names_of_state(self, declarator: Node, names: set[str]) -> Iterator[str]:
        """Return the names that a declaration binds to a part of the state, or to a copy."""
        value = child(declarator, "value")
        if self._is_copy(value, names):
            return self._marks(declarator)
        return self._bound_names(child(declarator, "name") if self.is_part_of_state(value, names) else None)

    def _bound_names(self, pattern: Node | None) -> Iterator[str]:
        """Yield the names that a pattern binds to parts of a value; ``...rest`` is a copy."""
        if is_kind(pattern, "identifier"):
            yield self._code.text(pattern)
        if is_kind(pattern, "object_pattern"):
            for part in pattern.named_children:
                if part.type != "rest_pattern":
                    yield from self._code.names_in(part)

    def is_part_of_state(self, node: Node | None, names: set[str]) -> bool:
        """Return True if a value is a part of the state and not a copy of a part."""
        value = bare(node)
        if value is None:
            return False
        match value.type:
            case "identifier":
                return self._code.text(value) in names
            case "member_expression" | "subscript_expression":
                return self._is_field_of_state(value, names)
            case "call_expression":
                return self._is_read_from_state(value, names)
        return False

    def _is_field_of_state(self, value: Node, names: set[str]) -> bool:
        owner = child(value, "object")
        is_of_copy = f"{self._code.text(owner)}." in names
        return (is_of_copy and not self._is_unshared(value, names)) or self.is_part_of_state(owner, names)

    def _is_read_from_state(self, call: Node, names: set[str]) -> bool:
        if not _TAKING.search(self._code.callee(call)):
            return self._is_returned_by_helper(call, names)
        owner = child(child(call, "function"), "object")
        return f"{self._code.text(owner)}." in names or self.is_part_of_state(owner, names)

    def _is_returned_by_helper(self, call: Node, names: set[str]) -> bool:
        """Return True if a function of the file returns a part of the state that is its first argument."""
        called = self._code.callee(call)
        helper = self._code.function_of(called, call) if "." not in called else None
        if helper is None or not self.is_part_of_state(argument(call, _FIRST), names):
            return False
        own = self.names(helper) if helper.start_byte not in self._open else set[str]()
        self._open.add(helper.start_byte)
        is_taken = any(self.is_part_of_state(value, own) for value in returned_expressions(helper))
        self._open.discard(helper.start_byte)
        return is_taken

    def _is_copy(self, node: Node | None, names: set[str]) -> bool:
        """Return True if a value is a shallow copy of the state."""
        value = bare(node)
        if is_kind(value, "object", "array"):
            spreads = (part for part in value.named_children if part.type == "spread_element")
            return any(self.is_part_of_state(spread.named_children[0], names) for spread in spreads)
        found = _SLICED.search(self._code.text(value))
        return found is not None and found["list"] in names

    def _marks(self, copy: Node) -> Iterator[str]:
        """Yield the names of a copy: with a trailing dot, and with each of its own keys."""
        name, value = self._code.field(copy, "name"), bare(child(copy, "value"))
        yield f"{name}."
        for entry in parts(value) if is_kind(value, "object") else ():
            if entry.type in ("pair", "shorthand_property_identifier"):
                yield f"{name}.{self._code.field(entry, 'key') or self._code.text(entry)}"

    def _is_unshared(self, part: Node, names: set[str]) -> bool:
        """Return True if a part of a copy is not shared: written with it, or assigned later."""
        path = self._code.text(part)
        if path in names:
            return True
        assignments = self._code.kinds("assignment_expression")
        return any(self._code.field(assignment, "left") == path for assignment in assignments)


def parameters_of(function: Node) -> list[Node]:
    """Return the parameters in the brackets of a function."""
    return [part for part in parts(child(function, "parameters")) if part.type.endswith("parameter")]
