"""PY016: undocumented env variable."""

from __future__ import annotations

from wardround.checks.cases import change
from wardround.findings import Severity
from wardround.rules.maturity import Maturity
from wardround.semantics.docdrift.env_vars import UndocumentedVariableCheck
from wardround_python.docdrift.env_adapter import PythonVariableCheck


class UndocumentedEnvVariable(PythonVariableCheck, UndocumentedVariableCheck):
    """The program reads a new environment variable that the example file does not list.

    The same applies to a README with a table of variables. Users who set up the program from it get an
    error. Add a line to it.

    Not reported if fewer than three of the variables read there are listed, or fewer than three quarters.
    """

    ID = "PY016"
    NAME = "undocumented-env-variable"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "unlisted-variable"
    SEVERITY = Severity.INFO
    VALID = [
        change(
            {
                "mail/post.py": (
                    """
                    import os

                    BOX = os.environ["MAIL_BOX"]
                    TO = os.environ["MAIL_TO"]
                    KEY = os.environ["MAIL_KEY"]
                    """,
                    """
                    import os

                    BOX = os.environ["MAIL_BOX"]
                    TO = os.environ["MAIL_TO"]
                    KEY = os.environ["MAIL_KEY"]
                    TRIES = os.environ["MAIL_TRIES"]
                    """,
                ),
            },
        ),
        change(
            {
                "mail/post.py": (
                    """
                    import os

                    BOX = os.environ["MAIL_BOX"]
                    TO = os.environ["MAIL_TO"]
                    KEY = os.environ["MAIL_KEY"]
                    """,
                    """
                    import os

                    BOX = os.environ["MAIL_BOX"]
                    TO = os.environ["MAIL_TO"]
                    KEY = os.environ["MAIL_KEY"]
                    TRIES = os.environ["MAIL_TRIES"]
                    """,
                ),
            },
            others={
                ".env.example": """
                MAIL_BOX=in
                MAIL_TO=you
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
                    TO = os.environ["MAIL_TO"]
                    KEY = os.environ["MAIL_KEY"]
                    """,
                    """
                    import os

                    BOX = os.environ["MAIL_BOX"]
                    TO = os.environ["MAIL_TO"]
                    KEY = os.environ["MAIL_KEY"]
                    TRIES = «os.environ["MAIL_TRIES"]»
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
                "mail/post.py": (
                    """
                    import os

                    BOX = os.environ["MAIL_BOX"]
                    TO = os.environ["MAIL_TO"]
                    KEY = os.environ["MAIL_KEY"]
                    """,
                    """
                    import os

                    BOX = os.environ["MAIL_BOX"]
                    TO = os.environ["MAIL_TO"]
                    KEY = os.environ["MAIL_KEY"]
                    TRIES = «os.environ["MAIL_TRIES"]»
                    """,
                ),
            },
            others={
                "mail/env.sample": """
                MAIL_BOX=in
                MAIL_TO=you
                # MAIL_KEY=
                """,
            },
        ),
    ]
