"""TS006: removed env variable in docs."""

from __future__ import annotations

from wardround.checks.cases import change
from wardround.findings import Severity
from wardround.semantics.docdrift.env_vars import RemovedVariableCheck
from wardround_typescript.docdrift.env_adapter import ScriptVariableCheck


class RemovedEnvVariableInDocs(ScriptVariableCheck, RemovedVariableCheck):
    """The documentation names an environment variable that the program no longer reads.

    Setting it has no effect. Remove it from the documentation, the example file and the settings of
    containers and pipelines in the same commit. A variable is removed when no code names it any more;
    variables that other programs are known to read are ignored.
    """

    ID = "TS006"
    NAME = "removed-env-variable-in-docs"
    DEFECT_CLASS = "withdrawn-variable"
    SEVERITY = Severity.INFO
    VALID = [
        change(
            {
                "src/post.ts": (
                    """
                    const box = process.env.MAIL_BOX
                    const tries = process.env.MAIL_TRIES
                    const last = 1
                    """,
                    """
                    const box = process.env.MAIL_BOX
                    const last = 1
                    """,
                ),
            },
            others={
                "README.md": """
                Set MAIL_BOX.
                """,
            },
        ),
        change(
            {
                "src/post.ts": (
                    """
                    const box = process.env.MAIL_BOX
                    const tries = process.env.MAIL_TRIES
                    const last = 1
                    """,
                    """
                    const box = process.env.MAIL_BOX
                    const last = 1
                    """,
                ),
            },
            others={
                ".env.example": """
                MAIL_BOX=in
                # MAIL_TRIES=3
                """,
                "src/more.ts": """
                process.env.MAIL_TRIES
                """,
            },
        ),
    ]
    INVALID = [
        change(
            {
                "src/post.ts": (
                    """
                    const box = process.env.MAIL_BOX
                    const tries = process.env.MAIL_TRIES
                    const last = 1
                    """,
                    """
                    «const box = process.env.MAIL_BOX»
                    const last = 1
                    """,
                ),
            },
            others={
                ".env.example": """
                MAIL_BOX=in
                # MAIL_TRIES=3
                """,
            },
        ),
        change(
            {
                "src/post.ts": (
                    """
                    const box = process.env.MAIL_BOX
                    const tries = process.env.MAIL_TRIES
                    const last = 1
                    """,
                    """
                    «const box = process.env.MAIL_BOX»
                    const last = 1
                    """,
                ),
            },
            others={
                "docs/settings.mdx": """
                | `MAIL_TRIES` | how often |
                """,
            },
        ),
    ]
