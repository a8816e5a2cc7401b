"""TS306."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedTemplate(TaintedCheck):
    """Data from the request is read as a template.

    Templates of these engines can call functions, so whoever writes one runs code on the server. Keep the
    template in a file and pass the value to it.
    """

    ID = "TS306"
    NAME = "tainted-template"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "template-injection"
    DANGER = ("TEMPLATE",)
    MESSAGE = "data from the request is read as a template"
    WORDS = (
        "ejs",
        "pug",
        "jade",
        "andlebars",
        "hbs",
        "nunjucks",
        "template",
        "eta",
        "renderString",
        "render(",
    )
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "const ejs = require('ejs');\n"
            "app.get('/hi', (req, res) => res.send(ejs.render('<p><%= name %></p>', { name: "
            "req.query.name })));\n",
            path="case.ts",
        ),
        Valid(
            "const Handlebars = require('handlebars');\n"
            "const page = Handlebars.compile('<p>{{name}}</p>');\n"
            "app.get('/hi', (req, res) => res.json(page({ name: req.query.name })));\n",
            path="case.ts",
        ),
        Valid(
            "const ejs = require('ejs');\n"
            "app.get('/hi', (req, res) => res.json(ejs.render(KNOWN[req.query.page] ?? '', {})));\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "const ejs = require('ejs');\n"
            "app.get('/hi', (req, res) => {\n"
            "  const page = '<p>Hello ' + req.query.name + '</p>';\n"
            "  res.json(ejs.render(page));\n"
            "});\n",
            line=4,
            column=23,
            path="case.ts",
        ),
        Invalid(
            "import Handlebars from 'handlebars';\n"
            "app.post('/mail', (req, res) => {\n"
            "  res.json(Handlebars.compile(req.body.layout)({}));\n"
            "});\n",
            line=3,
            column=31,
            path="case.ts",
        ),
        Invalid(
            "import nunjucks from 'nunjucks';\n"
            "router.post('/mail', async (ctx) => {\n"
            "  const { subject } = ctx.request.body;\n"
            "  ctx.body = nunjucks.renderString(`Re: ${subject}`, {});\n"
            "});\n",
            line=4,
            column=36,
            path="case.ts",
        ),
    ]
