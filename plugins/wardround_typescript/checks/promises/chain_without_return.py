"""TS088: chain without return."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_FUNCTION = ("arrow_function", "function_expression")


class ChainWithoutReturn(TreeCheck):
    """A step of a promise chain returns nothing, and the next step reads its result.

    The next function receives ``undefined``, and the operation started here is not awaited. Return it.
    """

    ID = "TS088"
    NAME = "chain-without-return"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "promise-chain-without-return"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = (".then(",)
    CASE_PATH = "a.js"
    VALID = [
        code("""
            load().then((a) => {
              return more(a);
            }).then((b) => show(b));
        """),
        code("""
            load().then((a) => {
              keep(a);
            }).then(() => show());
        """),
    ]
    INVALID = [
        code("""
            load().then((a) => {
              «if (a.ok) {
                return more(a);
              }»
            }).then((b) => b.rows);
        """),
        code("""
            load().then((a) => {
              «more(a);»
            }).then((b) => show(b));
        """),
    ]

    def check(self) -> None:
        from wardround.languages.script.code import argument, bare

        for called, call in self.code.calls:
            step = bare(argument(call, 0)) if called.endswith(".then") else None
            if step is None or step.type not in _FUNCTION or not self._gives_nothing(step):
                continue
            follower = bare(self._next_step(call))
            if follower is not None and follower.type in _FUNCTION and self._reads(follower):
                self.report_node(
                    self._last(step),
                    "next step reads the result of this one, which returns nothing; return it",
                )

    def _gives_nothing(self, function: Node) -> bool:
        from wardround.languages.script.code import own_nodes

        body = function.child_by_field_name("body")
        return (
            body is not None
            and body.type == "statement_block"
            and bool(body.named_children)
            and (
                not any(node.type in ("return_statement", "throw_statement") for node in own_nodes(function))
                or self._ends_in_if(body)
            )
        )

    def _ends_in_if(self, body: Node) -> bool:
        """Return True if the function returns only in a final condition and otherwise reaches its end."""
        *before, last = body.named_children
        then = last.child_by_field_name("consequence") if last.type == "if_statement" else None
        if then is None or last.child_by_field_name("alternative") is not None:
            return False
        returns = then.named_children[-1:] if then.type == "statement_block" else [then]
        plain = ("expression_statement", "lexical_declaration", "comment")
        return all(one.type in plain for one in before) and any(
            one.type == "return_statement" and bool(one.named_children) for one in returns
        )

    def _next_step(self, call: Node) -> Node | None:
        """Return the function passed to the next ``then`` of a chain, past a ``catch`` between them."""
        from wardround.languages.script.code import argument

        above: Node | None = call
        while above is not None and above.parent is not None and above.parent.type == "member_expression":
            name, outer = self.code.field(above.parent, "property"), above.parent.parent
            if outer is None or outer.type != "call_expression":
                return None
            if name == "then":
                return argument(outer, 0)
            above = outer if name in ("catch", "finally") else None
        return None

    def _reads(self, function: Node) -> bool:
        code = self.code
        first = function.child_by_field_name("parameter")
        listed = function.child_by_field_name("parameters")
        if first is None and listed is not None and listed.named_children:
            first = listed.named_children[0]
            first = first.child_by_field_name("pattern") or first
        if first is None:
            return False
        body = function.child_by_field_name("body")
        return body is not None and any(
            body.start_byte <= node.start_byte < body.end_byte
            for name in code.names_in(first)
            for node in code.named(name)
        )

    def _last(self, function: Node) -> Node:
        """Return the call that ends a function body and should have been returned; else the function."""
        body = function.child_by_field_name("body")
        last = body.named_children[-1] if body is not None else function
        if last.type == "if_statement":
            return last
        is_call = last.type == "expression_statement" and last.named_children[0].type == "call_expression"
        return last if is_call else function
