from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted_sink


class TaintedTemplateVariables(TreeCheck):
    """The request decides which variables a template receives.

    Engines read options from the same object: with ejs an option can run code on the server, with others it
    selects another layout file. Pass only the variables that the template needs, by name.
    """

    ID = "TS318"
    NAME = "tainted-template-variables"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "template-injection"
    SINK = TaintedSink(
        kinds=("VIEW",),
        message="request decides the variables of the template, engine options included; pass them by name",
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
        report_tainted_sink(self, self.SINK)
