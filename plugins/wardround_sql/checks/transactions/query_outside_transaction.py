"""SQ077: a statement that the transaction around it does not hold."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.queries.js_transactions import begun_on_pools, beside_held, outside


class QueryOutsideTransaction(SqlCheck):
    """Inside a transaction a statement runs on another connection, and so outside of it.

    It is not undone with the rest, does not see what the transaction wrote, and can wait for its locks for
    ever. Use the handle that the callback is given, or pass ``{ transaction }``. A pool lends any
    connection for each query: BEGIN on a pool begins a transaction on one of them, and the next query
    takes another. Take one connection for all.
    """

    ID = "SQ077"
    NAME = "query-outside-transaction"
    DEFECT_CLASS = "outside-the-transaction"
    READS = "code"
    WORDS = ("transaction", "begin")

    CASE_PATH = "src/a.ts"
    VALID = [
        code("""
            await prisma.$transaction(async (tx) => {
              await tx.a.create({ data });
              await tx.b.update({ where, data });
            });
        """),
        code("""
            await prisma.$transaction([prisma.a.create({ data }), prisma.b.create({ data })]);
        """),
    ]
    INVALID = [
        code(
            """
            const { sequelize } = require('./db');
            const t = await sequelize.transaction();
            await User.create(row, { transaction: t });
            await «user.save»();
            await t.commit();
            """,
            path="src/a.js",
        ),
        code("""
            await client.query('BEGIN');
            await «pool».query('UPDATE a SET b = 1 WHERE c = 2');
            await client.query('COMMIT');
        """),
    ]

    def run(self) -> None:
        if self.script.is_sql or self.script.is_spare:
            return
        text = self.source.text
        for start, end, name in begun_on_pools(text):
            says = (
                f"{name} lends a connection for each query, so this begins a transaction that no "
                f"other query is in"
            )
            self.report(self.script.span_of(start, end), says)
        if not self.source.path.endswith((".py", ".rb", ".sh")):
            for start, end, held in (*outside(text), *beside_held(text)):
                says = f"this runs outside the transaction; use {held}"
                self.report(self.script.span_of(start, end), says)
