"""TS307."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedHtml(TaintedCheck):
    """Data from the request becomes HTML as it is.

    The browser runs the script that somebody put into a link; one that a server drives for pictures and
    PDF files fetches what the page names, from inside the network. Escape the value, render a template that
    escapes, or answer with JSON.
    """

    ID = "TS307"
    NAME = "tainted-html"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "html-injection"
    DANGER = ("HTML", "PAGE")
    MESSAGE = "data from the request becomes HTML as it is"
    WORDS = ("send(", "end(", "write(", "body", "html", "render(", "view(", "Response", "setContent(", "pdf")
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "import escapeHtml from 'escape-html';\n"
            "app.get('/hi', (req, res) => {\n"
            "  res.send(`<p>Hello ${escapeHtml(req.query.name)}</p>`);\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.get('/hi', (req, res) => {\n  res.json({ name: req.query.name });\n});\n",
            path="case.ts",
        ),
        Valid(
            "app.get('/hi', (req, res) => {\n"
            "  res.type('text/plain').send(`no such name: ${req.query.name}`);\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/hi', (req, res) => {\n  res.send(req.body);\n});\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "app.post('/pdf', async (req, res) => {\n"
            "  const page = await browser.newPage();\n"
            "  await page.setContent(req.body.html);\n"
            "  res.end(await page.pdf());\n"
            "});\n",
            line=3,
            column=25,
            path="case.ts",
        ),
        Invalid(
            "app.get('/hi', (req, res) => {\n"
            "  const heading = `<h1>Results for ${req.query.q}</h1>`;\n"
            "  res.send(layout(heading));\n"
            "});\n"
            "\n"
            "function layout(body) {\n"
            "  return `<html><body>${body}</body></html>`;\n"
            "}\n",
            line=3,
            column=12,
            path="case.ts",
        ),
        Invalid(
            "const HEADERS = { 'content-type': 'text/html' };\n"
            "export async function GET(request: Request) {\n"
            "  const failure = new URL(request.url).searchParams.get('error');\n"
            "  return new Response(`<p>${failure}</p>`, { headers: HEADERS });\n"
            "}\n",
            line=4,
            column=23,
            path="case.ts",
        ),
        Invalid(
            "router.get('/hi', (ctx) => {\n  ctx.body = '<p>Hello ' + ctx.query.name + '</p>';\n});\n",
            line=2,
            column=14,
            path="case.ts",
        ),
        Invalid(
            "app.get('/search', (req, res) => {\n"
            "  const heading = `Results for <em>${req.query.q}</em>`;\n"
            "  res.render('search', { heading });\n"
            "});\n",
            line=3,
            column=26,
            path="case.ts",
        ),
    ]
