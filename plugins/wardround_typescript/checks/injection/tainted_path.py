from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.dataflow.tainted_sink import TaintedSink, report_tainted_sink


class TaintedPath(TreeCheck):
    """Request data becomes part of a file path.

    ``../`` leaves the intended folder. Use ``path.basename`` of the value, give ``sendFile`` a root, or
    resolve the path and check that it starts with the folder and a separator. The same holds for names inside
    an archive and for the file name of an upload.
    """

    ID = "TS303"
    NAME = "tainted-path"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "path-traversal"
    SINK = TaintedSink(
        kinds=("PATH",),
        message="request data becomes part of a file path; use path.basename or check the resolved path",
        archive_message="entry name of the archive decides which file is written; check the resolved path",
    )
    WORDS = (
        "File",
        "fs",
        "unlink",
        "download(",
        "rimraf",
        "require(",
        "Stream",
        "render(",
        "multer",
        "import(",
        "rm(",
        "Dir",
    )
    VALID = [
        code("""
            app.get('/f', (req, res) => {
              res.send(fs.readFileSync(path.join(FOLDER, path.basename(req.query.name))));
            });
        """),
        code("""
            app.get('/f', (req, res) => {
              res.sendFile(req.query.name, { root: FOLDER });
            });
        """),
    ]
    INVALID = [
        code("""
            import fs from 'fs';
            app.get('/f', (req, res) => {
              res.send(fs.readFileSync(«path.join(FOLDER, req.query.name)»));
            });
        """),
        code("""
            import { createWriteStream } from 'node:fs';
            import multipart from '@fastify/multipart';
            app.post('/up', async (request) => {
              for await (const part of request.files()) {
                await pipeline(part.file, createWriteStream(«`/srv/${part.filename}`»));
              }
            });
        """),
    ]

    def check(self) -> None:
        report_tainted_sink(self, self.SINK)
