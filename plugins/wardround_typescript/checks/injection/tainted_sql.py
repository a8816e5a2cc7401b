"""TS301."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted


class TaintedSql(TreeCheck):
    """Data from the request becomes part of the SQL text.

    Whoever sends the request can close the quote and add SQL of their own: read other tables, change rows,
    log in as somebody else. Leave a placeholder in the text and pass the value as a parameter. What stands
    between quotes in the text is reported whoever calls the function.
    """

    ID = "TS301"
    NAME = "tainted-sql"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "sql-injection"
    SINK = TaintedSink(
        kinds=("SQL", "STATEMENT"),
        message="data from the request becomes part of the SQL text",
        parameter_message="what a caller gives stands between quotes in the SQL text",
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
        report_tainted(self, self.SINK)
