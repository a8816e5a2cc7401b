"""TS305."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedDeserialization(TaintedCheck):
    """Data from the request is turned into objects that can run code.

    What these functions read may name functions and classes, so whoever wrote it runs code on the server. js-
    yaml before version 4 does the same in load. Send JSON, or use safeLoad.
    """

    ID = "TS305"
    NAME = "tainted-deserialization"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "insecure-deserialisation"
    DANGER = ("OBJECTS",)
    MESSAGE = "data from the request is turned into objects that can run code"
    WORDS = ("serialize", "yaml", "cryo", "funcster")
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "const yaml = require('js-yaml');\n"
            "app.post('/up', (req, res) => res.json(yaml.load(req.body.text)));\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/up', (req, res) => res.json(JSON.parse(req.cookies.cart)));\n",
            path="case.ts",
        ),
        Valid(
            "const { unserialize } = require('node-serialize');\n"
            "module.exports = () => unserialize(fs.readFileSync('cart.json', 'utf8'));\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "const serialize = require('node-serialize');\n"
            "function cart(req) {\n"
            "  const text = Buffer.from(req.cookies.cart, 'base64').toString('utf8');\n"
            "  return serialize.unserialize(text);\n"
            "}\n",
            line=4,
            column=32,
            path="case.ts",
        ),
        Invalid(
            "const yaml = require('js-yaml');\n"
            "router.post('/import', upload.single('file'), (req, res) => {\n"
            "  res.json(yaml.load(req.file.buffer.toString('utf8')));\n"
            "});\n",
            line=3,
            column=22,
            path="a.js",
            others={"package.json": '{"dependencies": {"js-yaml": "^3.13.1"}}'},
        ),
        Invalid(
            "import v8 from 'node:v8';\n"
            "export async function POST(request) {\n"
            "  return Response.json(v8.deserialize(await request.text()));\n"
            "}\n",
            line=3,
            column=39,
            path="case.ts",
        ),
    ]
