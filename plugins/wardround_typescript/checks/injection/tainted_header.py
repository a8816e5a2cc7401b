"""TS313: tainted header."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted


class TaintedHeader(TreeCheck):
    """Request data becomes a line of a header.

    A line break in the value adds another header, or a second request. Remove line breaks, or encode the
    value.
    """

    ID = "TS313"
    NAME = "tainted-header"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "header-injection"
    SINK = TaintedSink(
        kinds=("HEADER",),
        message="request data becomes a line of a header; remove line breaks or encode it",
    )
    WORDS = ("\\r\\n",)
    VALID = [
        code(r"""
            app.post('/t', (req, res) => {
              socket.write(`X-Title: ${encodeURIComponent(req.body.title)}\r\n`);
            });
        """),
        code(r"""
            app.post('/t', (req, res) => {
              const title = req.body.title.replace(/[\r\n]/g, ' ');
              socket.write(`X-Title: ${title}\r\n`);
            });
        """),
    ]
    INVALID = [
        code(r"""
            app.post('/t', (req, res) => {
              const lines = ['POST /x HTTP/1.1', «`X-Title: ${req.body.title}`»];
              socket.write(lines.join('\r\n'));
            });
        """),
        code(r"""
            app.post('/m', (req, res) => {
              smtp.write(«`Subject: ${req.body.subject}\r\n`»);
            });
        """),
    ]

    def check(self) -> None:
        report_tainted(self, self.SINK)
