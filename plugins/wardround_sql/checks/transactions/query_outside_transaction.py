"""SQ077: a statement that the transaction around it does not hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround_sql.check import SqlCheck
from wardround_sql.queries.js_transactions import begun_on_pools, beside_held, outside

_PRISMA = "await prisma.$transaction(async (tx) => {\n  await tx.a.create({ data });\n"


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
    TRIED_ON = (
        "30 trees: 15 hits, 12 of them wrong, behind an apostrophe in a comment, and BEGIN with "
        "COMMIT in one text; mended: 1 hit, right"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_PRISMA + "  await tx.b.update({ where, data });\n});\n", path="src/a.ts"),
        Valid(
            "await prisma.$transaction([prisma.a.create({ data }), prisma.b.create({ data })]);\n",
            path="src/a.ts",
        ),
        Valid(
            "await knex.transaction(async (trx) => {\n  await trx('a').insert({ at: knex.fn.now() });\n"
            "  await knex('b').insert(row).transacting(trx);\n});\n",
            path="src/a.ts",
        ),
        Valid(
            "await sequelize.transaction(async (transaction) => {\n  await User.create(row, { "
            "transaction });\n"
            "  await user.update(row, options);\n});\n",
            path="src/a.js",
        ),
        Valid("const client = await pool.connect();\nawait client.query('BEGIN');\n", path="src/a.ts"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "const { sequelize } = require('./db');\nconst t = await sequelize.transaction();\n"
            "await User.create(row, { transaction: t });\nawait user.save();\nawait t.commit();\n",
            line=4,
            column=7,
            path="src/a.js",
        ),
        Invalid(
            "await client.query('BEGIN');\nawait pool.query('UPDATE a SET b = 1 WHERE c = 2');\n"
            "await client.query('COMMIT');\n",
            line=2,
            column=7,
            path="src/a.ts",
        ),
        Invalid(
            _PRISMA + "  await prisma.b.update({ where, data });\n});\n", line=3, column=9, path="src/a.ts"
        ),
        Invalid(
            "return this.db.transaction(async (trx) => {\n  await trx.insert(a).values(x);\n"
            "  return this.db.update(b).set(y).where(eq(b.id, 1));\n});\n",
            line=3,
            column=10,
            path="src/drizzle.ts",
        ),
        Invalid(
            "const { sequelize } = require('../models');\nawait sequelize.transaction(async (t) => {\n"
            "  await User.create(row, { transaction: t });\n  await user.save();\n});\n",
            line=4,
            column=9,
            path="src/a.js",
        ),
        Invalid(
            "await queryInterface.sequelize.transaction(async (transaction) => {\n"
            "  await queryInterface.addColumn('a', 'b', { type: 'TEXT' });\n});\n",
            line=2,
            column=9,
            path="migrations/1-a.js",
        ),
        Invalid(
            "await pool.query('BEGIN');\nawait pool.query('UPDATE a SET b = 1');\n",
            line=1,
            column=7,
            path="src/a.ts",
        ),
        Invalid(
            "async def f(pool):\n    await pool.execute('BEGIN')\n    await pool.execute('UPDATE a SET "
            "b = 1')\n",
            line=2,
            column=11,
            path="app/a.py",
        ),
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
