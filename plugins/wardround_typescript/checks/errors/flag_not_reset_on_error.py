"""TS035: flag not reset on error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

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
            statements = [one for one in block.named_children if one.type != "comment"]
            for place, statement in enumerate(statements):
                flag = self._switched(statement, "true")
                if flag:
                    self._check_after(flag, block, statements[place + 1 :])

    def _check_after(self, flag: str, block: Node, after: Sequence[Node]) -> None:
        """Report the first await between setting and resetting a flag, if nothing else resets it."""
        for place, statement in enumerate(after):
            if self._switched(statement, "false") == flag:
                risky = [wait for one in after[:place] for wait in self._waits(one)]
                if risky and not self._is_reset(flag, block):
                    self.report_node(
                        risky[0], "if this fails, the flag set above is never reset; reset it in finally"
                    )
                return

    def _switched(self, statement: Node, to: str) -> str:
        """Return the flag that a statement sets to a boolean: the name of its setter or of the assigned
        variable.
        """
        code = self.code
        if statement.type != "expression_statement" or not statement.named_children:
            return ""
        inner = statement.named_children[0]
        if inner.type == "call_expression":
            called = code.called(inner)
            is_set = _SETTER.search(called) and code.field(inner, "arguments") == f"({to})"
        else:
            called = code.field(inner, "left") if inner.type == "assignment_expression" else ""
            is_set = called.endswith(".value") or called.startswith("this.")
            is_set = is_set and code.field(inner, "right") == to
        return called if is_set and _FLAG.search(called) else ""

    def _waits(self, statement: Node) -> list[Node]:
        """Yield the awaited expressions of a statement that may throw."""
        from wardround.languages.script.code import FUNCTIONS, awaited_call

        if statement.type == "try_statement" or _ANSWERED.search(self.code.text(statement)):
            return []
        if self._is_tested(statement):
            return []
        found: list[Node] = []
        open_ = [statement]
        while open_:
            one = open_.pop()
            inner = awaited_call(one)
            if inner is not None and not self._is_harmless(inner):
                found.append(one)
            open_.extend(
                child
                for child in one.named_children
                if child.type not in FUNCTIONS and child.type != "try_statement"
            )
        return sorted(found, key=lambda one: one.start_byte)

    def _is_harmless(self, call: Node) -> bool:
        """Return True for a call that does not throw: it only waits, or it consists of calls that catch
        errors.
        """
        from wardround.languages.script.code import argument

        code = self.code
        called = code.called(call)
        listed = argument(call, 0) if called == "Promise.all" else None
        if listed is not None and listed.type == "array":
            parts = listed.named_children
            return all(one.type == "call_expression" and self._is_harmless(one) for one in parts)
        function = code.function_of(called, call)
        return _HARMLESS.search(called) is not None or (
            function is not None and "catch" in code.text(function)
        )

    def _is_tested(self, statement: Node) -> bool:
        """Return True if the result is tested afterwards, as where failures are results and nothing is
        thrown.
        """
        from wardround.languages.script.code import is_tested

        code = self.code
        names = {
            name: one
            for one in statement.named_children
            if one.type == "variable_declarator"
            for name in code.names_in(one.child_by_field_name("name"))
        }
        return any(
            is_tested(code, node) or _is_unwrapped(code, node)
            for name, declared in names.items()
            for node in code.uses(declared, name)
        )

    def _is_reset(self, flag: str, block: Node) -> bool:
        """Return True if a handler or a finally around the block also resets the flag."""
        above: Node | None = block.parent
        while above is not None and above.type != "program":
            if above.type == "try_statement":
                ends = [one for one in above.named_children if one.type in ("catch_clause", "finally_clause")]
                if any(flag in self.code.text(one) for one in ends):
                    return True
            above = above.parent
        return False


def _is_unwrapped(code: Code, node: Node) -> bool:
    """Return True if a function such as ``isRight`` tests the value."""
    given = node.parent
    call = given.parent if given is not None and given.type == "arguments" else None
    return (
        call is not None and call.type == "call_expression" and _JUDGE.search(code.called(call)) is not None
    )
