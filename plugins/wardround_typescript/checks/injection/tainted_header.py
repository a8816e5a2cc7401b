"""TS313."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_typescript.dataflow.check import TaintedCheck


class TaintedHeader(TaintedCheck):
    """Data from the request becomes a line of a header.

    A line break in the value adds a header of the sender's own, or a second request. Take line breaks out, or
    encode the value.
    """

    ID = "TS313"
    NAME = "tainted-header"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "header-injection"
    DANGER = ("HEADER",)
    MESSAGE = "data from the request becomes a line of a header"
    WORDS = ("\\r\\n",)
    TRIED_ON = (
        "the trees of NodeBB, supabase/storage, hoppscotch, documenso, formbricks and langfuse "
        "without their tests (5,800 files): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "app.post('/t', (req, res) => {\n"
            "  socket.write(`X-Title: ${encodeURIComponent(req.body.title)}\\r\\n`);\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/t', (req, res) => {\n"
            "  const title = req.body.title.replace(/[\\r\\n]/g, ' ');\n"
            "  socket.write(`X-Title: ${title}\\r\\n`);\n"
            "});\n",
            path="case.ts",
        ),
        Valid(
            "app.post('/t', (req, res) => {\n  log.write(`title ${req.body.title}\\r\\n`);\n});\n",
            path="case.ts",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "app.post('/t', (req, res) => {\n"
            "  const lines = ['POST /x HTTP/1.1', `X-Title: ${req.body.title}`];\n"
            "  socket.write(lines.join('\\r\\n'));\n"
            "});\n",
            line=2,
            column=38,
            path="case.ts",
        ),
        Invalid(
            "app.post('/m', (req, res) => {\n  smtp.write(`Subject: ${req.body.subject}\\r\\n`);\n});\n",
            line=2,
            column=14,
            path="case.ts",
        ),
        Invalid(
            "function head(title) {\n"
            "  return [`X-Title: ${title}`, 'Host: x'].join('\\r\\n');\n"
            "}\n"
            "app.post('/t', (req, res) => socket.end(head(req.query.title)));\n",
            line=2,
            column=11,
            path="case.ts",
        ),
    ]
