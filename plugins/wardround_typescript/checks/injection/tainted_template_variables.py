"""TS318."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted


class TaintedTemplateVariables(TreeCheck):
    """The sender of a request chooses which values a template is given, by name.

    Engines take options from the same object: with ejs a key of the sender's can run code on the server, with
    others it names another layout file. Hand over the values the template needs, each by its name.
    """

    ID = "TS318"
    NAME = "tainted-template-variables"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "template-injection"
    SINK = TaintedSink(
        kinds=("VIEW",),
        message="the sender chooses what the template is given, options of the engine among it",
    )
    WORDS = ("render(", "view(")
    VALID = [
        code("""
            app.get('/s', (req, res) => res.render('s', { q: req.query.q }));
        """),
        code("""
            app.get('/s', (req, res) => res.render('s', { query: req.query }));
        """),
    ]
    INVALID = [
        code("""
            app.get('/s', (req, res) => res.render('s', «req.query»));
        """),
        code("""
            app.post('/s', (req, res) => {
              res.render('s', «{ ...req.body, hits: [] }»);
            });
        """),
    ]

    def check(self) -> None:
        report_tainted(self, self.SINK)
