"""SQ028: an index dropped under a lock, in a migration written as code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_sql.check import SqlCheck

_ALEMBIC = "migrations/versions/1a2b_drop.py"


class IndexDroppedWithoutConcurrently(SqlCheck):
    """An index is dropped, or built anew, without CONCURRENTLY.

    The statement waits for every query on the table, and everyone else waits for it. Of migrations in SQL
    squawk
    says the same.
    """

    ID = "SQ028"
    NAME = "index-dropped-without-concurrently"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "index-dropped-under-lock"
    WORDS = ("drop index", "reindex")
    TRIED_ON = "24 trees, redash and healthchecks among them: no hit"

    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("def upgrade():\n    op.drop_index('i', postgresql_concurrently=True)\n", path=_ALEMBIC),
        Valid("def upgrade():\n    op.drop_index('i', 'a')\n    op.drop_table('a')\n", path=_ALEMBIC),
        Valid("def downgrade():\n    op.drop_index('i')\n", path=_ALEMBIC),
        Valid("drop index i;\n", path="db/migrations/1.sql"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("def upgrade():\n    op.drop_index('i', 'a')\n", line=2, column=5, path=_ALEMBIC),
        Invalid(
            "class A < ActiveRecord::Migration[7.1]\n  def change\n    remove_index :notes, :a\n  end\nend\n",
            line=3,
            column=5,
            path="db/migrate/20240101000000_a.rb",
        ),
        Invalid("def upgrade():\n    op.execute('DROP INDEX i')\n", line=2, column=17, path=_ALEMBIC),
    ]

    def run(self) -> None:
        gone = any(s.node.get("removeType") == "OBJECT_TABLE" for s in self.script.of("DropStmt"))
        if self.script.is_sql or gone:
            return
        for statement in self.script.of("DropStmt", "ReindexStmt"):
            node = statement.node
            drops = node.get("removeType") == "OBJECT_INDEX" and not node.get("concurrent")
            rebuilds = statement.kind == "ReindexStmt" and "concurrently" not in statement.text.lower()
            if (drops or rebuilds) and self.script.migrates(statement):
                self.say(
                    statement,
                    "this waits for every query on the table, and everyone waits for it; add CONCURRENTLY",
                )
