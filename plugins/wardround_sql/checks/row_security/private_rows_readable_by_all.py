from __future__ import annotations

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, is_constant_true, walk
from wardround_sql.parsing.statements import Statement
from wardround_sql.schema.model import Name, Table, roles_of

_TABLE = LazyPattern(
    r"(?i)(?:^|_)(?:message|dm|invoice|payment|payout|order|subscription|medical|health|diary|private|notification|"
    r"api_key|session|token|secret|salary|payslip|bank|address|prescription|patient|consent|credential|transcript|"
    r"ticket|email|inbox|contact|identity|kyc)(?:e?s)?(?:_|$)"
)
_COLUMN = LazyPattern(
    r"(?i)^(?:recipient_id|receiver_id|iban|ssn|password\w*|\w*secret|\w*token|phone\w*|birth\w*|date_of_birth|salary|"
    r"home_address|card_number|diagnosis|tax_id|email)$"
)
_OWNER = LazyPattern(
    r"(?i)^(?:user|owner|author|sender|customer|member|account|profile|patient|employee|created_by|buyer|student)(?:_?id)?$"
)


class PrivateRowsReadableByAll(SqlCheck):
    """Policy that lets all users read every row of a table with private data.

    ``USING (true)`` for SELECT publishes the table. A table with an owner column and with messages, payments
    or addresses is rarely public: compare the owner with ``(select auth.uid())``.
    """

    ID = "SQ054"
    NAME = "private-rows-readable-by-all"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "policy-always-true"
    WORDS = ("policy",)

    CASE_PATH = "supabase/migrations/0002_change.sql"
    VALID = [
        code("""
            create table posts (id int, author_id uuid, body text);
            create policy p on posts for select to authenticated using (true);
        """),
        code("""
            create table messages (id int, body text);
            create policy p on messages for select to authenticated using (true);
        """),
    ]
    INVALID = [
        code("""
            create table direct_messages (id int, sender_id uuid, body text);
            create policy p on direct_messages
              for select to authenticated
              using («true»);
        """),
        code(
            """
            create policy p on members for select using («true»);
            """,
            others={
                "supabase/migrations/0001_first.sql": """
                create table members (user_id uuid references auth.users, phone text);
                """,
            },
        ),
    ]

    def run(self) -> None:
        for statement in self.script.of("CreatePolicyStmt"):
            node = statement.node
            if not self._admits_everyone(statement):
                continue
            name = self.script.name_of(node.get("table", {}))
            table = self.script.known_table(name)
            why = _private(name, table) if table is not None and self.script.is_exposed(name) else ""
            if why:
                locations = (child["location"] for child in walk(node["qual"]) if _is_located(child))
                text = (
                    f'policy "{node.get("policy_name")}" lets everyone read all rows of {name}, '
                    f"{why}; compare the owner"
                )
                self.report_at(statement, text, min(locations, default=None))

    def _admits_everyone(self, statement: Statement) -> bool:
        """Return True if a permissive SELECT policy for clients is always true in the end."""
        node, policy = statement.node, self.script.policy(statement)
        if policy is None or not policy.permissive or policy.using is not statement:
            return False
        if node.get("cmd_name", "all") != "select" or not is_constant_true(node.get("qual")):
            return False
        return bool(set(roles_of(node.get("roles")) or ("public",)) & _ANYONE)


_ANYONE = frozenset({"public", "anon", "authenticated"})


def _is_located(node: Node) -> bool:
    return isinstance(node.get("location"), int)


def _private(name: Name, table: Table) -> str:
    """Return the reason why the rows of a table are private; empty if they may be public."""
    owner = next(filter(_OWNER.search, table.columns), "")
    if not owner:
        return ""
    private = next(filter(_COLUMN.search, table.columns), "")
    if private:
        return f"with the {private} of each {owner}" if private != owner else ""
    return f"whose rows belong to {owner}" if _TABLE.search(name.name) else ""
