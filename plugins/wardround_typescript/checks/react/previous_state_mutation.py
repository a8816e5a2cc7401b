from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import child, first_part, has_kind, is_kind

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node
    from wardround_typescript.analysis.state_parts import StateParts

_REDUCER = LazyPattern(r"(?i)reducer$")
_UPDATER = LazyPattern(r"^set[A-Z]\w*$")
_IMMER = LazyPattern(
    r"\b(immer|createSlice|createReducer|produce|useImmer\w*|redux-starter-kit"
    r"|mutative|combineReducersWithImmer)\b"
)
_CHANGING = frozenset({"push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill", "copyWithin"})
_MUTATING_METHODS = frozenset({"sort", "reverse", "splice"})
_PARTS = ("member_expression", "subscript_expression")
_ASSIGNMENTS = ("assignment_expression", "augmented_assignment_expression")


class PreviousStateMutation(TreeCheck):
    """The previous state, with which React or Redux compares the new one, is mutated.

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
    def _parts(self) -> StateParts:
        from wardround_typescript.analysis.state_parts import StateParts  # loads the parser

        return StateParts(self.code)

    def check(self) -> None:
        if _IMMER.search(self.code.module.text):
            return
        for call in self._sorted_props():
            self.report_node(call, "list argument is mutated in place; copy it first")
        changers = list(self._changers())
        for function in changers:
            self._check_function(function, "previous state is mutated; return a new object")
        seen = {function.id for function in changers}
        for function in self._copying_functions():
            if function.id not in seen:
                self._check_function(function, "reducer mutates its input; return a new object")

    def _check_function(self, function: Node, message: str) -> None:
        names = self._parts.names(function)
        for node in self._changes(function, names) if names else ():
            self.report_node(node, message)

    def _sorted_props(self) -> Iterator[Node]:
        """Yield the lists of a component's props that are sorted or spliced in place during rendering."""
        from wardround_typescript.analysis.react_components import component_around, is_component

        for called, call in self.code.calls:
            name, _, method = called.rpartition(".")
            if method not in _MUTATING_METHODS:
                continue
            function = component_around(self.code, call)
            if function is None or not is_component(self.code, function):
                continue
            props = child(first_part(child(function, "parameters")), "pattern")
            if props is not None and self._is_prop(props, name, call):
                yield call

    def _is_prop(self, props: Node, name: str, at: Node) -> bool:
        """Return True if a name at a node refers to a prop of a component."""
        if props.type == "identifier":
            return name.startswith(f"{self.text(props)}.") and name.count(".") == 1
        if props.type != "object_pattern" or name not in self.code.names_in(props):
            return False
        return self.code.declaration(name, at) == props.parent

    def _copying_functions(self) -> Iterator[Node]:
        """Yield the functions that return a copy of their first argument."""
        from wardround.languages.script.code import function_around
        from wardround_typescript.analysis.state_parts import parameters_of

        for spread in self.code.kinds("spread_element"):
            function = function_around(spread)
            if function is None or not self.code.name_of(function) or function.type == "method_definition":
                continue
            first = next(iter(parameters_of(function)), None)
            if first is None or self.code.field(first, "pattern") != self.text(spread)[3:]:
                continue
            if any(spread.parent == result for result in self._results(function)):
                yield function

    def _results(self, function: Node) -> Iterator[Node | None]:
        """Yield the results of a function, and the values of those that are variables."""
        from wardround.languages.script.code import bare, returned_expressions

        for result in map(bare, returned_expressions(function)):
            yield result
            if result is not None:
                yield self.code.value_of(self.text(result), result)

    def _changers(self) -> Iterator[Node]:
        """Yield the reducers and the functions passed to the setter of a state."""
        from wardround.languages.script.code import FUNCTIONS, argument
        from wardround_typescript.analysis.state_parts import parameters_of

        for function in self.code.kinds(*sorted(FUNCTIONS)):
            if _REDUCER.search(self.code.name_of(function)) and len(parameters_of(function)) >= 2:
                yield function
        for called, call in self.code.calls:
            if not _UPDATER.search(called) or called not in self.code.declared:
                continue
            updater = argument(call, 0)
            if has_kind(updater, FUNCTIONS):
                yield updater

    def _changes(self, function: Node, names: set[str]) -> Iterator[Node]:
        from wardround.languages.script.code import own_nodes

        for node in own_nodes(function):
            if node.type == "call_expression":
                if self._is_mutating_call(node, names):
                    yield node
            elif self._is_state_part(self._target(node), names):
                yield node

    def _target(self, node: Node) -> Node | None:
        """Return the expression that an assignment, an update or a deletion changes."""
        if node.type in _ASSIGNMENTS:
            return child(node, "left")
        if node.type == "update_expression":
            return child(node, "argument")
        is_deletion = node.type == "unary_expression" and self.code.field(node, "operator") == "delete"
        return child(node, "argument") if is_deletion else None

    def _is_mutating_call(self, call: Node, names: set[str]) -> bool:
        from wardround.languages.script.code import argument

        called = self.code.callee(call)
        owner = child(child(call, "function"), "object")
        if called.rpartition(".")[2] in _CHANGING and self._parts.is_part_of_state(owner, names):
            return True
        return called == "Object.assign" and self._parts.is_part_of_state(argument(call, 0), names)

    def _is_state_part(self, target: Node | None, names: set[str]) -> bool:
        if not is_kind(target, *_PARTS) or self.text(target).endswith(".current"):
            return False
        return self._parts.is_part_of_state(child(target, "object"), names)
