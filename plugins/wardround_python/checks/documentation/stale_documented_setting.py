"""PY067."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity, Span
from wardround_python.check import PythonCheck

_DOC = "# Settings\n\n## `BODY_LIMIT`\n\nDefault: `10000`\n\nThe most that is kept.\n"
_TABLE = (
    "| Key | Default | Meaning |\n|---|---|---|\n| `spool` | `memory` | Where events wait: memory or disk |\n"
)
_FIELDS = "class RelayConfig:\n    spool: str = '{}'\n"


class StaleDocumentedSetting(PythonCheck):
    """A setting has another default and the documentation states the old one.

    Whoever runs the program goes by the page and leaves the setting out. Change the page in the same commit.
    """

    ID = "PY067"
    NAME = "stale-documented-setting"
    PREFILTER = "wardround_python.prefilters:brings_a_setting"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "stale-documentation"
    TRIED_ON = (
        "the newest 250 commits of each of 6 repositories, 1,948 changed files: none, so nothing wrong and "
        "nothing proven"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            'LIMIT = envint("BODY_LIMIT", "20000")\n',
            base='LIMIT = envint("BODY_LIMIT", "10000")\n',
            others={"docs/settings.md": _DOC.replace("10000", "20000")},
        ),
        Valid(
            'LIMIT = envint("OTHER_LIMIT", "20000")\n',
            base='LIMIT = envint("OTHER_LIMIT", "10000")\n',
            others={"docs/settings.md": _DOC},
        ),
        Valid(
            "class Spool:\n    spool: str = 'disk'\n",
            base="class Spool:\n    spool: str = 'memory'\n",
            others={"docs/settings.md": _TABLE},
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            'LIMIT = envint("BODY_LIMIT", "20000")\n',
            base='LIMIT = envint("BODY_LIMIT", "10000")\n',
            others={"docs/settings.md": _DOC},
            line=1,
            column=1,
        ),
        Invalid(
            _FIELDS.format("disk"),
            base=_FIELDS.format("memory"),
            others={"docs/settings.md": _TABLE},
            line=2,
            column=5,
        ),
        Invalid(
            'import os\nSIZE = int(os.getenv("POOL_SIZE", "15"))\n',
            base='import os\nSIZE = int(os.getenv("POOL_SIZE", "5"))\n',
            others={".env.example": "# Connections. Default: 5\n# POOL_SIZE=\n"},
            line=2,
            column=1,
        ),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        from wardround.semantics.docdrift.config_defaults import (
            stale_defaults,  # not needed where nothing changed
        )

        for one in stale_defaults(self.source):
            line = self.source.lines[one.line - 1]
            column = len(line) - len(line.lstrip()) + 1
            self.report(
                Span(one.line, column, one.line, len(line.rstrip()) + 1),
                f'this change made the default of {one.name} "{one.new}", but {one.where} still says '
                f'"{one.phrase}"',
            )
