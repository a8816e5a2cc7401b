from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted_sink


class TaintedSession(TreeCheck):
    """Request data is stored in the session unchecked.

    Other code trusts the session and does not check its values again. Look the value up, or validate it,
    before storing it.
    """

    ID = "TS311"
    NAME = "tainted-session"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "trust-boundary"
    SINK = TaintedSink(
        kinds=("TRUST",),
        message="request data is stored in the session unchecked; validate it first",
    )
    WORDS = ("session.", "session[")
    VALID = [
        code("""
            app.post('/login', async (req, res) => {
              const user = await users.check(req.body.name, req.body.password);
              req.session.userId = user.id;
            });
        """),
        code("""
            app.post('/lang', (req, res) => {
              if (LANGS.includes(req.body.lang)) req.session.lang = req.body.lang;
            });
        """),
    ]
    INVALID = [
        code("""
            app.post('/switch', (req, res) => {
              const { account } = req.body;
              «req.session.accountId» = account ?? 'default';
              res.sendStatus(204);
            });
        """),
        code("""
            app.get('/as', (req, res) => {
              «req.session.userId» = req.query.user;
            });
        """),
    ]

    def check(self) -> None:
        report_tainted_sink(self, self.SINK)
