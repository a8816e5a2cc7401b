"""TS090: call signature mismatch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround_typescript.check import TreeCheck

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
            if not called or not called.isidentifier():
                continue
            function = self.code.function_of(called, call)
            if function is None or function.type not in _FUNCTION or self._is_changed(called):
                continue
            if self._is_too_many(function, call):
                self.report_node(
                    call,
                    f"{called} does not take this many arguments; remove the extra ones or add parameters",
                    Severity.INFO,
                )
            elif self._is_assigned(call) and self._gives_nothing(function):
                self.report_node(
                    call,
                    f"{called} returns nothing, so this is undefined; return a value or do not use "
                    "the result",
                )

    def _is_changed(self, name: str) -> bool:
        """Return True if another value is assigned to the name."""
        code = self.code
        return len(code.declared.get(name, ())) > 1 or any(
            code.text(node.child_by_field_name("left")) == name
            for node in code.kinds("assignment_expression")
        )

    def _is_too_many(self, function: Node, call: Node) -> bool:
        argument_list = call.child_by_field_name("arguments")
        if argument_list is None or argument_list.type != "arguments":
            return False
        arguments = [child for child in argument_list.named_children if child.type != "comment"]
        accepted = self._parameter_count(function)
        if accepted is None or any(child.type == "spread_element" for child in arguments):
            return False
        further = arguments[accepted:]
        # Arguments that every handler of a server passes on are not a mistake.
        if not further or all(self.code.text(child) in _HANDED_ON for child in further):
            return False
        return "arguments" not in self.code.field(function, "body")

    def _parameter_count(self, function: Node) -> int | None:
        """Return the number of parameters; None if a rest parameter takes any number."""
        listed = function.child_by_field_name("parameters")
        if listed is None:
            return 1
        names = [child for child in listed.named_children if child.type != "comment"]
        if any("rest_pattern" in (child.type, _pattern(child).type) for child in names):
            return None
        return len(names)

    def _is_assigned(self, call: Node) -> bool:
        """Return True if a variable is assigned the result of the call."""
        above = call.parent
        if above is None:
            return False
        if above.type == "variable_declarator":
            return True
        return above.type == "assignment_expression" and above.child_by_field_name("right") == call

    def _gives_nothing(self, function: Node) -> bool:
        from wardround.languages.script.code import is_async, own_nodes

        body = function.child_by_field_name("body")
        if body is None or body.type != "statement_block" or not body.named_children or is_async(function):
            return False
        return not any(
            node.type == "throw_statement" or (node.type == "return_statement" and node.named_children)
            for node in own_nodes(function)
        )


def _pattern(parameter: Node) -> Node:
    return parameter.child_by_field_name("pattern") or parameter
