"""TS308: tainted redirect."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted


class TaintedRedirect(TreeCheck):
    """The request decides the target of a redirect.

    A link to your site then leads to a phishing page. Redirect only to paths of your own site: a path that
    starts with one slash may start with two, so resolve it against your own URL and compare the origins.
    """

    ID = "TS308"
    NAME = "tainted-redirect"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "open-redirect"
    SINK = TaintedSink(
        kinds=("REDIRECT",),
        message="request decides the target of the redirect; allow paths of your own site only",
    )
    WORDS = ("edirect", "ocation")
    VALID = [
        code("""
            app.get('/login', (req, res) => {
              res.redirect('/home?lang=' + req.query.lang);
            });
        """),
        code("""
            const PLACES = { home: '/home' };
            app.get('/go', (req, res) => {
              res.redirect(PLACES[req.query.to] ?? '/');
            });
        """),
    ]
    INVALID = [
        code("""
            app.get('/login', (req, res) => {
              const to = String(req.query.to);
              res.redirect(302, «to.startsWith('/') ? to : '/'»);
            });
        """),
        code("""
            export async function GET(request: Request) {
              const to = new URL(request.url).searchParams.get('to') ?? '/';
              return new Response(null, { status: 302, headers: { Location: «to» } });
            }
        """),
    ]

    def check(self) -> None:
        report_tainted(self, self.SINK)
