"""TS361."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedMethodName(TaintedCheck):
    """The request chooses which function of an object is called.

    Every object also has constructor, toString and what its prototype brings, and a name that it lacks throws
    outside of what anybody catches. Keep the functions in a Map, or ask Object.hasOwn first.
    """

    ID = "TS361"
    NAME = "tainted-method-name"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "unvalidated-call"
    DANGER = ("METHOD",)
    MESSAGE = "data from the request chooses what is called here, and nothing asks whether it may"
    WORDS = ("](",)
    TRIED_ON = (
        "the trees of NodeBB, langfuse, hoppscotch, formbricks, documenso, supabase/storage, redash, "
        "chainlit, lerna, redux-toolkit, react-hook-form, TanStack/query, chatbot-ui and four "
        "Supabase starters (16,600 scripts): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "app.post('/run', (req, res) => {\n"
            "  if (!Object.hasOwn(ACTIONS, req.body.name)) return res.sendStatus(400);\n"
            "  res.json(ACTIONS[req.body.name]());\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/run', (req, res) => {\n  res.json(ACTIONS[Number(req.body.place)]());\n});\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/run', (req, res) => {\n  res.json(ACTIONS.get(req.body.name)());\n});\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/run', (req, res) => {\n"
            "  if (typeof actions[req.body.name] !== 'function') return res.sendStatus(400);\n"
            "  res.json(actions[req.body.name]());\n"
            "});\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "app.post('/run', (req, res) => {\n  res.json(actions[req.body.name](req.body));\n});\n",
            line=2,
            column=12,
            path="case.ts",
        ),
        Invalid(
            "module.exports = (io) => io.on('connection', (socket) => {\n"
            "  socket.on('action', (message) => {\n"
            "    handlers[message.type](socket, message);\n"
            "  });\n"
            "});\n",
            line=3,
            column=5,
            path="case.ts",
        ),
        Invalid(
            "app.post('/make', (req, res) => {\n"
            "  const { kind } = req.body;\n"
            "  res.json(new (shapes as any)[kind]().draw());\n"
            "});\n",
            line=3,
            column=16,
            path="case.ts",
        ),
    ]
