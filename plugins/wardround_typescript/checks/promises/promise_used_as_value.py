"""TS065: promise used as value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_PREDICATES = LazyPattern(r"\.(filter|some|every|find|findIndex|findLast|findLastIndex|sort|toSorted)$")
_PROMISE_METHODS = frozenset({"then", "catch", "finally"})
_TESTED = frozenset({"if_statement", "while_statement", "do_statement"})
_UNPACKING = frozenset({"spread_element", "template_substitution", "for_in_statement"})
_OPERATORS = frozenset({"===", "!==", "==", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/"})


class PromiseUsedAsValue(TreeCheck):
    """A promise is used as if it were its resolved value.

    A promise is truthy, lacks the fields of the value, and prints as [object Promise]: ``filter`` keeps
    everything, the condition always holds. Await it first; for a list, await ``Promise.all`` of the results
    and filter by them.
    """

    ID = "TS065"
    NAME = "promise-used-as-value"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "async-predicate"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.ERROR
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("async", "Promise<", "import ")
    ALSO = (
        (
            "if (",
            "if(",
            ".filter(",
            ".some(",
            ".every(",
            ".find",
            ".sort(",
            ".toSorted(",
            "while (",
            " ? ",
            "&&",
            "===",
            "!",
            ").",
            " > ",
            " < ",
            "...",
            "${",
            " of ",
        ),
    )
    IN_TESTS = False
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            async function isOpen(row) {}
            async function open(rows) {
              if (await isOpen(rows[0])) return rows;
              const asked = await Promise.all(rows.map((row) => isOpen(row)));
              return rows.filter((_, at) => asked[at]);
            }
        """),
        code("""
            function isOpen(row) {}
            const open = rows.filter((row) => isOpen(row));
            load().then(show);
        """),
    ]
    INVALID = [
        code("""
            async function options() {
              return { a: 1 };
            }
            export const all = () => ({ ...«options()», b: 2 });
        """),
        code("""
            export async function f(get: () => Promise<string>) {
              return `name: ${«get()»}`;
            }
        """),
    ]

    def check(self) -> None:
        from wardround_typescript.analysis.promises import gives_promise, is_promising

        code, project = self.code, self.source.project
        for called, call in code.calls:
            if _PREDICATES.search(called):
                for node in self._results(call):
                    if node.type == "identifier":
                        if is_promising(code, code.text(node), node, project):
                            self.report_node(
                                node, "this returns a promise, which is always truthy; await it first"
                            )
                    elif gives_promise(code, node, project):
                        self.report_node(node, "this is a promise, which is always truthy; await it")
            if self._is_read(call) and gives_promise(code, call, project):
                self.report_node(call, "this is a promise used as its value; await it")

    def _results(self, call: Node) -> Iterator[Node]:
        """Yield the results of the callback passed to a predicate method, or its name."""
        from wardround.languages.script.code import FUNCTIONS, argument, bare, is_async, returned

        value = bare(argument(call, 0))
        if value is None:
            return
        if value.type == "identifier":
            yield value
        elif value.type in FUNCTIONS and not is_async(value):
            for result in returned(value):
                one = bare(result)
                while one is not None and one.type == "unary_expression":
                    one = bare(one.named_children[0])
                if one is not None and one.type == "call_expression":
                    yield one

    def _is_read(self, call: Node) -> bool:
        """Return True if the value of a call is read in place."""
        from wardround.languages.script.code import is_awaited

        node, above = call, call.parent
        while above is not None and above.type in ("parenthesized_expression", "non_null_expression"):
            if above.parent is not None and above.parent.type in _TESTED:
                return above.parent.child_by_field_name("condition") == above
            node, above = above, above.parent
        if above is None or is_awaited(call):
            return False
        if above.type == "member_expression":
            return (
                above.child_by_field_name("object") == node
                and self.code.field(above, "property") not in _PROMISE_METHODS
            )
        if above.type in _UNPACKING:
            return above.type != "for_in_statement" or above.child_by_field_name("right") == node
        if above.type == "unary_expression":
            return self.code.field(above, "operator") == "!"
        if above.type == "ternary_expression":
            return above.child_by_field_name("condition") == node
        if above.type == "binary_expression":
            return self._is_compared(above, node)
        return False

    def _is_compared(self, above: Node, node: Node) -> bool:
        operator = self.code.field(above, "operator")
        if operator in _OPERATORS:
            other = [one for one in above.named_children if one.id != node.id]
            return not any(one.type in ("null", "undefined") for one in other)
        if operator not in ("&&", "||") or above.child_by_field_name("left") != node:
            # The condition of an if may be a sum of conditions.
            top: Node | None = above
            while top is not None and top.type == "binary_expression":
                top = top.parent
            return (
                operator in ("&&", "||")
                and top is not None
                and top.type == "parenthesized_expression"
                and top.parent is not None
                and top.parent.type in _TESTED
            )
        return operator == "&&"
