"""SQ024: enum value used in the transaction that adds it."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, texts
from wardround_sql.parsing.statements import Statement

_NO_TRANSACTION = LazyPattern(
    r"(?i)disable_ddl_transaction!|^\s*(?:readonly\s+)?transaction\s*=\s*false|"
    r"\btransaction\s*:\s*false|no[-_ ]transaction|"
    r"executeInTransaction\s*=\s*false|runInTransaction\s*[:=]\s*\"?false",
    re.MULTILINE,
)
"""Settings of a migration that commit each statement separately."""


class EnumValueInSameTransaction(SqlCheck):
    """Enum value used in the transaction that adds it.

    PostgreSQL rejects this with "unsafe use of new value". Migration tools run a file as one transaction, so
    use the value in the next migration.
    """

    ID = "SQ024"
    NAME = "enum-value-in-same-transaction"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.ERROR
    WORDS = ("add value",)

    VALID = [
        code("""
            alter type state add value 'done';
        """),
        code("""
            alter type state add value 'done';
            update notes set state = 'open';
        """),
    ]
    INVALID = [
        code("""
            alter type state add value 'done';
            update notes set state = «'done'» where state = 'open';
        """),
        code("""
            alter type state add value if not exists 'done';
            alter table n alter s set default «'done'»;
        """),
    ]

    def run(self) -> None:
        if _NO_TRANSACTION.search(self.source.text):
            return
        created: set[str] = set()
        added: dict[str, str] = {}
        for statement in self.script.statements:
            if not statement.fragment.migrates:
                continue
            if statement.kind == "TransactionStmt" and statement.node.get("kind") == "TRANS_STMT_COMMIT":
                added.clear()
            elif statement.kind == "CreateEnumStmt":
                created.add(texts(statement.node.get("typeName"))[-1])
            elif statement.kind == "AlterEnumStmt":
                self._add(statement.node, created, added)
            elif statement.kind in _USES and added:
                self._check_use(statement, added)

    def _add(self, node: Node, created: set[str], added: dict[str, str]) -> None:
        name = texts(node.get("typeName"))[-1]
        if node.get("newVal") and not node.get("oldVal") and name not in created:
            added[node["newVal"]] = name

    def _check_use(self, statement: Statement, added: dict[str, str]) -> None:
        for constant in statement.kinds("A_Const"):
            value = constant.get("sval", {}).get("sval")
            if value in added:
                text = (
                    f"'{value}' is added to {added[value]} in the same transaction; "
                    "use it in the next migration"
                )
                self.report_at(statement, text, constant.get("location"))
                added.pop(value)
                return


_USES = frozenset(
    (
        "UpdateStmt",
        "InsertStmt",
        "DeleteStmt",
        "SelectStmt",
        "AlterTableStmt",
        "CreateStmt",
        "IndexStmt",
        "ViewStmt",
        "CreatePolicyStmt",
    )
)
