"""TS068: previous state mutation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_REDUCER = LazyPattern(r"(?i)reducer$")
_UPDATER = LazyPattern(r"^set[A-Z]\w*$")
_IMMER = LazyPattern(
    r"\b(immer|createSlice|createReducer|produce|useImmer\w*|redux-starter-kit"
    r"|mutative|combineReducersWithImmer)\b"
)
_CHANGING = frozenset({"push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill", "copyWithin"})
_TAKING = LazyPattern(r"\.(find|findLast|at|get)$")
_PRESERVING = frozenset(
    {"member_expression", "subscript_expression", "non_null_expression", "call_expression", "identifier"}
)
_SLICED = LazyPattern(r"^(?P<list>[\w$]+)\.(?:slice|concat)\(\)$")
_FIRST = 0


class PreviousStateMutation(TreeCheck):
    """The previous state is mutated, with which React or Redux compares the new one.

    A value read from the state is still the same object: mutating it changes earlier renders, other
    subscribers and the history, and a comparison finds no difference. A copy made with ``...`` is shallow,
    and nested values stay shared. Create a copy with the change in it.
    """

    ID = "TS068"
    NAME = "previous-state-mutation"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "state-mutation"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (".ts", ".tsx", ".js", ".jsx")
    WORDS = ("educer", "set", ".sort(", ".reverse(", ".splice(", "{ ...", "[...", "    ...")
    ALSO = (
        (
            ".push(",
            ".pop(",
            ".shift(",
            "splice(",
            ".sort(",
            ".reverse(",
            " = ",
            "+=",
            "-=",
            "++",
            "--",
            "delete ",
            "assign(",
        ),
        ("educer", "useState", "/>", "</", "..."),
    )
    CASE_PATH = "a.jsx"
    VALID = [
        code(
            """
            export function cartReducer(state, action) {
              const line = { ...find(state, action.id) };
              line.count -= 1;
              const lines = [...state.lines];
              lines.push(line);
              return { ...state, lines };
            }
            """,
            path="a.js",
        ),
        code(
            """
            import { createSlice } from '@reduxjs/toolkit';
            export function rowReducer(state, action) {
              state.rows.push(action.row);
            }
            """,
            path="a.js",
        ),
    ]
    INVALID = [
        code("""
            export function Board({ players }) {
              const ranked = «players.sort(byScore)»;
              return <Rows rows={ranked} />;
            }
        """),
        code(
            """
            function findLine(state, id) {
              return state.lines.find((line) => line.id === id);
            }
            export function cartReducer(state, action) {
              const line = findLine(state, action.id);
              «line.count -= 1»;
              return { ...state };
            }
            """,
            path="a.js",
        ),
    ]

    @cached_property
    def _open(self) -> set[int]:
        """Start offsets of the helpers under inspection, which may call each other."""
        return set()

    def check(self) -> None:
        if _IMMER.search(self.code.module.text):
            return
        for node in self._sorted_props():
            self.report_node(node, "list argument is mutated in place; copy it first")
        seen: set[int] = set()
        for function in self._changers():
            seen.add(function.id)
            names = self._of_state(function)
            for node in self._changes(function, names) if names else ():
                self.report_node(node, "previous state is mutated; return a new object")
        for function in self._copiers():
            names = self._of_state(function) if function.id not in seen else set()
            for node in self._changes(function, names) if names else ():
                self.report_node(node, "reducer mutates its input; return a new object")

    def _sorted_props(self) -> Iterator[Node]:
        """Yield the lists of a component's props that are sorted or spliced in place during rendering."""
        from wardround_typescript.analysis.react_components import component_around, is_component

        code = self.code
        for called, call in code.calls:
            name, _, method = called.rpartition(".")
            if method not in ("sort", "reverse", "splice"):
                continue
            function = component_around(code, call)
            if function is None or not is_component(code, function):
                continue
            given = function.child_by_field_name("parameters")
            first = (
                given.named_children[0].child_by_field_name("pattern")
                if given is not None and given.named_children
                else None
            )
            if first is not None and self._is_prop(first, name, call):
                yield call

    def _is_prop(self, props: Node, name: str, at: Node) -> bool:
        """Return True if a name at a node refers to a prop of a component."""
        code = self.code
        if props.type == "identifier":
            return name.startswith(f"{code.text(props)}.") and name.count(".") == 1
        declared = code.declaration(name, at)
        return props.type == "object_pattern" and declared == props.parent and name in code.names_in(props)

    def _copiers(self) -> Iterator[Node]:
        """Yield the functions that return a copy of their first argument."""
        from wardround.languages.script.code import bare, function_around, returned

        code = self.code
        for spread in code.kinds("spread_element"):
            function = function_around(spread)
            if function is None or not code.name_of(function) or function.type == "method_definition":
                continue
            given = _parameters(function)
            if not given or code.field(given[0], "pattern") != code.text(spread)[3:]:
                continue
            for result in map(bare, returned(function)):
                remaining = code.value_of(code.text(result), result) if result is not None else None
                if spread.parent in (result, remaining):
                    yield function
                    break

    def _changers(self) -> Iterator[Node]:
        """Yield the reducers and the functions passed to the setter of a state."""
        from wardround.languages.script.code import FUNCTIONS, argument

        code = self.code
        for function in code.kinds(*sorted(FUNCTIONS)):
            if _REDUCER.search(code.name_of(function)) and len(_parameters(function)) >= 2:
                yield function
        for called, call in code.calls:
            if _UPDATER.search(called) and called in code.declared:
                value = argument(call, _FIRST)
                if value is not None and value.type in FUNCTIONS:
                    yield value

    def _of_state(self, function: Node) -> set[str]:
        """Return the name of the state, and the names bound to parts of it."""
        from wardround.languages.script.code import own_nodes

        code = self.code
        given = _parameters(function)
        lone = function.child_by_field_name("parameter")
        first = code.text(lone) if lone is not None else code.field(given[0], "pattern") if given else ""
        if not first.isidentifier():
            return set()
        names = {first}
        for node in own_nodes(function):
            if node.type == "variable_declarator" and self._is_copy(node.child_by_field_name("value"), names):
                names.update(self._marks(node))
            elif node.type == "variable_declarator" and self._is_state_part(
                node.child_by_field_name("value"), names
            ):
                names.update(self._bound(node.child_by_field_name("name")))
            elif node.type == "assignment_expression" and code.field(node, "left") in names:
                return set()
        return names

    def _bound(self, pattern: Node | None) -> Iterator[str]:
        """Yield the names that a pattern binds to parts of a value; ``...rest`` is a copy."""
        if pattern is not None and pattern.type == "object_pattern":
            for one in pattern.named_children:
                if one.type != "rest_pattern":
                    yield from self.code.names_in(one)
        elif pattern is not None and pattern.type == "identifier":
            yield self.code.text(pattern)

    def _is_state_part(self, value: Node | None, names: set[str]) -> bool:
        """Return True if a value is a part of the state and not a copy of one."""
        from wardround.languages.script.code import bare

        code = self.code
        one = bare(value)
        if one is None or one.type not in _PRESERVING:
            return False
        if one.type == "identifier":
            return code.text(one) in names
        if one.type in ("member_expression", "subscript_expression"):
            holder = one.child_by_field_name("object")
            is_shared = f"{code.text(holder)}." in names and not self._is_own(one, names)
            return is_shared or self._is_state_part(holder, names)
        if _TAKING.search(code.called(one)):
            owner = one.child_by_field_name("function")
            holder = owner.child_by_field_name("object") if owner is not None else None
            return f"{code.text(holder)}." in names or self._is_state_part(holder, names)
        return self._is_returned_by_helper(one, names)

    def _is_returned_by_helper(self, call: Node, names: set[str]) -> bool:
        """Return True if a function of the file returns a part of the state that is its first argument."""
        from wardround.languages.script.code import argument, returned

        called = self.code.called(call)
        helper = self.code.function_of(called, call) if "." not in called else None
        first = argument(call, _FIRST)
        if helper is None or first is None or not self._is_state_part(first, names):
            return False
        own = self._of_state(helper) if helper.start_byte not in self._open else set[str]()
        self._open.add(helper.start_byte)
        is_taken = any(self._is_state_part(value, own) for value in returned(helper))
        self._open.discard(helper.start_byte)
        return is_taken

    def _changes(self, function: Node, names: set[str]) -> Iterator[Node]:
        from wardround.languages.script.code import own_nodes

        for node in own_nodes(function):
            if node.type == "call_expression":
                if self._is_mutating_call(node, names):
                    yield node
            elif self._is_part(self._target(node), names):
                yield node

    def _target(self, node: Node) -> Node | None:
        """Return the expression that an assignment, an update or a deletion changes."""
        if node.type in ("assignment_expression", "augmented_assignment_expression"):
            return node.child_by_field_name("left")
        is_deletion = node.type == "unary_expression" and self.code.field(node, "operator") == "delete"
        if node.type == "update_expression" or is_deletion:
            return node.child_by_field_name("argument")
        return None

    def _is_mutating_call(self, call: Node, names: set[str]) -> bool:
        from wardround.languages.script.code import argument

        called, owner = self.code.called(call), call.child_by_field_name("function")
        held = owner.child_by_field_name("object") if owner is not None else None
        if called.rpartition(".")[2] in _CHANGING and self._is_state_part(held, names):
            return True
        return called == "Object.assign" and self._is_state_part(argument(call, _FIRST), names)

    def _is_part(self, target: Node | None, names: set[str]) -> bool:
        if target is None or target.type not in ("member_expression", "subscript_expression"):
            return False
        holder = target.child_by_field_name("object")
        return not self.code.text(target).endswith(".current") and self._is_state_part(holder, names)

    def _is_copy(self, value: Node | None, names: set[str]) -> bool:
        """Return True if a value is a shallow copy of the state."""
        from wardround.languages.script.code import bare

        one = bare(value)
        if one is not None and one.type in ("object", "array"):
            spread = [part for part in one.named_children if part.type == "spread_element"]
            return any(self._is_state_part(part.named_children[0], names) for part in spread)
        found = _SLICED.search(self.code.text(one)) if one is not None else None
        return found is not None and found["list"] in names

    def _marks(self, copy: Node) -> Iterator[str]:
        """Return the names of a copy: with a trailing dot, and with each of its own keys."""
        from wardround.languages.script.code import bare

        name, value = self.code.field(copy, "name"), bare(copy.child_by_field_name("value"))
        yield f"{name}."
        for one in value.named_children if value is not None and value.type == "object" else ():
            if one.type in ("pair", "shorthand_property_identifier"):
                yield f"{name}.{self.code.field(one, 'key') or self.code.text(one)}"

    def _is_own(self, part: Node, names: set[str]) -> bool:
        """Return True if a part of a copy is not shared: written with it, or assigned later."""
        path = self.code.text(part)
        made = self.code.kinds("assignment_expression")
        return path in names or any(self.code.field(one, "left") == path for one in made)


def _parameters(function: Node) -> list[Node]:
    given = function.child_by_field_name("parameters")
    return (
        [one for one in given.named_children if one.type.endswith("parameter")] if given is not None else []
    )
