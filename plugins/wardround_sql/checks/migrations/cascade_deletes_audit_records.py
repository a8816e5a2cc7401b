from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, kinds
from wardround_sql.parsing.statements import Statement
from wardround_sql.schema.model import Name

_RECORD = LazyPattern(
    r"(?:^|_)(?:audit|ledger|invoice|payment|payout|refund|transaction|receipt|settlement|approval|"
    r"charge|credit_note|journal|donation|withdrawal|deposit|purchase|contract|payroll|payslip|"
    r"remittance|chargeback)"
    r"(?:e?s)?(?:_|$)"
)
_PLAIN = LazyPattern(
    r"(?:^|_)(?:method|provider|setting|config|draft|template|token|session|cache|preference|reminder|"
    r"tag|type|"
    r"attempt|job|queue|pending|tool|oauth|customer|subscription|profile|address|account|plan)(?:e?s)?(?:_|$)"
)
"""Names of tables related to records that hold no records."""


class CascadeDeletesAuditRecords(SqlCheck):
    """ON DELETE CASCADE on a table of financial or audit records.

    Deleting one account also deletes its invoices, payments or audit trail, which must be retained, and
    leaves no trace. Use ``RESTRICT``, or ``SET NULL`` where the row may lose its owner. Parts of a document,
    such as the lines of an invoice, are not reported.
    """

    ID = "SQ056"
    NAME = "cascade-deletes-audit-records"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "cascade-deletes-records"
    WORDS = ("cascade",)

    VALID = [
        code("""
            create table invoice_lines (invoice_id int references invoices (id) on delete cascade);
        """),
        code("""
            create table notes (user_id int references users (id) on delete cascade);
        """),
    ]
    INVALID = [
        code("""
            create table payments (
              user_id int «references» users (id) on delete cascade
            );
        """),
        code(
            """
            class Approval(Base):
                __tablename__ = 'payment_approvals'
                user_id = mapped_column(
                    «ForeignKey»('users.id', ondelete='CASCADE'), index=True
                )
            """,
            path="app/models.py",
        ),
    ]

    def run(self) -> None:
        if self.script.is_non_production:
            return
        for statement in self.script.of("CreateStmt", "AlterTableStmt"):
            table = self.script.name_of(statement.node.get("relation", {}))
            for key in _keys(statement):
                target = self.script.name_of(key.get("pktable", {}))
                if key.get("fk_del_action") == "c" and _is_record(table, target):
                    text = (
                        f"deleting a row of {target} also deletes its {table}, "
                        "which must be retained; use RESTRICT or SET NULL"
                    )
                    self.report_at(statement, text, key.get("location"))


def _keys(statement: Statement) -> Iterator[Node]:
    """Yield the foreign keys that a statement creates."""
    parts = statement.node.get("tableElts") or statement.node.get("cmds", [])
    for constraint in kinds(parts, "Constraint"):
        if constraint.get("contype") == "CONSTR_FOREIGN":
            yield constraint


def snake(name: str) -> str:
    """Convert the name of a class or table to snake case."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _is_record(table: Name, target: Name) -> bool:
    """Return True if a table holds records, and is not part of the referenced document."""
    name, parent = snake(table.name), snake(target.name)
    if not _RECORD.search(name) or _PLAIN.search(name):
        return False
    return not _RECORD.search(parent)
