"""SQ076: BEGIN and COMMIT inside the transaction of a migration tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_sql.cases import valid
from wardround_sql.check import SqlCheck
from wardround_sql.project.migration_files import is_flyway
from wardround_sql.project.migration_transactions import transaction_of

_GOOSE = "-- +goose Up\nbegin;\nupdate a set b = 1 where c = 2;\ncommit;\n"


class NestedTransaction(SqlCheck):
    """A migration begins a transaction of its own inside that of its tool.

    BEGIN does nothing there but warn, and COMMIT ends the tool's transaction: when a later statement
    fails, the first ones stay, and the tool notes a migration that never ran, or runs it again. Leave both
    out, or switch the tool's transaction off.
    """

    ID = "SQ076"
    NAME = "nested-transaction"
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "transaction-inside-transaction"
    WORDS = ("begin", "start transaction")
    TRIED_ON = "30 trees: no hit"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("begin;\nupdate a set b = 1 where c = 2;\ncommit;\n"),
        valid("do $$ begin perform f(); end $$;\n", "db/migration/V2__a.sql"),
        valid(_GOOSE.replace("Up", "Up\n-- +goose NO TRANSACTION"), "migrations/2_a.sql"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "begin;\nupdate a set b = 1 where c = 2;\ncommit;\n",
            line=1,
            column=1,
            path="db/migration/V2__a.sql",
        ),
        Invalid(_GOOSE, line=2, column=1, path="migrations/2_a.sql"),
        Invalid(
            "create type a as enum ('b');\nstart transaction;\ninsert into c values (1);\ncommit;\n",
            line=2,
            column=1,
            path="db/migration/V2__a.sql",
        ),
    ]

    def run(self) -> None:
        if not self.script.is_sql or self.script.is_spare:
            return
        tool = "Flyway" if is_flyway(self.source.path) else transaction_of(self.source)
        for statement in self.script.of("TransactionStmt") if tool else ():
            if statement.node.get("kind") in ("TRANS_STMT_BEGIN", "TRANS_STMT_START"):
                self.say(statement, f"{tool} runs this in a transaction already, and COMMIT ends that one")
                break
