from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import arguments, child, has_kind, is_kind, parts

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_FUNCTION = ("function_declaration", "arrow_function", "function_expression")
_HANDED_ON = frozenset({"next", "req", "res", "ctx"})


class CallSignatureMismatch(TreeCheck):
    """A call passes too many arguments, or uses the result of a function that returns nothing.

    JavaScript drops the extra arguments, and a function without ``return`` yields ``undefined``. TypeScript
    reports both; plain JavaScript runs them. Remove the extra arguments, add the parameters, or return a
    value.
    """

    ID = "TS090"
    NAME = "call-signature-mismatch"
    DEFECT_CLASS = "bad-call-arguments"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (".js", ".jsx", ".mjs", ".cjs")
    WORDS = ("function ", "=>")
    CASE_PATH = "a.js"
    VALID = [
        code("""
            function area(w, h) {
              return w * h;
            }
            const a = area(1, 2);
        """),
        code("""
            function sum() {
              return add(...arguments);
            }
            const a = sum(1, 2);
        """),
    ]
    INVALID = [
        code("""
            function area(w, h) {
              return w * h;
            }
            export const a = «area(1, 2, 3)»;
        """),
        code("""
            function say(x) {
              log(x);
            }
            const said = «say(1)»;
        """),
    ]

    def check(self) -> None:
        for called, call in self.code.calls:
            function = self.code.function_of(called, call) if called.isidentifier() else None
            if has_kind(function, _FUNCTION) and not self._is_changed(called):
                self._check_call(called, call, function)

    def _check_call(self, called: str, call: Node, function: Node) -> None:
        if self._is_too_many(function, call):
            self.report_node(
                call,
                f"{called} does not take this many arguments; remove the extra ones or add parameters",
                Severity.INFO,
            )
        elif self._is_assigned(call) and self._returns_nothing(function):
            self.report_node(
                call,
                f"{called} returns nothing, so this is undefined; return a value or do not use the result",
            )

    def _is_changed(self, name: str) -> bool:
        """Return True if another value is assigned to the name."""
        if len(self.code.declared.get(name, ())) > 1:
            return True
        assignments = self.code.kinds("assignment_expression")
        return any(self.code.field(assignment, "left") == name for assignment in assignments)

    def _is_too_many(self, function: Node, call: Node) -> bool:
        accepted = self._parameter_count(function)
        passed = [value for value in arguments(call) if value.type != "comment"]
        if accepted is None or any(value.type == "spread_element" for value in passed):
            return False
        further = passed[accepted:]
        # Arguments that every handler of a server passes on are not a mistake.
        if all(self.code.text(value) in _HANDED_ON for value in further):
            return False
        return "arguments" not in self.code.field(function, "body")

    def _parameter_count(self, function: Node) -> int | None:
        """Return the number of parameters; None if a rest parameter takes any number."""
        listed = child(function, "parameters")
        if listed is None:
            return 1
        parameters = [part for part in listed.named_children if part.type != "comment"]
        return None if any(map(_is_rest_parameter, parameters)) else len(parameters)

    def _is_assigned(self, call: Node) -> bool:
        """Return True if a variable is assigned the result of the call."""
        target = call.parent
        if is_kind(target, "assignment_expression"):
            return child(target, "right") == call
        return is_kind(target, "variable_declarator")

    def _returns_nothing(self, function: Node) -> bool:
        from wardround.languages.script.code import is_async, own_nodes

        body = child(function, "body")
        if not is_kind(body, "statement_block") or not parts(body) or is_async(function):
            return False
        return not any(map(_has_result, own_nodes(function)))


def _is_rest_parameter(parameter: Node) -> bool:
    return is_kind(parameter, "rest_pattern") or is_kind(child(parameter, "pattern"), "rest_pattern")


def _has_result(node: Node) -> bool:
    """Return True for a statement that throws, or returns a value."""
    if node.type == "return_statement":
        return bool(node.named_children)
    return node.type == "throw_statement"
