"""TS361."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted


class TaintedMethodName(TreeCheck):
    """The request chooses which function of an object is called.

    Every object also has constructor, toString and what its prototype brings, and a name that it lacks throws
    outside of what anybody catches. Keep the functions in a Map, or ask Object.hasOwn first.
    """

    ID = "TS361"
    NAME = "tainted-method-name"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "unvalidated-call"
    SINK = TaintedSink(
        kinds=("METHOD",),
        message="data from the request chooses what is called here, and nothing asks whether it may",
    )
    WORDS = ("](",)
    VALID = [
        code("""
            app.post('/run', (req, res) => {
              if (!Object.hasOwn(ACTIONS, req.body.name)) return res.sendStatus(400);
              res.json(ACTIONS[req.body.name]());
            });
        """),
        code("""
            app.post('/run', (req, res) => {
              res.json(ACTIONS[Number(req.body.place)]());
            });
        """),
    ]
    INVALID = [
        code("""
            app.post('/run', (req, res) => {
              res.json(«actions[req.body.name]»(req.body));
            });
        """),
        code("""
            module.exports = (io) => io.on('connection', (socket) => {
              socket.on('action', (message) => {
                «handlers[message.type]»(socket, message);
              });
            });
        """),
    ]

    def check(self) -> None:
        report_tainted(self, self.SINK)
