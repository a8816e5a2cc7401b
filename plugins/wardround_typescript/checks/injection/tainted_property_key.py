from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted_sink


class TaintedPropertyKey(TreeCheck):
    """The request selects a property, and then a property of its value.

    The keys ``__proto__`` and ``constructor`` lead to objects that the program shares, so one request changes
    all of it. Use a Map, or reject these keys.
    """

    ID = "TS315"
    NAME = "tainted-property-key"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "prototype-pollution"
    SINK = TaintedSink(
        kinds=("KEY", "REACHED"),
        message="request selects the keys, and __proto__ changes every object; use a Map or reject it",
    )
    WORDS = ("] =", "]=", "] ??", "] ||", "set(")
    VALID = [
        code("""
            app.post('/s', (req, res) => {
              const seen = new Map();
              seen.set(req.body.key, req.body.value);
            });
        """),
        code("""
            app.post('/s', (req, res) => {
              const { group, key, value } = req.body;
              if ([group, key].includes('__proto__')) return res.sendStatus(400);
              settings.main[key] = value;
            });
        """),
    ]
    INVALID = [
        code("""
            app.post('/s', (req, res) => {
              const { group, key, value } = req.body;
              «settings[group][key]» = value;
            });
        """),
        code("""
            const _ = require('lodash');
            app.post('/s', (req, res) => {
              _.set(settings, «req.body.path», 1);
            });
        """),
    ]

    def check(self) -> None:
        report_tainted_sink(self, self.SINK)
