"""TS007: undocumented env variable."""

from __future__ import annotations

from wardround.checks.cases import change
from wardround.findings import Severity
from wardround.rules.maturity import Maturity
from wardround.semantics.docdrift.env_vars import UndocumentedVariableCheck
from wardround_typescript.docdrift.env_adapter import ScriptVariableCheck


class UndocumentedEnvVariable(ScriptVariableCheck, UndocumentedVariableCheck):
    """A required environment variable is missing from the example file.

    Setting the program up from that file fails. Add a line for the variable. It is required if it is read
    with ``!``, or if a schema of the environment declares it without a default and not as optional. The rule
    applies where at least three, and at least three quarters, of the variables read there are listed.
    """

    ID = "TS007"
    NAME = "undocumented-env-variable"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "unlisted-variable"
    SEVERITY = Severity.INFO
    VALID = [
        change(
            {
                "src/env.ts": (
                    """
                    export const env = z.object({
                      MAIL_BOX: z.string(),
                      MAIL_TO: z.string().email(),
                      MAIL_KEY: z.string().optional(),
                    }).parse(process.env)
                    """,
                    """
                    export const env = z.object({
                      MAIL_BOX: z.string(),
                      MAIL_TO: z.string().email(),
                      MAIL_KEY: z.string().optional(),
                      MAIL_TRIES: z.string(),
                    }).parse(process.env)
                    """,
                ),
            },
        ),
        change(
            {
                "src/env.ts": (
                    """
                    export const env = z.object({
                      MAIL_BOX: z.string(),
                      MAIL_TO: z.string().email(),
                      MAIL_KEY: z.string().optional(),
                    }).parse(process.env)
                    """,
                    """
                    export const env = z.object({
                      MAIL_BOX: z.string(),
                      MAIL_TO: z.string().email(),
                      MAIL_KEY: z.string().optional(),
                      MAIL_TRIES: z.string(),
                    }).parse(process.env)
                    """,
                ),
            },
            others={
                ".env.example": """
                MAIL_BOX=in
                """,
            },
        ),
    ]
    INVALID = [
        change(
            {
                "src/env.ts": (
                    """
                    export const env = z.object({
                      MAIL_BOX: z.string(),
                      MAIL_TO: z.string().email(),
                      MAIL_KEY: z.string().optional(),
                    }).parse(process.env)
                    """,
                    """
                    export const env = z.object({
                      MAIL_BOX: z.string(),
                      MAIL_TO: z.string().email(),
                      MAIL_KEY: z.string().optional(),
                      «MAIL_TRIES»: z.string(),
                    }).parse(process.env)
                    """,
                ),
            },
            others={
                ".env.example": """
                MAIL_BOX=in
                MAIL_TO=you
                # MAIL_KEY=
                """,
            },
        ),
        change(
            {
                "src/post.ts": (
                    """
                    f(process.env.MAIL_BOX, process.env.MAIL_TO, process.env.MAIL_KEY)
                    """,
                    """
                    f(process.env.MAIL_BOX, process.env.MAIL_TO, process.env.MAIL_KEY)
                    g(«process.env.MAIL_TRIES»!)
                    """,
                ),
            },
            others={
                ".env.example": """
                MAIL_BOX=in
                MAIL_TO=you
                # MAIL_KEY=
                """,
            },
        ),
    ]
