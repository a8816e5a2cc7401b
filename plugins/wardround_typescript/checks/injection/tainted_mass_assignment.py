"""TS312."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedMassAssignment(TaintedCheck):
    """The request chooses which fields of the record are written.

    A field nobody thought of, such as role or ownerId, is written as well. Name the fields that may be
    changed, or let a schema drop the others.
    """

    ID = "TS312"
    NAME = "tainted-mass-assignment"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "mass-assignment"
    DANGER = ("FIELDS",)
    MESSAGE = "the request chooses which fields of the record are written"
    WORDS = (
        "create",
        "insert",
        "upsert",
        "save(",
        "build(",
        "pdate",
        "assign(",
        "erge(",
        "patch(",
        "new ",
        "persist(",
    )
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): no hit left; one of NodeBB (a copy of the query) and two "
        "of formbricks (validated) were wrong and mended"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "app.post('/u', async (req, res) => {\n"
            "  const { name, email } = req.body;\n"
            "  res.json(await User.create({ name, email }));\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/u', async (req, res) => {\n"
            "  res.json(await User.create(schema.parse(req.body)));\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/u', async (req, res) => {\n"
            "  res.json(await User.update({ settings: req.body.settings }, { where: { id: 1 } }));\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/hook', (req, res) => {\n"
            "  res.json(crypto.createHmac('sha256', key).update(req.body).digest());\n"
            "});\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "router.post('/register', async (ctx) => {\n"
            "  const { password, ...details } = ctx.request.body;\n"
            "  ctx.body = await User.create({ ...details, hash: await hashed(password) });\n"
            "});\n",
            line=3,
            column=32,
            path="case.ts",
        ),
        Invalid(
            "app.patch('/me', async (req, res) => {\n"
            "  await prisma.user.update({ where: { id: req.user.id }, data: req.body });\n"
            "});\n",
            line=2,
            column=28,
            path="case.ts",
        ),
        Invalid(
            "app.patch('/me', async (req, res) => {\n"
            "  const user = await User.findByPk(req.user.id);\n"
            "  Object.assign(user, req.body);\n"
            "  await user.save();\n"
            "});\n",
            line=3,
            column=23,
            path="case.ts",
        ),
    ]
