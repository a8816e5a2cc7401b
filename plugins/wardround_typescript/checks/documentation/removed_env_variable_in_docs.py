"""TS006."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import ChangeCase
from wardround.findings import Severity
from wardround.semantics.docdrift.env_vars import RemovedVariableCheck
from wardround_typescript.docdrift.env_adapter import ScriptVariableCheck

_READ = "const box = process.env.MAIL_BOX\nconst tries = process.env.MAIL_TRIES\nconst last = 1\n"
_LESS = "const box = process.env.MAIL_BOX\nconst last = 1\n"
_SCHEMA = "const env = z.object({\n  MAIL_BOX: z.string(),\n"
_EXAMPLE = "MAIL_BOX=in\n# MAIL_TRIES=3\n"


def _less(others: dict[str, str], after: str = _LESS, line: int | None = None) -> ChangeCase:
    place = None if line is None else ("src/post.ts", line, 1)
    return ChangeCase({"src/post.ts": (_READ, after)}, others=others, place=place)


class RemovedEnvVariableInDocs(ScriptVariableCheck, RemovedVariableCheck):
    """A change stopped reading an environment variable that words still name.

    Whoever sets it believes that it does something. Take it out of the documentation, the example file and
    the settings of containers and pipelines in the same commit. A variable is gone where no code names it any
    more; those that other programs are known to read are passed over.
    """

    ID = "TS006"
    NAME = "removed-env-variable-in-docs"
    DEFECT_CLASS = "withdrawn-variable"
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "2,500 newest commits of each of 4 repositories: 11 hits, of which the author changed the words in "
        "7; the 4 left, of 2 variables, are right: too few for more than a note"
    )
    VALID: ClassVar[Sequence[ChangeCase]] = [
        _less({"README.md": "Set MAIL_BOX.\n"}),
        _less({".env.example": _EXAMPLE, "src/more.ts": "process.env.MAIL_TRIES\n"}),
        _less(
            {".env.example": _EXAMPLE}, after=_READ.replace("process.env.MAIL_TRIES", 'read("MAIL_TRIES")')
        ),
        _less({"compose.yml": "x:\n  environment:\n    - MAIL_TRIES=3\n  command: run ${MAIL_TRIES}\n"}),
        ChangeCase({"src/post.ts": (_READ, _LESS), ".env.example": (_EXAMPLE, "MAIL_BOX=in\n")}),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        _less({".env.example": _EXAMPLE}, line=1),
        _less({"docs/settings.mdx": "| `MAIL_TRIES` | how often |\n"}, line=1),
        ChangeCase(
            {
                "src/env.ts": (
                    f"{_SCHEMA}  MAIL_TRIES: z.string(),\n}}).parse(process.env)\n",
                    f"{_SCHEMA}}}).parse(process.env)\n",
                )
            },
            others={".env.example": _EXAMPLE},
            place=("src/env.ts", 2, 3),
        ),
    ]
