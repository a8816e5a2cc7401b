"""TS301."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedSql(TaintedCheck):
    """Data from the request becomes part of the SQL text.

    Whoever sends the request can close the quote and add SQL of their own: read other tables, change rows,
    log in as somebody else. Leave a placeholder in the text and pass the value as a parameter. What stands
    between quotes in the text is reported whoever calls the function.
    """

    ID = "TS301"
    NAME = "tainted-sql"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "sql-injection"
    DANGER = ("SQL", "STATEMENT")
    MESSAGE = "data from the request becomes part of the SQL text"
    GIVEN_MESSAGE = "what a caller gives stands between quotes in the SQL text"
    CERTAIN = "QUOTED"
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
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): no hit left; one of langfuse was wrong (a field beside "
        "the tainted one) and mended"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "app.get('/t', async (req, res) => {\n"
            "  res.json(await pool.query('select * from t where name = $1', [req.query.name]));\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.get('/t', async (req, res) => {\n"
            "  const id = Number(req.query.id);\n"
            "  res.json(await pool.query(`select * from t where id = ${id}`));\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "const ORDERS = ['name', 'age'];\n"
            "app.get('/t', async (req, res) => {\n"
            "  const order = String(req.query.order);\n"
            "  if (!ORDERS.includes(order)) return res.sendStatus(400);\n"
            "  res.json(await pool.query(`select * from t order by ${order}`));\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "export async function GET(request: Request) {\n"
            "  const name = new URL(request.url).searchParams.get('name');\n"
            "  return Response.json(await prisma.$queryRaw`select * from t where name = ${name}`);\n"
            "}\n",
            path="case.ts",
        ),
        Valid(
            "const list = t.router({\n"
            "  rows: t.procedure.input(z.object({ sort: z.enum(['name', 'age']), page: z.number() "
            "})).query(({ ctx, input }) =>\n"
            "    ctx.db.execute(`select * from t order by ${input.sort} offset ${input.page}`),\n"
            "  ),\n"
            "});\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "app.get('/t', async (req, res) => {\n"
            "  const { name } = req.query;\n"
            "  const parts = ['select * from t', `where name = '${name}'`];\n"
            "  res.json(await pool.query(parts.join(' ')));\n"
            "});\n",
            line=4,
            column=29,
            path="case.ts",
        ),
        Invalid(
            "export const rows = t.procedure.input(z.object({ term: z.string() })).query(async ({ "
            "ctx, input }) => {\n"
            "  const text = `select * from t where name like '%${input.term}%'`;\n"
            "  return ctx.prisma.$queryRawUnsafe(text);\n"
            "});\n",
            line=3,
            column=37,
            path="case.ts",
        ),
        Invalid(
            "@Injectable()\n"
            "export class Orders {\n"
            "  constructor(private readonly orders: Repository<Order>) {}\n"
            "\n"
            "  find(reference: string) {\n"
            "    return this.orders.createQueryBuilder('o').where(`o.reference = "
            "'${reference}'`).getMany();\n"
            "  }\n"
            "}\n",
            line=6,
            column=54,
            path="case.ts",
        ),
        Invalid(
            "import { pool } from './pool';\n"
            "\n"
            "export function rowsOf(where: string) {\n"
            "  return pool.query(`select * from t where ${where} limit 9`);\n"
            "}\n",
            line=4,
            column=21,
            path="src/rows.ts",
            others={
                "src/route.ts": "import { rowsOf } from './rows';\n\nrouter.get('/t', async (ctx) => "
                "{\n  ctx.body = await rowsOf('kind = ' + ctx.query.kind);\n});\n"
            },
        ),
    ]
