"""TS309."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedUrl(TaintedCheck):
    """The request chooses which server is asked.

    The server asks from inside: metadata of the cloud, databases and admin pages answer it. Look the address
    up in a table, or compare the host with a list, and don't follow redirects.
    """

    ID = "TS309"
    NAME = "tainted-url"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "ssrf"
    DANGER = ("URL",)
    MESSAGE = "the request chooses which server is asked"
    WORDS = (
        "fetch",
        "axios",
        "got",
        "ky",
        "needle",
        "superagent",
        "request(",
        "https.",
        "http",
        "goto(",
        "undici",
    )
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "app.get('/w', async (req, res) => {\n"
            "  res.json(await (await fetch(`https://api.example.com/w?city=${req.query.city}`)).json());\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "const HOSTS = new Set(['cdn.example.com']);\n"
            "app.get('/p', async (req, res) => {\n"
            "  const url = new URL(String(req.query.src));\n"
            "  if (!HOSTS.has(url.hostname)) return res.sendStatus(400);\n"
            "  res.json(await (await fetch(url)).json());\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/hook', async (req, res) => {\n"
            "  await fetch(HOOKS.find((hook) => hook.id === req.body.id).url, { body: "
            "JSON.stringify(req.body) });\n"
            "});\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "const got = require('got');\n"
            "async function pull(link) {\n"
            "  return got(link, { responseType: 'buffer' });\n"
            "}\n"
            "\n"
            "exports.handler = async (event) => {\n"
            "  for (const { href } of JSON.parse(event.body).pictures) await pull(href);\n"
            "};\n",
            line=3,
            column=14,
            path="case.ts",
        ),
        Invalid(
            "app.get('/icon', async (req, reply) => {\n"
            "  const icon = await fetch(new URL('/favicon.ico', req.query.site));\n"
            "  return reply.send(icon.body);\n"
            "});\n",
            line=2,
            column=28,
            path="case.ts",
        ),
        Invalid(
            "export const check = t.procedure.input(z.object({ url: z.string().url() "
            "})).mutation(async ({ input }) => {\n"
            "  return (await axios.get(input.url)).status;\n"
            "});\n",
            line=2,
            column=27,
            path="case.ts",
        ),
    ]
