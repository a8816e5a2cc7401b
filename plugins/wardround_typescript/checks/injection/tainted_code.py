"""TS304."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted


class TaintedCode(TreeCheck):
    """Data from the request is run as code.

    Whoever sends the request runs code with the rights of the server; vm and vm2 keep nobody in. Parse the
    value, or look it up in a table of functions.
    """

    ID = "TS304"
    NAME = "tainted-code"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "code-injection"
    SINK = TaintedSink(
        kinds=("CODE",),
        message="data from the request is run as code",
        arguments_message="a word of the command line is run as code",
    )
    WORDS = ("eval", "Function", "vm", "require(", "import(", "$where", "valuate", "Script")
    VALID = [
        code("""
            app.post('/sum', (req, res) => {
              res.json(JSON.parse(req.body.text));
            });
        """),
        code("""
            app.post('/run', (req, res) => {
              res.json(ACTIONS[req.body.name]());
            });
        """),
    ]
    INVALID = [
        code("""
            app.get('/p/:name', (req, res) => {
              const plugin = require(«'./plugins/' + req.params.name»);
              res.json(plugin.info);
            });
        """),
        code("""
            app.post('/sum', (req, res) => {
              const source = `return ${req.body.formula}`;
              res.json(new Function('x', «source»)(1));
            });
        """),
    ]

    def check(self) -> None:
        report_tainted(self, self.SINK)
