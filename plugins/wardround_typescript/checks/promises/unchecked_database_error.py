from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck
from wardround_typescript.syntax.nodes import call_with, child, first_part, is_kind

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_STARTS = frozenset({"from", "rpc"})
_WRITES = frozenset({"insert", "update", "upsert", "delete", "rpc", "upload", "remove", "move", "copy"})
_READS = frozenset({"select", "download", "list", "createSignedUrl", "createSignedUrls"})
_ONE_ROW = frozenset({"single", "maybeSingle"})
_DATA = ("data", "count")
_RUNS = _WRITES | _READS
_ACCESSES = ("member_expression", "subscript_expression")


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
            if _is_query(steps):
                self._check_query(awaited, steps)

    def _check_query(self, awaited: Node, steps: Sequence[str]) -> None:
        target = awaited.parent
        if is_kind(target, "expression_statement") and not _WRITES.isdisjoint(steps):
            self.report_node(
                awaited, "error of this write is never read, and it does not throw; check it", Severity.WARN
            )
        elif is_kind(target, "variable_declarator") and not _RUNS.isdisjoint(steps):
            self._check_result(target, steps)

    def _check_result(self, declarator: Node, steps: Sequence[str]) -> None:
        pattern = child(declarator, "name")
        if is_kind(pattern, "identifier"):
            if self._is_half_read(declarator, self.code.text(pattern)):
                self.report_node(pattern, "only the data of this result is read; check its error")
        elif is_kind(pattern, "object_pattern") and self._ignores_error(declarator, pattern, steps):
            self.report_node(
                pattern, "error of this result is ignored, so a failure looks like no rows; check it"
            )

    def _ignores_error(self, declarator: Node, pattern: Node, steps: Sequence[str]) -> bool:
        """Return True if a destructured result has no error and its data is read without a test."""
        keys = [self.code.text(first_part(part) or part) for part in pattern.named_children]
        if "error" in keys or any(key.startswith("...") for key in keys):
            return False
        uses = [use for name in self.code.names_in(pattern) for use in self._uses(declarator, name)]
        if any(map(self._is_tested, uses)):
            return False
        return _ONE_ROW.isdisjoint(steps) or any(map(self._is_read_plainly, uses))

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
        for node in code.occurrences(name):
            if node.start_byte > declarator.end_byte and code.declaration(name, node) == declarator:
                yield node

    def _is_half_read(self, declarator: Node, name: str) -> bool:
        """Return True if only the data of a result is ever read."""
        uses = list(self._uses(declarator, name))
        return bool(uses) and all(map(self._is_data_read, uses))

    def _is_data_read(self, result: Node) -> bool:
        access = result.parent
        if not is_kind(access, "member_expression"):
            return False
        return self.code.field(access, "property") in _DATA and not self._is_tested(access)

    def _is_tested(self, node: Node) -> bool:
        """Return True if a guard tests the presence of a value; ``?? []`` only covers its absence."""
        from wardround.languages.script.code import is_tested

        return is_tested(self.code, node) or self._is_asserted(node)

    def _is_asserted(self, node: Node) -> bool:
        call = call_with(node)
        if not is_kind(call, "call_expression"):
            return False
        called = self.code.callee(call).lower()
        return "assert" in called or "invariant" in called or called.startswith("expect")

    def _is_read_plainly(self, node: Node) -> bool:
        """Return True if a field of the value is read without a test."""
        access = node.parent
        if not is_kind(access, *_ACCESSES) or child(access, "object") != node:
            return False
        return child(access, "optional_chain") is None


def _is_query(steps: Sequence[str]) -> bool:
    """Return True for a query that reports its error in the result, not for one of another library."""
    start = next((location for location, step in enumerate(steps) if step in _STARTS), None)
    if start is None or "throwOnError" in steps:
        return False
    return "select" not in steps[:start]
