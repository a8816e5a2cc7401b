"""TS311."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedSession(TaintedCheck):
    """Data from the request is stored in the session as it came.

    Code elsewhere trusts the session: it takes what stands there for checked. Look the value up, or check it,
    before it goes in.
    """

    ID = "TS311"
    NAME = "tainted-session"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "trust-boundary"
    DANGER = ("TRUST",)
    MESSAGE = "data from the request is stored in the session as it came"
    WORDS = ("session.", "session[")
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): two hits in NodeBB were a matter of taste; only what says "
        "who somebody is counts since"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "app.post('/login', async (req, res) => {\n"
            "  const user = await users.check(req.body.name, req.body.password);\n"
            "  req.session.userId = user.id;\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/lang', (req, res) => {\n"
            "  if (LANGS.includes(req.body.lang)) req.session.lang = req.body.lang;\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/cart', (req, res) => {\n  req.session.note = req.body.note;\n});\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "app.post('/switch', (req, res) => {\n"
            "  const { account } = req.body;\n"
            "  req.session.accountId = account ?? 'default';\n"
            "  res.sendStatus(204);\n"
            "});\n",
            line=3,
            column=3,
            path="case.ts",
        ),
        Invalid(
            "app.get('/as', (req, res) => {\n  req.session.userId = req.query.user;\n});\n",
            line=2,
            column=3,
            path="case.ts",
        ),
        Invalid(
            "router.post('/plan', (ctx) => {\n"
            "  const { plan } = ctx.request.body;\n"
            "  ctx.session.plan = plan;\n"
            "});\n",
            line=3,
            column=3,
            path="case.ts",
        ),
    ]
