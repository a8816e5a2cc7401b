from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck
from wardround_typescript.syntax.nodes import ancestors, call_with, child, first_part, is_kind

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node

_FLAG = LazyPattern(
    r"(?i)(load|busy|pend|sav|submit|fetch|process|updat|delet|remov|upload|send|wait|working|refresh|sync|creat"
    r"|import|export|generat|connect|verif|progress|spinner|disabled|locked)"
)
_SETTER = LazyPattern(r"^set[A-Z]")
_HARMLESS = LazyPattern(
    r"(?i)^(?:\w+\.)*(?:sleep|delay|wait|nextTick|tick|setTimeout|Promise\.allSettled|safe\w*)$"
)
_JUDGE = LazyPattern(r"(?:^|\.)is[A-Z]\w*$")
_ANSWERED = LazyPattern(r"(?i)error|success|\bok\b|\.catch\(|throwOnError|supabase|\bnew Promise\b")
_RESETTING = frozenset({"catch_clause", "finally_clause"})


class FlagNotResetOnError(TreeCheck):
    """A flag that is set before an operation stays set if the operation fails.

    The error skips the line that resets the flag: the button stays disabled, the spinner keeps spinning.
    Reset it in ``finally``.
    """

    ID = "TS035"
    NAME = "flag-not-reset-on-error"
    DEFECT_CLASS = "missing-finally"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.INFO
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("(true)", "= true")
    ALSO = (("await ",), ("(false)", "= false"))
    CASE_PATH = "a.tsx"
    VALID = [
        code("""
            const save = async () => {
              setSaving(true);
              try {
                await store(row);
              } finally {
                setSaving(false);
              }
            };
        """),
        code("""
            const save = async () => {
              setSaving(true);
              const { error } = await store(row);
              setSaving(false);
              await sleep(3);
            };
        """),
    ]
    INVALID = [
        code("""
            const save = async () => {
              setSaving(true);
              «await store(row)»;
              setSaving(false);
            };
        """),
        code(
            """
            async function load() {
              loading.value = true
              rows.value = «await getRows()»
              loading.value = false
            }
            """,
            path="a.ts",
        ),
    ]

    def check(self) -> None:
        for block in self.code.kinds("statement_block"):
            statements = [statement for statement in block.named_children if statement.type != "comment"]
            for location, statement in enumerate(statements):
                flag = self._assigned_flag(statement, "true")
                if flag:
                    self._check_after(flag, block, statements[location + 1 :])

    def _check_after(self, flag: str, block: Node, after: Sequence[Node]) -> None:
        """Report the first await between setting and resetting a flag, if nothing else resets it."""
        flags = [self._assigned_flag(statement, "false") for statement in after]
        before_reset = after[: flags.index(flag)] if flag in flags else ()
        waits = [wait for statement in before_reset for wait in self._waits(statement)]
        if waits and not self._is_reset(flag, block):
            self.report_node(
                waits[0], "if this fails, the flag set above is never reset; reset it in finally"
            )

    def _assigned_flag(self, statement: Node, to: str) -> str:
        """Return the flag that a statement sets to a boolean: the name of its setter or of the assigned
        variable.
        """
        value = first_part(statement) if statement.type == "expression_statement" else None
        if is_kind(value, "call_expression"):
            flag = self.code.callee(value) if self.code.field(value, "arguments") == f"({to})" else ""
            is_flag = _SETTER.search(flag) is not None
        elif is_kind(value, "assignment_expression") and self.code.field(value, "right") == to:
            flag = self.code.field(value, "left")
            is_flag = flag.endswith(".value") or flag.startswith("this.")
        else:
            return ""
        return flag if is_flag and _FLAG.search(flag) else ""

    def _waits(self, statement: Node) -> list[Node]:
        """Return the awaited expressions of a statement that may throw."""
        from wardround.languages.script.code import awaited_call

        if statement.type == "try_statement" or _ANSWERED.search(self.code.text(statement)):
            return []
        if self._is_tested(statement):
            return []
        found: list[Node] = []
        for node in self._run_by(statement):
            call = awaited_call(node)
            if call is not None and not self._is_harmless(call):
                found.append(node)
        return sorted(found, key=lambda node: node.start_byte)

    def _run_by(self, statement: Node) -> Iterator[Node]:
        """Yield the nodes of a statement outside of nested functions and of ``try``."""
        from wardround.languages.script.code import FUNCTIONS

        waiting = [statement]
        while waiting:
            node = waiting.pop()
            yield node
            inner = (part for part in node.named_children if part.type not in FUNCTIONS)
            waiting.extend(part for part in inner if part.type != "try_statement")

    def _is_harmless(self, call: Node) -> bool:
        """Return True for a call that does not throw: it only waits, or it consists of calls that catch
        errors.
        """
        from wardround.languages.script.code import argument

        called = self.code.callee(call)
        listed = argument(call, 0) if called == "Promise.all" else None
        if is_kind(listed, "array"):
            return all(map(self._is_harmless_call, listed.named_children))
        if _HARMLESS.search(called):
            return True
        return "catch" in self.code.text(self.code.function_of(called, call))

    def _is_harmless_call(self, node: Node) -> bool:
        return node.type == "call_expression" and self._is_harmless(node)

    def _is_tested(self, statement: Node) -> bool:
        """Return True if the result is tested afterwards, as where failures are results and nothing is
        thrown.
        """
        declarators = [part for part in statement.named_children if part.type == "variable_declarator"]
        uses = (use for declarator in declarators for use in self._uses(declarator))
        return any(_is_tested_or_unwrapped(self.code, use) for use in uses)

    def _uses(self, declarator: Node) -> Iterator[Node]:
        for name in self.code.names_in(child(declarator, "name")):
            yield from self.code.uses(declarator, name)

    def _is_reset(self, flag: str, block: Node) -> bool:
        """Return True if a handler or a finally around the block also resets the flag."""
        tries = (around for around in ancestors(block) if around.type == "try_statement")
        ends = (part for around in tries for part in around.named_children if part.type in _RESETTING)
        return any(flag in self.code.text(end) for end in ends)


def _is_tested_or_unwrapped(code: Code, node: Node) -> bool:
    """Return True if a condition or a function such as ``isRight`` tests the value."""
    from wardround.languages.script.code import is_tested

    if is_tested(code, node):
        return True
    call = call_with(node)
    return is_kind(call, "call_expression") and _JUDGE.search(code.callee(call)) is not None
