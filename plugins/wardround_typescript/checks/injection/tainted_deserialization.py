from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted_sink


class TaintedDeserialization(TreeCheck):
    """Request data is deserialized into objects that can run code.

    Input of these functions may name functions and classes, so its author runs code on the server. ``load``
    of js-yaml before version 4 does the same. Send JSON, or use ``safeLoad``.
    """

    ID = "TS305"
    NAME = "tainted-deserialization"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "insecure-deserialisation"
    SINK = TaintedSink(
        kinds=("OBJECTS",),
        message="request data is deserialized into objects that can run code; use JSON or safeLoad",
    )
    WORDS = ("serialize", "yaml", "cryo", "funcster")
    VALID = [
        code("""
            const yaml = require('js-yaml');
            app.post('/up', (req, res) => res.json(yaml.load(req.body.text)));
        """),
        code("""
            app.post('/up', (req, res) => res.json(JSON.parse(req.cookies.cart)));
        """),
    ]
    INVALID = [
        code("""
            const serialize = require('node-serialize');
            function cart(req) {
              const text = Buffer.from(req.cookies.cart, 'base64').toString('utf8');
              return serialize.unserialize(«text»);
            }
        """),
        code(
            """
            const yaml = require('js-yaml');
            router.post('/import', upload.single('file'), (req, res) => {
              res.json(yaml.load(«req.file.buffer.toString('utf8')»));
            });
            """,
            path="a.js",
            others={
                "package.json": '{"dependencies": {"js-yaml": "^3.13.1"}}',
            },
        ),
    ]

    def check(self) -> None:
        report_tainted_sink(self, self.SINK)
