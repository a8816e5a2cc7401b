"""TS304."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedCode(TaintedCheck):
    """Data from the request is run as code.

    Whoever sends the request runs code with the rights of the server; vm and vm2 keep nobody in. Parse the
    value, or look it up in a table of functions.
    """

    ID = "TS304"
    NAME = "tainted-code"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "code-injection"
    DANGER = ("CODE",)
    MESSAGE = "data from the request is run as code"
    ARGUMENTS_MESSAGE = "a word of the command line is run as code"
    WORDS = ("eval", "Function", "vm", "require(", "import(", "$where", "valuate", "Script")
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): one hit, in NodeBB's installer, right (the query names "
        "the module that is loaded); all of NodeGoat's evals"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "app.post('/sum', (req, res) => {\n  res.json(JSON.parse(req.body.text));\n});\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/run', (req, res) => {\n  res.json(ACTIONS[req.body.name]());\n});\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/sum', (req, res) => {\n  res.json(eval('1 + 1'));\n});\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "app.get('/p/:name', (req, res) => {\n"
            "  const plugin = require('./plugins/' + req.params.name);\n"
            "  res.json(plugin.info);\n"
            "});\n",
            line=2,
            column=26,
            path="case.ts",
        ),
        Invalid(
            "app.post('/sum', (req, res) => {\n"
            "  const source = `return ${req.body.formula}`;\n"
            "  res.json(new Function('x', source)(1));\n"
            "});\n",
            line=3,
            column=30,
            path="case.ts",
        ),
        Invalid(
            "import vm from 'node:vm';\n"
            "export async function POST(request) {\n"
            "  const { filter } = await request.json();\n"
            "  return Response.json(vm.runInNewContext(`rows.filter((r) => ${filter})`, { rows }));\n"
            "}\n",
            line=4,
            column=43,
            path="case.ts",
        ),
    ]
