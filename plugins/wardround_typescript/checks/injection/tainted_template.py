from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted_sink


class TaintedTemplate(TreeCheck):
    """Request data is compiled as a template.

    Templates of these engines can call functions, so their author runs code on the server. Keep the template
    in a file and pass the value to it.
    """

    ID = "TS306"
    NAME = "tainted-template"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "template-injection"
    SINK = TaintedSink(
        kinds=("TEMPLATE",),
        message="request data is compiled as a template; pass it to a template as a value",
    )
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
    VALID = [
        code("""
            const Handlebars = require('handlebars');
            const page = Handlebars.compile('<p>{{name}}</p>');
            app.get('/hi', (req, res) => res.json(page({ name: req.query.name })));
        """),
        code("""
            const ejs = require('ejs');
            app.get('/hi', (req, res) => res.json(ejs.render(KNOWN[req.query.page] ?? '', {})));
        """),
    ]
    INVALID = [
        code("""
            const ejs = require('ejs');
            app.get('/hi', (req, res) => {
              const page = '<p>Hello ' + req.query.name + '</p>';
              res.json(ejs.render(«page»));
            });
        """),
        code("""
            import Handlebars from 'handlebars';
            app.post('/mail', (req, res) => {
              res.json(Handlebars.compile(«req.body.layout»)({}));
            });
        """),
    ]

    def check(self) -> None:
        report_tainted_sink(self, self.SINK)
