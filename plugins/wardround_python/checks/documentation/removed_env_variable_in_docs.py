"""PY015: removed env variable in docs."""

from __future__ import annotations

from wardround.checks.cases import change
from wardround.findings import Severity
from wardround.rules.maturity import Maturity
from wardround.semantics.docdrift.env_vars import RemovedVariableCheck
from wardround_python.docdrift.env_adapter import PythonVariableCheck


class RemovedEnvVariableInDocs(PythonVariableCheck, RemovedVariableCheck):
    """A change stops reading an environment variable that documentation still names.

    Users who set it expect an effect. Remove it from the documentation, the example file and the settings
    of containers and pipelines in the same commit. A variable counts as removed if no code names it any
    more; variables that other programs are known to read are skipped.
    """

    ID = "PY015"
    NAME = "removed-env-variable-in-docs"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "withdrawn-variable"
    SEVERITY = Severity.INFO
    VALID = [
        change(
            {
                "mail/post.py": (
                    """
                    import os

                    BOX = os.environ["MAIL_BOX"]
                    TRIES = int(os.getenv("MAIL_TRIES", "3"))
                    LAST = 1
                    """,
                    """
                    import os

                    BOX = os.environ["MAIL_BOX"]
                    LAST = 1
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
                "mail/post.py": (
                    """
                    import os
                    os.environ["POSTGRES_PASSWORD"]
                    """,
                    """
                    import os
                    """,
                ),
            },
            others={
                ".env.example": """
                POSTGRES_PASSWORD=x
                """,
            },
        ),
    ]
    INVALID = [
        change(
            {
                "mail/post.py": (
                    """
                    import os

                    BOX = os.environ["MAIL_BOX"]
                    TRIES = int(os.getenv("MAIL_TRIES", "3"))
                    LAST = 1
                    """,
                    """
                    import os

                    «BOX = os.environ["MAIL_BOX"]»
                    LAST = 1
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
                "mail/post.py": (
                    """
                    import os

                    BOX = os.environ["MAIL_BOX"]
                    TRIES = int(os.getenv("MAIL_TRIES", "3"))
                    LAST = 1
                    """,
                    """
                    import os

                    «BOX = os.environ["MAIL_BOX"]»
                    LAST = 1
                    """,
                ),
            },
            others={
                "docs/settings.md": """
                | `MAIL_TRIES` | how often |
                """,
            },
        ),
    ]
