"""TS318."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedTemplateVariables(TaintedCheck):
    """The sender of a request chooses which values a template is given, by name.

    Engines take options from the same object: with ejs a key of the sender's can run code on the server, with
    others it names another layout file. Hand over the values the template needs, each by its name.
    """

    ID = "TS318"
    NAME = "tainted-template-variables"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "template-injection"
    DANGER = ("VIEW",)
    MESSAGE = "the sender chooses what the template is given, options of the engine among it"
    WORDS = ("render(", "view(")
    TRIED_ON = (
        "the trees of 13 projects (NodeBB, langfuse, hoppscotch, formbricks, documenso, supabase/storage, "
        "redash, chainlit, lerna, biome, NodeGoat among them; 19,000 scripts): one hit, wrong "
        "(the body under a name of its own), mended"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("app.get('/s', (req, res) => res.render('s', { q: req.query.q }));\n", path="case.ts"),
        Valid("app.get('/s', (req, res) => res.render('s', { query: req.query }));\n", path="case.ts"),
        Valid(
            "import pick from 'lodash/pick';\n"
            "app.get('/s', (req, res) => res.render('s', { ...pick(req.query, ['q', 'page']) }));\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "app.get('/s', (req, res) => res.render('s', req.query));\n", line=1, column=45, path="case.ts"
        ),
        Invalid(
            "app.post('/s', (req, res) => {\n  res.render('s', { ...req.body, hits: [] });\n});\n",
            line=2,
            column=19,
            path="case.ts",
        ),
        Invalid(
            "function page(res, values) {\n  res.render('page', values);\n}\n"
            "app.get('/s', (req, res) => page(res, req.query));\n",
            line=2,
            column=22,
            path="case.ts",
        ),
    ]
