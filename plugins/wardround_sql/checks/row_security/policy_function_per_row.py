from __future__ import annotations

import re

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround.storage.regex_cache import bounded_pattern
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, function_name, items, walk

_IMMUTABLE = (
    r"(?is)\bfunction\s+(?:[\w\"]+\.)?\"?{name}\"?\s*\(\s*\)"
    r"(?:(?!;|\bfunction\b).){{0,300}}?\bimmutable\b"
)
_CHEAP = frozenset(
    {"now", "coalesce", "lower", "upper", "current_date", "transaction_timestamp", "make_interval"}
)


class PolicyFunctionPerRow(SqlCheck):
    """Policy that calls a function for every row although the result does not depend on the row.

    ``auth.uid()`` and ``current_setting()`` return the same value during a query, but PostgreSQL calls them
    again for each row it reads. Written as ``(select auth.uid())``, they run once.
    """

    ID = "SQ004"
    NAME = "policy-function-per-row"
    SEVERITY = Severity.INFO
    PLANE = Plane.PERF
    WORDS = ("policy",)

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create policy p on notes using ((select auth.uid()) = user_id);
        """),
        code("""
            create policy p on notes using (user_id in (select member from teams where auth.uid() = x));
        """),
    ]
    INVALID = [
        code("""
            create policy p on notes using («auth.uid»() = user_id);
        """),
        code("""
            create policy p on notes for select
            using ((«auth.jwt»() ->> 'org') = org and auth.uid() = me);
        """),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreatePolicyStmt", "AlterPolicyStmt"):
            conditions = reversed(self.script.conditions(statement))
            calls = (c for condition in conditions for c in _calls(condition))
            call = next((c for c in calls if not self._is_constant(c)), None)
            if call is not None:
                name = function_name(call)
                inserts = statement.node.get("cmd_name") == "insert"
                text = f"{name}() runs once per row; write (select {name}(...)), which runs once per query"
                self.report_at(statement, text, call.get("location"), Severity.INFO if inserts else None)

    def _is_constant(self, call: Node) -> bool:
        """Return True if a migration declares a function without arguments as immutable."""
        name = function_name(call).rpartition(".")[2]
        if call.get("args") or not name:
            return False
        declared = bounded_pattern(_IMMUTABLE.format(name=re.escape(name)))
        texts = [self.script.sql, *(text for _, text in self.script.siblings([name]))]
        return any(declared.search(text) for text in texts)


def _calls(condition: object) -> list[Node]:
    """Return the calls in a condition that do not depend on the row, in source order.

    Subqueries are skipped: PostgreSQL evaluates EXISTS for all rows at once if it can, by a hash.
    """
    result, stack = [], [condition]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, dict):
            call = item.get("FuncCall")
            if isinstance(call, dict) and not _depends_on_row(call) and function_name(call) not in _CHEAP:
                result.append(call)
            stack.extend(value for key, value in item.items() if key != "SubLink")
            stack.append(item.get("SubLink", {}).get("testexpr"))
    return sorted(result, key=lambda call: call.get("location", 0))


def _depends_on_row(call: Node) -> bool:
    """Return True if a call has an argument that is not a constant."""
    return any(
        "ColumnRef" in node or "SubLink" in node or "FuncCall" in node
        for node in walk(items(call.get("args", [])))
    )
