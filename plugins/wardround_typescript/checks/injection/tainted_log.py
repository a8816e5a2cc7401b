"""TS317."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedLog(TaintedCheck):
    """Data from the request becomes part of a line of the log.

    A line break in it begins a line of the sender's own, which reads as if the program had written it. Log
    the value as a field of its own, or as JSON, in which line breaks are escaped.
    """

    ID = "TS317"
    NAME = "tainted-log"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "log-injection"
    DANGER = ("LINE",)
    MESSAGE = "data from the request becomes part of a line of the log, and may hold line breaks"
    WORDS = ("console.", "log4js", "format(")
    TRIED_ON = (
        "the trees of 13 projects (NodeBB, langfuse, hoppscotch, formbricks, documenso, supabase/storage, "
        "redash, chainlit, lerna, biome, NodeGoat among them; 19,000 scripts): 35 hits, nearly all ids or "
        "logs written as JSON; both are passed over since, and one is left, arguable"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("app.get('/r', (req, res) => console.log(`no row ${req.params.rowId}`));\n", path="case.ts"),
        Valid(
            "app.post('/l', (req, res) => console.log('login', { user: req.body.user }));\n", path="case.ts"
        ),
        Valid(
            "app.post('/l', (req, res) => console.log(`login ${JSON.stringify(req.body)}`));\n",
            path="case.ts",
        ),
        Valid("app.post('/l', (req, res) => console.log(`login ${Number(req.body.id)}`));\n", path="case.ts"),
        Valid(
            "app.use((req, res, next) => { console.log(`${req.method} ${req.url}`); next(); });\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/l', (req, res) => console.log('login ' + req.body.user.replace(/[\\r\\n]/g, ' "
            "')));\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "const util = require('util');\n"
            "exports.signedIn = (req, ok) => {\n"
            "  process.stdout.write(util.format('sign in of ' + req.body.user + ' from %s', req.ip));\n"
            "};\n",
            line=3,
            column=36,
            path="case.ts",
        ),
        Invalid(
            "app.post('/l', (req, res) => {\n  console.warn('login failed for ' + req.body.user);\n});\n",
            line=2,
            column=16,
            path="case.ts",
        ),
        Invalid(
            "app.post('/l', (req, res) => {\n  const user = String(req.body.user);\n"
            "  console.info(`login failed for ${user}`);\n});\n",
            line=3,
            column=16,
            path="case.ts",
        ),
        Invalid(
            "const note = (text) => console.log(`note: ${text}`);\n"
            "app.get('/n', (req, res) => note(req.query.text));\n",
            line=1,
            column=36,
            path="case.ts",
        ),
    ]
