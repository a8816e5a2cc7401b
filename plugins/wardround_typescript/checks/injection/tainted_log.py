"""TS317: tainted log."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted


class TaintedLog(TreeCheck):
    """Request data becomes part of a log line.

    A line break in the value starts a forged log line. Log the value as a separate field, or as JSON, which
    escapes line breaks.
    """

    ID = "TS317"
    NAME = "tainted-log"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "log-injection"
    SINK = TaintedSink(
        kinds=("LINE",),
        message="request data becomes part of a log line and may contain line breaks; log it as a field",
    )
    WORDS = ("console.", "log4js", "format(")
    VALID = [
        code("""
            app.get('/r', (req, res) => console.log(`no row ${req.params.rowId}`));
        """),
        code("""
            app.post('/l', (req, res) => console.log('login', { user: req.body.user }));
        """),
    ]
    INVALID = [
        code("""
            const util = require('util');
            exports.signedIn = (req, ok) => {
              process.stdout.write(util.format(«'sign in of ' + req.body.user + ' from %s'», req.ip));
            };
        """),
        code("""
            app.post('/l', (req, res) => {
              console.warn(«'login failed for ' + req.body.user»);
            });
        """),
    ]

    def check(self) -> None:
        report_tainted(self, self.SINK)
