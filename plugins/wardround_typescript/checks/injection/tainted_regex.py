"""TS314: tainted regex."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted


class TaintedRegex(TreeCheck):
    """Request data is used as a regular expression.

    A crafted pattern blocks the server for minutes, and with it all other requests. Escape the value, or
    search for it as text.
    """

    ID = "TS314"
    NAME = "tainted-regex"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "regex-denial-of-service"
    SINK = TaintedSink(
        kinds=("PATTERN",),
        message="request data is used as a regular expression; escape it",
    )
    WORDS = ("RegExp",)
    VALID = [
        code(r"""
            app.get('/s', (req, res) => {
              const text = String(req.query.q).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
              res.json(rows.filter((row) => new RegExp(text).test(row)));
            });
        """),
        code("""
            import escapeRegExp from 'lodash/escapeRegExp';
            app.get('/s', (req, res) => {
              res.json(new RegExp(escapeRegExp(req.query.q)).test(text));
            });
        """),
    ]
    INVALID = [
        code("""
            app.get('/s', (req, res) => {
              const pattern = new RegExp(«`^${req.query.q}`», 'i');
              res.json(rows.filter((row) => pattern.test(row)));
            });
        """),
        code("""
            router.get('/s', (ctx) => {
              const { q } = ctx.query;
              ctx.body = rows.filter((row) => RegExp(«q»).test(row));
            });
        """),
    ]

    def check(self) -> None:
        report_tainted(self, self.SINK)
