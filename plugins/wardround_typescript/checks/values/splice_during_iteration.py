"""TS041: splice during iteration."""

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

_FORWARD = LazyPattern(r"\+\+|\+= 1\b")
_LEAVES = ("break_statement", "return_statement", "throw_statement")


class SpliceDuringIteration(TreeCheck):
    """A list is spliced during a forward loop, so the item after each removed one is skipped.

    The next item moves to the index of the removed one, and the loop continues with the index after it.
    Iterate from the end, decrement the index after the removal, or create a new list with ``filter``.
    """

    ID = "TS041"
    NAME = "splice-during-iteration"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "mutated-while-iterated"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = (".splice(",)
    ALSO = (("for (", "forEach("),)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            for (let i = rows.length - 1; i >= 0; i--) {
              if (isOld(rows[i])) rows.splice(i, 1);
            }
        """),
        code("""
            for (let i = 0; i < rows.length; i++) {
              if (isOld(rows[i])) {
                rows.splice(i, 1);
                i--;
              }
            }
        """),
    ]
    INVALID = [
        code("""
            for (let i = 0; i < rows.length; i++) {
              if (isOld(rows[i])) {
                «rows.splice(i, 1)»;
              }
            }
        """),
        code(
            """
            this.rows.forEach((row, at) => {
              if (isOld(row)) «this.rows.splice(at, 1)»;
            });
            """,
            path="a.js",
        ),
    ]

    def check(self) -> None:
        from wardround.languages.script.code import argument

        code = self.code
        for called, call in code.calls:
            if not called.endswith(".splice") or argument(call, 2) is not None or argument(call, 1) is None:
                continue
            walked = called.removesuffix(".splice")
            place = code.text(argument(call, 0))
            if any(self._walks(loop, walked, place) for loop in _loops_around(call)) and not self._leaves(
                call
            ):
                self.report_node(
                    call, "the item after the removed one is skipped; iterate from the end or use filter"
                )

    def _walks(self, loop: Node, walked: str, place: str) -> bool:
        """Return True if a loop iterates forward over the list and the index is that of the current item."""
        from wardround.languages.script.code import argument

        code = self.code
        if loop.type == "for_statement":
            step = code.field(loop, "increment")
            return (
                f"{walked}.length" in code.field(loop, "condition")
                and _FORWARD.search(step) is not None
                and step.strip("+= 1") == place
                and not any(back in code.field(loop, "body") for back in ("--", f"{place} -= 1"))
            )
        item = code.field(loop, "left").split(" ")[-1]
        if loop.type == "for_in_statement":
            return (
                code.field(loop, "right") == walked
                and code.field(loop, "operator") == "of"
                and place == f"{walked}.indexOf({item})"
            )
        if code.called(loop) != f"{walked}.forEach":
            return False
        value = code.field(code.function_meant(argument(loop, 0)), "parameters")
        names = [one.partition(":")[0].strip() for one in value.strip("()").split(",")]
        return place in (*names[1:2], f"{walked}.indexOf({names[0]})")

    def _leaves(self, call: Node) -> bool:
        """Return True if the loop ends right after the removal."""
        node: Node = call
        while node.parent is not None and node.parent.type != "statement_block":
            if node.type in _LEAVES:
                return True
            node = node.parent
        after = node.next_named_sibling
        while after is not None:
            if after.type in _LEAVES:
                return True
            after = after.next_named_sibling
        return False


def _loops_around(node: Node) -> Iterator[Node]:
    """Yield the loops around a node, and the call that receives the innermost function around it."""
    from wardround.languages.script.code import FUNCTIONS

    above = node.parent
    while above is not None:
        if above.type in ("for_statement", "for_in_statement"):
            yield above
        if above.type in FUNCTIONS:
            given = above.parent
            if given is not None and given.type == "arguments" and given.parent is not None:
                yield given.parent
            return
        above = above.parent
