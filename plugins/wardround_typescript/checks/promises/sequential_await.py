"""TS043: sequential await."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node


class SequentialAwait(TreeCheck):
    """A promise that is already running is awaited only after another one.

    Nothing handles the second promise while the first is awaited: if it fails meanwhile, or the first throws,
    its error is an unhandled rejection, which ends a Node process. Await both with ``Promise.all``.
    """

    ID = "TS043"
    NAME = "sequential-await"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "unhandled-rejection"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.INFO
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("await ",)
    ALSO = (("const ", "let "),)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            const a = getA();
            const b = getB();
            const [x, y] = await Promise.all([a, b]);
        """),
        code("""
            const a = getA();
            const x = await a;
            const b = getB(x);
            const y = await b;
        """),
    ]
    INVALID = [
        code("""
            async function load(id) {
              const a = getA(id);
              const b = getB(id);
              return [await a, «await b»];
            }
        """),
        code("""
            const user = getUser(id);
            const rows = getRows(id);
            const found = (await user).name;
            show(found, «await rows»);
        """),
    ]

    def check(self) -> None:
        from wardround.languages.script.code import function_around

        code = self.code
        waited: dict[int, list[tuple[Node, Node]]] = {}
        for node in code.kinds("await_expression"):
            name = code.text(node.named_children[0]) if node.named_children[0].type == "identifier" else ""
            started = code.declaration(name, node) if name else None
            if started is not None and self._is_started(started, node):
                function = function_around(node)
                waited.setdefault(function.id if function else 0, []).append((node, started))
        for pairs in waited.values():
            self._check_block(sorted(pairs, key=lambda pair: pair[0].start_byte))

    def _is_started(self, declarator: Node, awaited: Node) -> bool:
        """Return True if a variable holds the result of a call in the same function and is only awaited."""
        from wardround.languages.script.code import function_around, is_awaited

        code = self.code
        value = declarator.child_by_field_name("value")
        name = declarator.child_by_field_name("name")
        if value is None or name is None or value.type != "call_expression" or name.type != "identifier":
            return False
        if (
            is_awaited(value)
            or ".catch(" in code.text(value)
            or function_around(declarator) != function_around(awaited)
        ):
            return False
        uses = [
            node
            for node in code.named(code.text(name))
            if code.declaration(code.text(name), node) == declarator
        ]
        return len(uses) == 2

    def _check_block(self, pairs: Sequence[tuple[Node, Node]]) -> None:
        """Report the first await of a promise that was started before another await."""
        first, _ = pairs[0]
        for node, started in pairs[1:]:
            if started.end_byte < first.start_byte:
                self.report_node(
                    node,
                    "promise is unhandled while another one is awaited; await both with Promise.all",
                )
                return
