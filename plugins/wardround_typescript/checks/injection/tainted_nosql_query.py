"""TS310."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedNosqlQuery(TaintedCheck):
    """The request may send operators where a value is expected.

    A filter that takes an object from the request takes {"$ne": null} too, and that matches every record: a
    login without a password. Turn the value into text with String, or let a schema check it.
    """

    ID = "TS310"
    NAME = "tainted-nosql-query"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "query-injection"
    DANGER = ("NOSQL",)
    MESSAGE = "the request may send operators here where a value is expected"
    WORDS = ("find", "One(", "Many(", "count", "aggregate", "distinct", "remove(")
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "import { User } from './models/user';\n"
            "app.post('/login', async (req, res) => {\n"
            "  res.json(await User.findOne({ email: String(req.body.email) }));\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/login', async (req, res) => {\n"
            "  res.json(await prisma.user.findFirst({ where: { email: req.body.email } }));\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "const { MongoClient } = require('mongodb');\n"
            "app.get('/u/:id', async (req, res) => {\n"
            "  res.json(await db.collection('users').findOne({ id: req.params.id }));\n"
            "});\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import { User } from './models/user';\n"
            "app.post('/login', async (req, res) => {\n"
            "  const { email, password } = req.body;\n"
            "  res.json(await User.findOne({ email, password }));\n"
            "});\n",
            line=4,
            column=31,
            path="case.ts",
        ),
        Invalid(
            "const { MongoClient } = require('mongodb');\n"
            "router.get('/t', async (ctx) => {\n"
            "  const filter = { published: true };\n"
            "  for (const [name, value] of Object.entries(ctx.request.query)) filter[name] = value;\n"
            "  ctx.body = await db.collection('t').find(filter).toArray();\n"
            "});\n",
            line=5,
            column=44,
            path="case.ts",
        ),
        Invalid(
            "const { MongoClient } = require('mongodb');\n"
            "app.post('/reset', async (req, res) => {\n"
            "  await db.collection('users').updateOne({ token: req.body.token }, { $set: { active: "
            "true } });\n"
            "});\n",
            line=3,
            column=42,
            path="case.ts",
        ),
    ]
