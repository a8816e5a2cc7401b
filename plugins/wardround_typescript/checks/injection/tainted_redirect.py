"""TS308."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedRedirect(TaintedCheck):
    """The request says where the visitor is sent next.

    A link to your site then leads to a look-alike that asks for the password. Send visitors to paths of your
    own only: one that begins with a slash may still begin with two, so resolve it against your own address
    and compare the origins.
    """

    ID = "TS308"
    NAME = "tainted-redirect"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "open-redirect"
    DANGER = ("REDIRECT",)
    MESSAGE = "the request says where the visitor is sent next"
    WORDS = ("edirect", "ocation")
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): no hit left; two of supabase/storage were wrong (a field "
        "Location that is no header) and mended"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "app.get('/login', (req, res) => {\n  res.redirect('/home?lang=' + req.query.lang);\n});\n",
            path="case.ts",
        ),
        Valid(
            "const PLACES = { home: '/home' };\n"
            "app.get('/go', (req, res) => {\n"
            "  res.redirect(PLACES[req.query.to] ?? '/');\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.get('/login', (req, res) => {\n"
            "  const to = String(req.query.to);\n"
            "  res.redirect(to.startsWith('/') && !to.startsWith('//') ? to : '/');\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "export function middleware(request) {\n"
            "  return NextResponse.redirect(new URL('/login', request.url));\n"
            "}\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "app.get('/login', (req, res) => {\n"
            "  const to = String(req.query.to);\n"
            "  res.redirect(302, to.startsWith('/') ? to : '/');\n"
            "});\n",
            line=3,
            column=21,
            path="case.ts",
        ),
        Invalid(
            "export async function GET(request: Request) {\n"
            "  const to = new URL(request.url).searchParams.get('to') ?? '/';\n"
            "  return new Response(null, { status: 302, headers: { Location: to } });\n"
            "}\n",
            line=3,
            column=65,
            path="case.ts",
        ),
        Invalid(
            "router.post('/locale', (ctx) => {\n"
            "  const { from = '/' } = ctx.request.body;\n"
            "  ctx.redirect(from);\n"
            "});\n",
            line=3,
            column=16,
            path="case.ts",
        ),
    ]
