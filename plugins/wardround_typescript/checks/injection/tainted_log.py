"""TS317."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted


class TaintedLog(TreeCheck):
    """Data from the request becomes part of a line of the log.

    A line break in it begins a line of the sender's own, which reads as if the program had written it. Log
    the value as a field of its own, or as JSON, in which line breaks are escaped.
    """

    ID = "TS317"
    NAME = "tainted-log"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "log-injection"
    SINK = TaintedSink(
        kinds=("LINE",),
        message="data from the request becomes part of a line of the log, and may hold line breaks",
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
