"""TS315."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedPropertyKey(TaintedCheck):
    """The request chooses a property, and then a property of that.

    The keys __proto__ and constructor lead to what all objects share, so one request changes the whole
    program. Use a Map, or refuse these keys.
    """

    ID = "TS315"
    NAME = "tainted-property-key"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "prototype-pollution"
    DANGER = ("KEY", "REACHED")
    MESSAGE = "the request chooses the keys here, and __proto__ among them changes every object"
    WORDS = ("] =", "]=", "] ??", "] ||", "set(")
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): no hit left; two were wrong (one level, a default) and "
        "mended"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "app.post('/s', (req, res) => {\n"
            "  const seen = new Map();\n"
            "  seen.set(req.body.key, req.body.value);\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/s', (req, res) => {\n"
            "  const { group, key, value } = req.body;\n"
            "  if ([group, key].includes('__proto__')) return res.sendStatus(400);\n"
            "  settings.main[key] = value;\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "function put(root, keys, value) {\n"
            "  let node = root;\n"
            "  for (const key of keys) {\n"
            "    if (key === '__proto__' || key === 'constructor') return;\n"
            "    node[key] ??= {};\n"
            "    node = node[key];\n"
            "  }\n"
            "}\n"
            "app.post('/s', (req, res) => put({}, req.body.path.split('.'), 1));\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "function put(root, path, value) {\n"
            "  const keys = path.split('.');\n"
            "  const last = keys.pop();\n"
            "  let node = root;\n"
            "  for (const key of keys) {\n"
            "    node[key] = node[key] || {};\n"
            "    node = node[key];\n"
            "  }\n"
            "  node[last] = value;\n"
            "}\n"
            "\n"
            "app.patch('/s', (req, res) => {\n"
            "  put(settings, String(req.body.option), req.body.value);\n"
            "});\n",
            line=9,
            column=3,
            path="case.ts",
        ),
        Invalid(
            "app.post('/s', (req, res) => {\n"
            "  const { group, key, value } = req.body;\n"
            "  settings[group][key] = value;\n"
            "});\n",
            line=3,
            column=3,
            path="case.ts",
        ),
        Invalid(
            "const _ = require('lodash');\n"
            "app.post('/s', (req, res) => {\n"
            "  _.set(settings, req.body.path, 1);\n"
            "});\n",
            line=3,
            column=19,
            path="case.ts",
        ),
    ]
