"""TS043."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node


class SequentialAwait(TreeCheck):
    """A promise that was started already is awaited only after another one.

    While the first is awaited nobody listens to the second: if that fails meanwhile, or the first
    throws, its error is an unhandled rejection, which ends a Node process. Await them together with
    ``Promise.all``.
    """

    ID = "TS043"
    NAME = "sequential-await"
    DEFECT_CLASS = "unhandled-rejection"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.INFO
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("await ",)
    ALSO = (("const ", "let "),)
    TRIED_ON = (
        "the trees of hoppscotch, langfuse, formbricks, documenso (in part), redash, NodeBB, chatbot- "
        "ui, redux-toolkit, react-hook-form, TanStack/query, supabase/storage, lerna, chainlit and "
        "four Supabase starters (15,632 scripts): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "const a = getA();\nconst b = getB();\nconst [x, y] = await Promise.all([a, b]);\n", path="a.ts"
        ),
        Valid("const a = getA();\nconst x = await a;\nconst b = getB(x);\nconst y = await b;\n", path="a.ts"),
        Valid(
            "const a = getA();\nconst b = getB();\nb.catch(report);\nconst x = await a;\n"
            "const y = await b;\n",
            path="a.ts",
        ),
        Valid(
            "const { params } = props;\nconst id = await params;\nconst rows = await search;\n", path="a.ts"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "async function load(id) {\n  const a = getA(id);\n  const b = getB(id);\n"
            "  return [await a, await b];\n}\n",
            path="a.ts",
            line=4,
            column=20,
        ),
        Invalid(
            "const user = getUser(id);\nconst rows = getRows(id);\nconst found = (await user).name;\n"
            "show(found, await rows);\n",
            path="a.ts",
            line=4,
            column=13,
        ),
        Invalid(
            "const a = getA();\nconst b = getB();\nconst c = getC();\nconst one = await a;\n"
            "const two = await b;\n"
            "const three = await c;\n",
            path="a.ts",
            line=5,
            column=13,
        ),
    ]

    def look(self) -> None:
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
            self._look_at(sorted(pairs, key=lambda pair: pair[0].start_byte))

    def _is_started(self, declarator: Node, awaited: Node) -> bool:
        """Whether a variable holds what a call gave in the same function, and only the wait uses it."""
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

    def _look_at(self, pairs: Sequence[tuple[Node, Node]]) -> None:
        """Report the first wait for what had been started before another wait began."""
        first, _ = pairs[0]
        for node, started in pairs[1:]:
            if started.end_byte < first.start_byte:
                self.say(
                    node,
                    "this was started long before; if it fails while another is awaited, nobody hears of it",
                )
                return
