from __future__ import annotations

from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.queries.js_transactions import begun_on_pools, outside, outside_begun


class QueryOutsideTransaction(SqlCheck):
    """Query inside a transaction block that runs on another connection, outside the transaction.

    It is not rolled back with the rest, does not see the transaction's writes, and may deadlock on its locks.
    Use the handle that the callback receives, or pass ``{ transaction }``. A pool uses an arbitrary
    connection for each query: BEGIN on a pool starts a transaction on one of them, and the next query runs on
    another. Check out one connection for all queries.
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
        if self.script.is_sql or self.script.is_non_production:
            return
        text = self.source.text
        for start, end, name in begun_on_pools(text):
            message = (
                f"{name} uses any connection for each query, so no other query joins this transaction; "
                f"check out one connection"
            )
            self.report(self.script.locations.span_of(start, end), message)
        if not self.source.path.endswith((".py", ".rb", ".sh")):
            for start, end, values in (*outside(text), *outside_begun(text)):
                message = f"query runs outside the transaction; use {values}"
                self.report(self.script.locations.span_of(start, end), message)
