from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted_sink


class TaintedMassAssignment(TreeCheck):
    """The request decides which fields of a record are written.

    Unexpected fields, such as role or ownerId, are written as well. List the fields that may be changed, or
    let a schema drop the others.
    """

    ID = "TS312"
    NAME = "tainted-mass-assignment"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "mass-assignment"
    SINK = TaintedSink(
        kinds=("FIELDS",),
        message="request decides which fields of the record are written; list the allowed fields",
    )
    WORDS = (
        "create",
        "insert",
        "upsert",
        "save(",
        "build(",
        "pdate",
        "assign(",
        "erge(",
        "patch(",
        "new ",
        "persist(",
    )
    VALID = [
        code("""
            app.post('/u', async (req, res) => {
              const { name, email } = req.body;
              res.json(await User.create({ name, email }));
            });
        """),
        code("""
            app.post('/u', async (req, res) => {
              res.json(await User.create(schema.parse(req.body)));
            });
        """),
    ]
    INVALID = [
        code("""
            router.post('/register', async (ctx) => {
              const { password, ...details } = ctx.request.body;
              ctx.body = await User.create(«{ ...details, hash: await hashed(password) }»);
            });
        """),
        code("""
            app.patch('/me', async (req, res) => {
              await prisma.user.update(«{ where: { id: req.user.id }, data: req.body }»);
            });
        """),
    ]

    def check(self) -> None:
        report_tainted_sink(self, self.SINK)
