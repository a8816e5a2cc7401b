from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted_sink


class TaintedMethodName(TreeCheck):
    """The request decides which method of an object is called.

    Every object also has ``constructor``, ``toString`` and the members of its prototype, and a missing name
    throws an uncaught error. Keep the functions in a Map, or test ``Object.hasOwn`` first.
    """

    ID = "TS361"
    NAME = "tainted-method-name"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "unvalidated-call"
    SINK = TaintedSink(
        kinds=("METHOD",),
        message="request data selects the called method without a check; use a Map or Object.hasOwn",
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
        report_tainted_sink(self, self.SINK)
