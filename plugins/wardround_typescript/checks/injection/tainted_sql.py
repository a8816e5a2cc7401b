from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted_sink


class TaintedSql(TreeCheck):
    """Request data becomes part of an SQL statement.

    An attacker can close the quote and add SQL: read other tables, change rows, log in as another user. Use a
    placeholder and pass the value as a parameter. A parameter between quotes in the statement is reported for
    any caller.
    """

    ID = "TS301"
    NAME = "tainted-sql"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "sql-injection"
    SINK = TaintedSink(
        kinds=("SQL", "STATEMENT"),
        message="request data becomes part of an SQL statement; pass it as a parameter",
        parameter_message="parameter is interpolated between quotes in an SQL statement; use a placeholder",
        parameter_label="QUOTED",
    )
    WORDS = (
        "query",
        "execute",
        "aw(",
        "nsafe",
        "where",
        "Where",
        ".all(",
        ".get(",
        ".run(",
        "prepare",
        "literal",
        "rderBy",
        "RawUnsafe",
        ".exec(",
    )
    VALID = [
        code("""
            app.get('/t', async (req, res) => {
              res.json(await pool.query('select * from t where name = $1', [req.query.name]));
            });
        """),
        code("""
            app.get('/t', async (req, res) => {
              const id = Number(req.query.id);
              res.json(await pool.query(`select * from t where id = ${id}`));
            });
        """),
    ]
    INVALID = [
        code("""
            app.get('/t', async (req, res) => {
              const { name } = req.query;
              const parts = ['select * from t', `where name = '${name}'`];
              res.json(await pool.query(«parts.join(' ')»));
            });
        """),
        code(
            """
            import { pool } from './pool';

            export function rowsOf(where: string) {
              return pool.query(«`select * from t where ${where} limit 9`»);
            }
            """,
            path="src/rows.ts",
            others={
                "src/route.ts": """
                import { rowsOf } from './rows';

                router.get('/t', async (ctx) => {
                  ctx.body = await rowsOf('kind = ' + ctx.query.kind);
                });
                """,
            },
        ),
    ]

    def check(self) -> None:
        report_tainted_sink(self, self.SINK)
