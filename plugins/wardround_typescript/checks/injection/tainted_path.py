"""TS303."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedPath(TaintedCheck):
    """Data from the request chooses which file is touched.

    Two dots and a slash climb out of the folder you meant. Take path.basename of the value, give sendFile a
    root, or resolve the path and check that it still starts with the folder and a separator. The same holds
    for names inside an archive, and for the name an upload was sent with.
    """

    ID = "TS303"
    NAME = "tainted-path"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "path-traversal"
    DANGER = ("PATH",)
    MESSAGE = "data from the request chooses which file is touched"
    ARCHIVE_MESSAGE = "a name inside the archive chooses which file is written"
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
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): no hit left; one of formbricks was wrong (an option named "
        "filename) and mended"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "app.get('/f', (req, res) => {\n"
            "  res.send(fs.readFileSync(path.join(FOLDER, path.basename(req.query.name))));\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.get('/f', (req, res) => {\n  res.sendFile(req.query.name, { root: FOLDER });\n});\n",
            path="case.ts",
        ),
        Valid(
            "import { readFile } from 'node:fs/promises';\n"
            "app.get('/f', async (req, res) => {\n"
            "  const file = path.resolve(FOLDER, req.query.name);\n"
            "  if (!file.startsWith(FOLDER + path.sep)) throw new Error('outside');\n"
            "  res.send(await readFile(file));\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "const fs = require('fs');\n"
            "const VERSION = /^\\d+\\.\\d+$/;\n"
            "app.get('/:version', (req, res) => {\n"
            "  const { version } = req.params;\n"
            "  if (!VERSION.test(version)) return res.sendStatus(404);\n"
            "  res.send(fs.readFileSync(`notes/${version}.md`, 'utf8'));\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "import AdmZip from 'adm-zip';\n"
            "import fs from 'fs';\n"
            "for (const entry of new AdmZip(file).getEntries()) {\n"
            "  const target = path.resolve(FOLDER, entry.entryName);\n"
            "  if (!target.startsWith(FOLDER + path.sep)) throw new Error(target);\n"
            "  fs.writeFileSync(target, entry.getData());\n"
            "}\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import fs from 'fs';\n"
            "app.get('/f', (req, res) => {\n"
            "  res.send(fs.readFileSync(path.join(FOLDER, req.query.name)));\n"
            "});\n",
            line=3,
            column=28,
            path="case.ts",
        ),
        Invalid(
            "import { createWriteStream } from 'node:fs';\n"
            "import multipart from '@fastify/multipart';\n"
            "app.post('/up', async (request) => {\n"
            "  for await (const part of request.files()) {\n"
            "    await pipeline(part.file, createWriteStream(`/srv/${part.filename}`));\n"
            "  }\n"
            "});\n",
            line=5,
            column=49,
            path="case.ts",
        ),
        Invalid(
            "import unzipper from 'unzipper';\n"
            "import fs from 'fs';\n"
            "for await (const entry of zip) {\n"
            "  entry.pipe(fs.createWriteStream(path.join(target, entry.path)));\n"
            "}\n",
            line=4,
            column=35,
            path="case.ts",
        ),
        Invalid(
            "import multer from 'multer';\n"
            "const storage = multer.diskStorage({\n"
            "  destination: 'uploads',\n"
            "  filename: (req, file, cb) => cb(null, `${Date.now()}-${file.originalname}`),\n"
            "});\n",
            line=4,
            column=41,
            path="case.ts",
        ),
        Invalid(
            "const { unlink } = require('fs/promises');\n"
            "\n"
            "class AvatarStore {\n"
            "  async remove(variant) {\n"
            "    await unlink(`avatars/${variant}`);\n"
            "  }\n"
            "}\n",
            line=5,
            column=18,
            path="store.js",
            others={
                "actions.js": "'use server';\nimport { avatarStore } from '@/stores';\nexport async "
                "function removeVariant(data) {\n  await "
                "avatarStore.remove(data.get('variant'));\n}\n"
            },
        ),
    ]
