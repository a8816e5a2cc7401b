"""SQ056: records of money or of who did what that are deleted along with something else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_sql.cases import invalid, valid
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
"""Names of what stands around records and is none."""


class CascadeDeletesAuditRecords(SqlCheck):
    """ON DELETE CASCADE takes records of money, or of who did what, along with the row they point at.

    Deleting one account then erases its invoices, payments or audit trail, which have to be kept, and no log
    says so. Use ``RESTRICT``, or ``SET NULL`` where the row may lose its owner. Lines that are part of a
    document, as the lines of an invoice, may go with it, and are not reported.
    """

    ID = "SQ056"
    NAME = "cascade-deletes-audit-records"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "cascade-deletes-records"
    WORDS = ("cascade",)
    TRIED_ON = (
        "14 trees: 21 hits, of which 6 were no records (settings, consents, parts); mended: 8, "
        "all true: a note"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("create table invoice_lines (invoice_id int references invoices (id) on delete cascade);\n"),
        valid("create table notes (user_id int references users (id) on delete cascade);\n"),
        valid("create table payments (user_id int references users (id) on delete restrict);\n"),
        valid("create table refunds (payment_id int references payments (id) on delete cascade);\n"),
        valid("create table payment_methods (user_id int references users (id) on delete cascade);\n"),
        valid("create table payments (user_id int references users (id) on update cascade);\n"),
        Valid(
            "class Payment(Base):\n    __tablename__ = 'payments'\n"
            "    user_id = Column(ForeignKey('users.id', ondelete='SET NULL'), index=True)\n",
            path="app/models.py",
        ),
        valid(
            "create table payments (user_id int references users (id) on delete cascade);\n",
            path="tests/schema.sql",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid(
            "create table payments (\n  user_id int references users (id) on delete cascade\n);\n", 2, 15
        ),
        invalid(
            "alter table audit_logs add constraint k foreign key (user_id) references users (id) "
            "on delete cascade not valid;\n",
            1,
            28,
        ),
        Invalid(
            "class Approval(Base):\n    __tablename__ = 'payment_approvals'\n    user_id = mapped_column(\n"
            "        ForeignKey('users.id', ondelete='CASCADE'), index=True\n    )\n",
            line=4,
            column=9,
            path="app/models.py",
        ),
        Invalid(
            "from django.db import models\n\n\nclass LedgerEntry(models.Model):\n"
            "    account = models.ForeignKey('Account', on_delete=models.CASCADE)\n",
            line=5,
            column=5,
            path="bank/models.py",
        ),
        Invalid(
            "def upgrade():\n    op.create_foreign_key('k', 'refunds', 'users', ['user_id'], ['id'], "
            "ondelete='CASCADE')\n",
            line=2,
            column=5,
            path="migrations/versions/1a2b_add.py",
        ),
        Invalid(
            "class A < ActiveRecord::Migration[7.1]\n  def change\n"
            "    add_foreign_key :invoices, :users, on_delete: :cascade, validate: false\n  end\nend\n",
            line=3,
            column=5,
            path="db/migrate/20240101000000_a.rb",
        ),
        Invalid(
            "exports.up = (knex) => knex.schema.createTable('payouts', (t) => {\n"
            "  t.integer('user_id').index().references('id').inTable('users').onDelete('CASCADE');\n});\n",
            line=2,
            column=3,
            path="migrations/20240101_a.js",
        ),
    ]

    def run(self) -> None:
        if self.script.is_spare:
            return
        for statement in self.script.of("CreateStmt", "AlterTableStmt"):
            table = self.script.name_of(statement.node.get("relation", {}))
            for key in _keys(statement):
                target = self.script.name_of(key.get("pktable", {}))
                if key.get("fk_del_action") == "c" and _is_record(table, target):
                    text = f"deleting a row of {target} deletes its {table} as well, which have to be kept"
                    self.say(statement, text, key.get("location"))


def _keys(statement: Statement) -> Iterator[Node]:
    """The foreign keys a statement makes."""
    parts = statement.node.get("tableElts") or statement.node.get("cmds", [])
    for one in kinds(parts, "Constraint"):
        if one.get("contype") == "CONSTR_FOREIGN":
            yield one


def snake(name: str) -> str:
    """A name of a class or table in small letters with underscores."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _is_record(table: Name, target: Name) -> bool:
    """Whether a table holds records, and is no part of what it points to."""
    name, parent = snake(table.name), snake(target.name)
    if not _RECORD.search(name) or _PLAIN.search(name):
        return False
    return not _RECORD.search(parent)
