from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted_sink


class TaintedHtml(TreeCheck):
    """Request data becomes HTML unescaped.

    The browser runs a script from a crafted link; a headless browser on the server, for images and PDF files,
    fetches URLs of the page from inside the network. Escape the value, render a template that escapes, or
    respond with JSON.
    """

    ID = "TS307"
    NAME = "tainted-html"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "html-injection"
    SINK = TaintedSink(
        kinds=("HTML", "PAGE"),
        message="request data becomes HTML unescaped; escape it",
    )
    WORDS = ("send(", "end(", "write(", "body", "html", "render(", "view(", "Response", "setContent(", "pdf")
    VALID = [
        code("""
            import escapeHtml from 'escape-html';
            app.get('/hi', (req, res) => {
              res.send(`<p>Hello ${escapeHtml(req.query.name)}</p>`);
            });
        """),
        code("""
            app.get('/hi', (req, res) => {
              res.json({ name: req.query.name });
            });
        """),
    ]
    INVALID = [
        code("""
            app.post('/pdf', async (req, res) => {
              const page = await browser.newPage();
              await page.setContent(«req.body.html»);
              res.end(await page.pdf());
            });
        """),
        code("""
            app.get('/hi', (req, res) => {
              const heading = `<h1>Results for ${req.query.q}</h1>`;
              res.send(«layout(heading)»);
            });

            function layout(body) {
              return `<html><body>${body}</body></html>`;
            }
        """),
    ]

    def check(self) -> None:
        report_tainted_sink(self, self.SINK)
