"""TS314."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedRegex(TaintedCheck):
    """Data from the request is used as a regular expression.

    A pattern made for it keeps the server busy for minutes, and with it everybody else's requests. Escape the
    value, or search for it as text.
    """

    ID = "TS314"
    NAME = "tainted-regex"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "regex-denial-of-service"
    DANGER = ("PATTERN",)
    MESSAGE = "data from the request is used as a regular expression"
    WORDS = ("RegExp",)
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "app.get('/s', (req, res) => {\n"
            "  const text = String(req.query.q).replace(/[.*+?^${}()|[\\]\\\\]/g, '\\\\$&');\n"
            "  res.json(rows.filter((row) => new RegExp(text).test(row)));\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "import escapeRegExp from 'lodash/escapeRegExp';\n"
            "app.get('/s', (req, res) => {\n"
            "  res.json(new RegExp(escapeRegExp(req.query.q)).test(text));\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.get('/s', (req, res) => {\n"
            "  const length = Number(req.query.n);\n"
            "  res.json(new RegExp(`^x{${length}}$`).test(text));\n"
            "});\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "app.get('/s', (req, res) => {\n"
            "  const pattern = new RegExp(`^${req.query.q}`, 'i');\n"
            "  res.json(rows.filter((row) => pattern.test(row)));\n"
            "});\n",
            line=2,
            column=30,
            path="case.ts",
        ),
        Invalid(
            "router.get('/s', (ctx) => {\n"
            "  const { q } = ctx.query;\n"
            "  ctx.body = rows.filter((row) => RegExp(q).test(row));\n"
            "});\n",
            line=3,
            column=42,
            path="case.ts",
        ),
        Invalid(
            "export async function GET(request) {\n"
            "  const q = request.nextUrl.searchParams.get('q');\n"
            "  return Response.json(await Post.find({ title: { $regex: new RegExp(q, 'i') } }));\n"
            "}\n",
            line=3,
            column=70,
            path="case.ts",
        ),
    ]
