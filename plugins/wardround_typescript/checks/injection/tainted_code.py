from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted_sink


class TaintedCode(TreeCheck):
    """Request data is run as code.

    The client runs code with the rights of the server; vm and vm2 are not sandboxes. Parse the value, or look
    it up in a table of functions.
    """

    ID = "TS304"
    NAME = "tainted-code"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "code-injection"
    SINK = TaintedSink(
        kinds=("CODE",),
        message="request data is run as code; parse it or use a table of functions",
        arguments_message="command-line argument is run as code",
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
        report_tainted_sink(self, self.SINK)
