"""TS033: unchecked database error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_STARTS = frozenset({"from", "rpc"})
_WRITES = frozenset({"insert", "update", "upsert", "delete", "rpc", "upload", "remove", "move", "copy"})
_READS = frozenset({"select", "download", "list", "createSignedUrl", "createSignedUrls"})
_ONE_ROW = frozenset({"single", "maybeSingle"})
_READ_LATER = ("data", "count", "status")


class UncheckedDatabaseError(TreeCheck):
    """The error of a database request is not checked.

    Supabase's client does not throw: a rejected or failed request resolves to a result with an error and null
    data. Unchecked, a lost write appears as a successful one and a failed query like an empty table. Check
    ``error`` of the result, or add ``.throwOnError()``.
    """

    ID = "TS033"
    NAME = "unchecked-database-error"
    DEFECT_CLASS = "unchecked-database-error"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("upabase",)
    ALSO = ((".from(", ".rpc("), ("await ",))
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            const { data, error } = await supabase.from('rows').select();
            if (error) throw error;
            show(data);
        """),
        code("""
            const { data: rows } = await supabase.from('rows').select();
            if (!rows) throw new Error('no rows');
            show(rows);
        """),
    ]
    INVALID = [
        code("""
            async function rows(supabase) {
              const «{ data }» = await supabase
                .from('rows')
                .select('*');
              return data ?? [];
            }
        """),
        code("""
            const supabase = createClient();
            async function close(id) {
              «await supabase.from('rows').update({ open: false }).eq('id', id)»;
              done();
            }
        """),
    ]

    def check(self) -> None:
        for awaited in self.code.kinds("await_expression"):
            steps = self._steps(awaited.named_children[0])
            if not _STARTS & set(steps) or "throwOnError" in steps or "select" in steps[: _first(steps)]:
                continue
            place, holder = awaited.parent, awaited
            if place is not None and place.type == "expression_statement" and _WRITES & set(steps):
                self.report_node(
                    holder,
                    "error of this write is never read, and it does not throw; check it",
                    Severity.WARN,
                )
            elif (
                place is not None and place.type == "variable_declarator" and (_WRITES | _READS) & set(steps)
            ):
                self._check_result(place, steps)

    def _check_result(self, declarator: Node, steps: Sequence[str]) -> None:
        pattern = declarator.child_by_field_name("name")
        if pattern is None:
            return
        if pattern.type == "identifier":
            if self._is_half_read(declarator, self.code.text(pattern)):
                self.report_node(pattern, "only the data of this result is read; check its error")
        elif pattern.type == "object_pattern" and self._ignores_error(declarator, pattern, steps):
            self.report_node(
                pattern, "error of this result is ignored, so a failure looks like no rows; check it"
            )

    def _ignores_error(self, declarator: Node, pattern: Node, steps: Sequence[str]) -> bool:
        """Return True if a destructured result has no error and its data is read without a test."""
        keys = [
            self.code.text(one.named_children[0] if one.named_children else one)
            for one in pattern.named_children
        ]
        if "error" in keys or any(key.startswith("...") for key in keys):
            return False
        uses = [use for name in self.code.names_in(pattern) for use in self._uses(declarator, name)]
        if any(map(self._is_tested, uses)):
            return False
        return not _ONE_ROW & set(steps) or any(map(self._is_read_plainly, uses))

    def _steps(self, node: Node) -> list[str]:
        """Return the methods of a chain of calls, in order."""
        found: list[str] = []
        while node.type in ("call_expression", "member_expression", "as_expression"):
            if node.type == "member_expression":
                found.append(self.code.field(node, "property"))
            inner = node.child_by_field_name("function") or node.child_by_field_name("object")
            if inner is None:
                break
            node = inner
        return found[::-1]

    def _uses(self, declarator: Node, name: str) -> Iterator[Node]:
        code = self.code
        for node in code.named(name):
            if node.start_byte > declarator.end_byte and code.declaration(name, node) == declarator:
                yield node

    def _is_half_read(self, declarator: Node, name: str) -> bool:
        """Return True if only the data of a result is ever read."""
        uses = list(self._uses(declarator, name))
        return bool(uses) and all(
            use.parent is not None
            and use.parent.type == "member_expression"
            and self.code.field(use.parent, "property") in _READ_LATER[:2]
            and not self._is_tested(use.parent)
            for use in uses
        )

    def _is_tested(self, node: Node) -> bool:
        """Return True if a guard tests the presence of a value; ``?? []`` only covers its absence."""
        from wardround.languages.script.code import is_tested

        return is_tested(self.code, node) or self._is_asserted(node)

    def _is_asserted(self, node: Node) -> bool:
        given = node.parent
        call = given.parent if given is not None and given.type == "arguments" else None
        called = self.code.called(call).lower() if call is not None and call.type == "call_expression" else ""
        return "assert" in called or "invariant" in called or called.startswith("expect")

    def _is_read_plainly(self, node: Node) -> bool:
        """Return True if a field of the value is read without a test."""
        parent = node.parent
        return (
            parent is not None
            and parent.type in ("member_expression", "subscript_expression")
            and parent.child_by_field_name("object") == node
            and parent.child_by_field_name("optional_chain") is None
        )


def _first(steps: Sequence[str]) -> int:
    return next((place for place, step in enumerate(steps) if step in _STARTS), 0)
