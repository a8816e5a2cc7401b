"""TS007."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import ChangeCase
from wardround.findings import Severity
from wardround.semantics.docdrift.env_vars import UndocumentedVariableCheck
from wardround_typescript.docdrift.env_adapter import ScriptVariableCheck


def _schema(*rules: str) -> str:
    keys = "".join(f"  {rule},\n" for rule in rules)
    return f"export const env = z.object({{\n{keys}}}).parse(process.env)\n"


_READ = _schema("MAIL_BOX: z.string()", "MAIL_TO: z.string().email()", "MAIL_KEY: z.string().optional()")
_CALL = "f(process.env.MAIL_BOX, process.env.MAIL_TO, process.env.MAIL_KEY)\n"
_EXAMPLE = {".env.example": "MAIL_BOX=in\nMAIL_TO=you\n# MAIL_KEY=\n"}


def _more(
    others: dict[str, str], rule: str = "MAIL_TRIES: z.string()", line: int | None = None
) -> ChangeCase:
    place = None if line is None else ("src/env.ts", line, 3)
    return ChangeCase(
        {"src/env.ts": (_READ, _READ.replace("})", f"  {rule},\n}})"))}, others=others, place=place
    )


class UndocumentedEnvVariable(ScriptVariableCheck, UndocumentedVariableCheck):
    """The program needs a new environment variable that the example file does not list, as it lists others.

    Whoever sets the program up from that file meets an error. Add a line to it. A variable is needed that is
    read with ``!``, or that a schema of the environment says nothing milder of. Silent where fewer than three
    of the variables read there are listed, or fewer than three quarters of them.
    """

    ID = "TS007"
    NAME = "undocumented-env-variable"
    DEFECT_CLASS = "unlisted-variable"
    SEVERITY = Severity.INFO
    TRIED_ON = "2,500 newest commits of each of 4 repositories: no hit, so a note"
    VALID: ClassVar[Sequence[ChangeCase]] = [
        _more({}),
        _more({".env.example": "MAIL_BOX=in\n"}),
        _more({".env.example": f"{_EXAMPLE['.env.example']}MAIL_TRIES=3\n"}),
        _more(_EXAMPLE, rule='MAIL_TRIES: z\n    .string()\n    .default("3")'),
        _more(_EXAMPLE, rule="NODE_ENV: z.string()"),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        _more(_EXAMPLE, line=5),
        _more(_EXAMPLE, rule="MAIL_TRIES: z\n    .coerce.number()", line=5),
        ChangeCase(
            {
                "src/post.ts": (
                    _CALL,
                    f"{_CALL}g(process.env.MAIL_TRIES!)\n",
                )
            },
            others=_EXAMPLE,
            place=("src/post.ts", 2, 3),
        ),
    ]
