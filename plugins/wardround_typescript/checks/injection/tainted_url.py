from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted_sink


class TaintedUrl(TreeCheck):
    """The request decides which server is contacted.

    The server sends the request from inside the network: cloud metadata, databases and admin pages respond to
    it. Look the URL up in a table, or compare the host with a list, and do not follow redirects.
    """

    ID = "TS309"
    NAME = "tainted-url"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "ssrf"
    SINK = TaintedSink(
        kinds=("URL",),
        message="request decides which server is contacted; compare the host with a list",
    )
    WORDS = (
        "fetch",
        "axios",
        "got",
        "ky",
        "needle",
        "superagent",
        "request(",
        "https.",
        "http",
        "goto(",
        "undici",
    )
    VALID = [
        code("""
            app.get('/w', async (req, res) => {
              res.json(await (await fetch(`https://api.example.com/w?city=${req.query.city}`)).json());
            });
        """),
        code("""
            const HOSTS = new Set(['cdn.example.com']);
            app.get('/p', async (req, res) => {
              const url = new URL(String(req.query.src));
              if (!HOSTS.has(url.hostname)) return res.sendStatus(400);
              res.json(await (await fetch(url)).json());
            });
        """),
    ]
    INVALID = [
        code("""
            const got = require('got');
            async function pull(link) {
              return got(«link», { responseType: 'buffer' });
            }

            exports.handler = async (event) => {
              for (const { href } of JSON.parse(event.body).pictures) await pull(href);
            };
        """),
        code("""
            app.get('/icon', async (req, reply) => {
              const icon = await fetch(«new URL('/favicon.ico', req.query.site)»);
              return reply.send(icon.body);
            });
        """),
    ]

    def check(self) -> None:
        report_tainted_sink(self, self.SINK)
