from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted_sink


class TaintedNosqlQuery(TreeCheck):
    """A request can send query operators where a value is expected.

    A filter that accepts an object from the request also accepts {"$ne": null}, which matches every record: a
    login without a password. Convert the value with ``String``, or validate it with a schema.
    """

    ID = "TS310"
    NAME = "tainted-nosql-query"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "query-injection"
    SINK = TaintedSink(
        kinds=("NOSQL",),
        message="request can send query operators instead of a value; convert it with String",
    )
    WORDS = ("find", "One(", "Many(", "count", "aggregate", "distinct", "remove(")
    VALID = [
        code("""
            import { User } from './models/user';
            app.post('/login', async (req, res) => {
              res.json(await User.findOne({ email: String(req.body.email) }));
            });
        """),
        code("""
            app.post('/login', async (req, res) => {
              res.json(await prisma.user.findFirst({ where: { email: req.body.email } }));
            });
        """),
    ]
    INVALID = [
        code("""
            import { User } from './models/user';
            app.post('/login', async (req, res) => {
              const { email, password } = req.body;
              res.json(await User.findOne(«{ email, password }»));
            });
        """),
        code("""
            const { MongoClient } = require('mongodb');
            router.get('/t', async (ctx) => {
              const filter = { published: true };
              for (const [name, value] of Object.entries(ctx.request.query)) filter[name] = value;
              ctx.body = await db.collection('t').find(«filter»).toArray();
            });
        """),
    ]

    def check(self) -> None:
        report_tainted_sink(self, self.SINK)
