"""TS068."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround.late import LatePattern
from wardround_typescript.tree_check import TreeCheck

if TYPE_CHECKING:
    from wardround_typescript.syntax import Node

_REDUCER = LatePattern(r"(?i)reducer$")
_UPDATER = LatePattern(r"^set[A-Z]\w*$")
_IMMER = LatePattern(
    r"\b(immer|createSlice|createReducer|produce|useImmer\w*|redux-starter-kit"
    r"|mutative|combineReducersWithImmer)\b"
)
_CHANGING = frozenset({"push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill", "copyWithin"})
_TAKING = LatePattern(r"\.(find|findLast|at|get)$")
_PRESERVING = frozenset(
    {"member_expression", "subscript_expression", "non_null_expression", "call_expression", "identifier"}
)
_FIRST = 0


class StateChanged(TreeCheck):
    """The state before is changed here, and React or Redux compares the new one with it.

    What was taken out of the state is still the same object: to change it changes what earlier renders,
    other subscribers and the history see, and a comparison finds no difference. Make a copy with the
    change in it.
    """

    ID = "TS068"
    NAME = "earlier-state-changed"
    DEFECT_CLASS = "state-mutation"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (".ts", ".tsx", ".js", ".jsx")
    WORDS = ("educer", "set", ".sort(", ".reverse(", ".splice(")
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
        ("educer", "useState", "/>", "</"),
    )
    TRIED_ON = (
        "the trees of hoppscotch, langfuse, react-hook-form, redash, redux-toolkit, shadcn-ui/ui, "
        "formbricks, chainlit, chatbot-ui, lerna, webpack-cli, three Supabase starters and NodeBB "
        "(17,758 scripts): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "export function cartReducer(state, action) {\n"
            "  const line = { ...find(state, action.id) };\n"
            "  line.count -= 1;\n"
            "  const lines = [...state.lines];\n  lines.push(line);\n"
            "  return { ...state, lines };\n}\n",
            path="a.js",
        ),
        Valid(
            "import { createSlice } from '@reduxjs/toolkit';\n"
            "export function rowReducer(state, action) {\n"
            "  state.rows.push(action.row);\n}\n",
            path="a.js",
        ),
        Valid(
            "const [rows, setRows] = useState([]);\n"
            "setRows((old) => [...old].sort(byName));\n"
            "setRows((old) => old.filter(isOpen).reverse());\n",
            path="a.js",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "export function Board({ players }) {\n"
            "  const ranked = players.sort(byScore);\n"
            "  return <Rows rows={ranked} />;\n"
            "}\n",
            path="a.jsx",
            line=2,
            column=18,
        ),
        Invalid(
            "function findLine(state, id) {\n"
            "  return state.lines.find((line) => line.id === id);\n"
            "}\n"
            "export function cartReducer(state, action) {\n"
            "  const line = findLine(state, action.id);\n"
            "  line.count -= 1;\n"
            "  return { ...state };\n}\n",
            path="a.js",
            line=6,
            column=3,
        ),
        Invalid(
            "const rowsReducer = (state, action) => {\n"
            "  switch (action.type) {\n    case 'add':\n"
            "      state.rows.push(action.row);\n"
            "      return state;\n  }\n};\n",
            path="a.js",
            line=4,
            column=7,
        ),
        Invalid(
            "const [rows, setRows] = useState([]);\nsetRows((old) => {\n"
            "  const row = old[3];\n  row.open = true;\n"
            "  return [...old];\n});\n",
            path="a.jsx",
            line=4,
            column=3,
        ),
        Invalid(
            "const [rows, setRows] = useState([]);\nsetRows((old) => old.sort(byName));\n",
            path="a.jsx",
            line=2,
            column=18,
        ),
    ]

    def look(self) -> None:
        if _IMMER.search(self.code.module.text):
            return
        for node in self._sorted_props():
            self.say(node, "this changes the list that was handed in, in place: make a copy first")
        for function in self._changers():
            names = self._of_state(function)
            for node in self._changes(function, names) if names else ():
                self.say(node, "this changes the state before, which what renders is compared with")

    def _sorted_props(self) -> Iterator[Node]:
        """Lists of a component's props that are sorted or cut in place while it renders."""
        from wardround_typescript.code import function_around
        from wardround_typescript.components import is_component

        code = self.code
        for called, call in code.calls:
            name, _, method = called.rpartition(".")
            function = function_around(call)
            if (
                method not in ("sort", "reverse", "splice")
                or function is None
                or not is_component(code, function)
            ):
                continue
            given = function.child_by_field_name("parameters")
            first = (
                given.named_children[0].child_by_field_name("pattern")
                if given is not None and given.named_children
                else None
            )
            if first is not None and (
                (first.type == "object_pattern" and name in code.names_in(first))
                or (
                    first.type == "identifier"
                    and name.startswith(f"{code.text(first)}.")
                    and name.count(".") == 1
                )
            ):
                yield call

    def _changers(self) -> Iterator[Node]:
        """Reducers, and functions handed to the setter of a state."""
        from wardround_typescript.code import FUNCTIONS, argument

        code = self.code
        for function in code.kinds(*sorted(FUNCTIONS)):
            if _REDUCER.search(code.name_of(function)) and len(_parameters(function)) >= 2:
                yield function
        for called, call in code.calls:
            if _UPDATER.search(called) and called in code.declared:
                given = argument(call, _FIRST)
                if given is not None and given.type in FUNCTIONS:
                    yield given

    def _of_state(self, function: Node) -> set[str]:
        """The state's own name, and the names of what is taken out of it as it is."""
        from wardround_typescript.code import own_nodes

        code = self.code
        given = _parameters(function)
        lone = function.child_by_field_name("parameter")
        first = code.text(lone) if lone is not None else code.field(given[0], "pattern") if given else ""
        if not first.isidentifier():
            return set()
        names = {first}
        for node in own_nodes(function):
            if node.type == "variable_declarator" and self._is_taken(
                node.child_by_field_name("value"), names
            ):
                names.add(code.field(node, "name"))
            elif node.type == "assignment_expression" and code.field(node, "left") in names:
                return set()
        return names

    def _is_taken(self, value: Node | None, names: set[str]) -> bool:
        """Whether a value is a part of the state, and no copy of one."""
        from wardround_typescript.code import argument, bare, returned

        code = self.code
        one = bare(value)
        if one is None or one.type not in _PRESERVING:
            return False
        if one.type == "identifier":
            return code.text(one) in names
        if one.type in ("member_expression", "subscript_expression"):
            return self._is_taken(one.child_by_field_name("object"), names)
        called = code.called(one)
        if _TAKING.search(called):
            owner = one.child_by_field_name("function")
            return owner is not None and self._is_taken(owner.child_by_field_name("object"), names)
        helper = code.function_of(called, one) if "." not in called else None
        first = argument(one, _FIRST)
        if helper is None or first is None or not self._is_taken(first, names):
            return False
        given = _parameters(helper)
        name = code.field(given[0], "pattern") if given else ""
        return any(self._is_taken(answer, {name}) for answer in returned(helper))

    def _changes(self, function: Node, names: set[str]) -> Iterator[Node]:
        from wardround_typescript.code import argument, own_nodes

        code = self.code
        for node in own_nodes(function):
            if node.type in ("assignment_expression", "augmented_assignment_expression"):
                if self._is_part(node.child_by_field_name("left"), names):
                    yield node
            elif node.type == "update_expression" or (
                node.type == "unary_expression" and code.field(node, "operator") == "delete"
            ):
                if self._is_part(node.child_by_field_name("argument"), names):
                    yield node
            elif node.type == "call_expression":
                called, owner = code.called(node), node.child_by_field_name("function")
                held = owner.child_by_field_name("object") if owner is not None else None
                if (called.rpartition(".")[2] in _CHANGING and self._is_taken(held, names)) or (
                    called == "Object.assign" and self._is_taken(argument(node, _FIRST), names)
                ):
                    yield node

    def _is_part(self, target: Node | None, names: set[str]) -> bool:
        if target is None or target.type not in ("member_expression", "subscript_expression"):
            return False
        return not self.code.text(target).endswith(".current") and self._is_taken(target, names)


def _parameters(function: Node) -> list[Node]:
    given = function.child_by_field_name("parameters")
    return (
        [one for one in given.named_children if one.type.endswith("parameter")] if given is not None else []
    )
