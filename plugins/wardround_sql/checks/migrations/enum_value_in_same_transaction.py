"""SQ024: an enum value used in the transaction that adds it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, texts
from wardround_sql.parsing.statements import Statement

_ALEMBIC = "migrations/versions/1a2b_done.py"
_DJANGO = "notes/migrations/0002_done.py"
_ALONE = LazyPattern(
    r"(?i)disable_ddl_transaction!|^\s*(?:readonly\s+)?transaction\s*=\s*false|"
    r"\btransaction\s*:\s*false|no[-_ ]transaction|"
    r"executeInTransaction\s*=\s*false|runInTransaction\s*[:=]\s*\"?false",
    re.MULTILINE,
)
"""How a migration says that each of its statements is committed by itself."""


class EnumValueInSameTransaction(SqlCheck):
    """A new value of an enum type is used before the transaction that adds it is over.

    Postgres refuses that: "unsafe use of new value". Migration tools run a file as one transaction, so put
    the statement that uses the value into the next migration.
    """

    ID = "SQ024"
    NAME = "enum-value-in-same-transaction"
    SEVERITY = Severity.ERROR
    WORDS = ("add value",)
    TRIED_ON = "its cases alone; the checkouts tried have no place to read"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("alter type state add value 'done';\n"),
        valid("alter type state add value 'done';\nupdate notes set state = 'open';\n"),
        valid(
            "create type state as enum ('open');\nalter type state add value 'done';\nselect 'done'::state;\n"
        ),
        valid(
            "begin;\nalter type state add value 'done';\ncommit;\nupdate notes set state = 'done' where a;\n"
        ),
        valid("alter type state add value 'done';\ncomment on type state is 'done';\n"),
        valid("-- migrate:up transaction:false\nalter type state add value 'done';\nselect 'done'::state;\n"),
        Valid(
            "def upgrade():\n    with op.get_context().autocommit_block():\n"
            "        op.execute(\"ALTER TYPE state ADD VALUE 'done'\")\n"
            "    op.execute(\"UPDATE notes SET state = 'done' WHERE a\")\n",
            path=_ALEMBIC,
        ),
        Valid(
            "class Migration(migrations.Migration):\n    atomic = False\n    operations = [\n"
            "        migrations.RunSQL(\"ALTER TYPE state ADD VALUE 'done'\"),\n"
            "        migrations.RunPython(move),\n    ]\n\n\ndef move(apps, editor):\n"
            "    Note.objects.filter(a=1).update(state='done')\n",
            path=_DJANGO,
        ),
        Valid(
            "class A < ActiveRecord::Migration[7.1]\n  disable_ddl_transaction!\n  def up\n"
            "    execute \"ALTER TYPE state ADD VALUE 'done'\"\n"
            "    execute \"UPDATE notes SET state = 'done' WHERE a\"\n  end\nend\n",
            path="db/migrate/20240101000000_a.rb",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid(
            "alter type state add value 'done';\nupdate notes set state = 'done' where state = 'open';\n",
            2,
            26,
        ),
        invalid(
            "alter type state add value if not exists 'done';\nalter table n alter s set default 'done';\n",
            2,
            35,
        ),
        invalid(
            "alter type app.state add value 'done' after 'open';\ninsert into notes values (1, "
            "'done'::app.state);\n",
            2,
            30,
        ),
        Invalid(
            "def upgrade():\n    op.execute(\"ALTER TYPE state ADD VALUE 'done'\")\n"
            "    op.alter_column('notes', 'state', server_default=sa.text(\"'done'::state\"))\n",
            line=3,
            column=39,
            path=_ALEMBIC,
        ),
        Invalid(
            "def upgrade():\n    op.execute(\"ALTER TYPE state ADD VALUE 'done'\")\n"
            "    op.execute(notes.update().where(notes.c.a == 1).values(state='done'))\n",
            line=3,
            column=66,
            path=_ALEMBIC,
        ),
        Invalid(
            "def move(apps, editor):\n    Note.objects.filter(a=1).update(state='done')\n\n\n"
            "class Migration(migrations.Migration):\n    operations = [\n"
            "        migrations.RunSQL(\"ALTER TYPE state ADD VALUE 'done'\"),\n"
            "        migrations.RunPython(move),\n    ]\n",
            line=8,
            column=9,
            path=_DJANGO,
        ),
    ]

    def run(self) -> None:
        if _ALONE.search(self.source.text):
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
                self._look_at(statement, added)

    def _add(self, node: Node, created: set[str], added: dict[str, str]) -> None:
        name = texts(node.get("typeName"))[-1]
        if node.get("newVal") and not node.get("oldVal") and name not in created:
            added[node["newVal"]] = name

    def _look_at(self, statement: Statement, added: dict[str, str]) -> None:
        for constant in statement.kinds("A_Const"):
            value = constant.get("sval", {}).get("sval")
            if value in added:
                text = f"'{value}' is added to {added[value]} in this transaction and cannot be used in it"
                self.say(statement, text, constant.get("location"))
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
