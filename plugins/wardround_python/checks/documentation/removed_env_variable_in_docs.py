"""PY015."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import ChangeCase
from wardround.findings import Severity
from wardround.semantics.docdrift.env_vars import RemovedVariableCheck
from wardround_python.docdrift.env_adapter import PythonVariableCheck

_READ = 'import os\n\nBOX = os.environ["MAIL_BOX"]\nTRIES = int(os.getenv("MAIL_TRIES", "3"))\nLAST = 1\n'
_LESS = 'import os\n\nBOX = os.environ["MAIL_BOX"]\nLAST = 1\n'
_EXAMPLE = "MAIL_BOX=in\n# MAIL_TRIES=3\n"
_SETTINGS = (
    "from pydantic_settings import BaseSettings\n\n\nclass Mail(BaseSettings):\n"
    '    model_config = {"env_prefix": "MAIL_"}\n    box: str\n'
)


def _less(others: dict[str, str], after: str = _LESS, line: int | None = None) -> ChangeCase:
    place = None if line is None else ("mail/post.py", line, 1)
    return ChangeCase({"mail/post.py": (_READ, after)}, others=others, place=place)


class RemovedEnvVariableInDocs(PythonVariableCheck, RemovedVariableCheck):
    """A change stopped reading an environment variable that words still name.

    Whoever sets it believes that it does something. Take it out of the documentation, the example file and
    the settings of containers and pipelines in the same commit. A variable is gone where no code names it any
    more; those that other programs are known to read are passed over.
    """

    ID = "PY015"
    NAME = "removed-env-variable-in-docs"
    DEFECT_CLASS = "withdrawn-variable"
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "2,500 newest commits of each of 8 repositories: 4 hits, in all of which the author changed the "
        "words; none is left to be read, so a note"
    )
    VALID: ClassVar[Sequence[ChangeCase]] = [
        _less({"README.md": "Set MAIL_BOX.\n"}),
        _less({".env.example": _EXAMPLE, "mail/more.py": 'import os\nos.environ["MAIL_TRIES"]\n'}),
        _less({".env.example": _EXAMPLE, "run.sh": "echo $MAIL_TRIES\n"}),
        _less(
            {".env.example": _EXAMPLE},
            after=_READ.replace('os.getenv("MAIL_TRIES", "3")', 'read("MAIL_TRIES")'),
        ),
        _less({"compose.yml": "x:\n  environment:\n    - MAIL_TRIES=3\n  command: run ${MAIL_TRIES}\n"}),
        _less({"CHANGELOG.md": "MAIL_TRIES is read.\n", "README.md": "MAIL_TRIES is no longer read.\n"}),
        ChangeCase(
            {"mail/post.py": ('import os\nos.environ["POSTGRES_PASSWORD"]\n', "import os\n")},
            others={".env.example": "POSTGRES_PASSWORD=x\n"},
        ),
        ChangeCase(
            {"mail/post.py": (_READ, _LESS), ".env.example": (_EXAMPLE, "MAIL_BOX=in\n")},
        ),
        ChangeCase(
            {"mail/post.py": (f"{_SETTINGS}    tries: int = 3\n", f"{_SETTINGS}    tries: float = 3\n")},
            others={".env.example": _EXAMPLE},
        ),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        _less({".env.example": _EXAMPLE}, line=3),
        _less({"docs/settings.md": "| `MAIL_TRIES` | how often |\n"}, line=3),
        _less({"compose.yml": "x:\n  environment:\n    - MAIL_TRIES=3\n"}, line=3),
        _less(
            {".env.example": _EXAMPLE}, after=_READ.replace('int(os.getenv("MAIL_TRIES", "3"))', "3"), line=4
        ),
        ChangeCase(
            {"mail/post.py": (f"{_SETTINGS}    tries: int = 3\n", _SETTINGS)},
            others={".env.example": _EXAMPLE},
            place=("mail/post.py", 6, 5),
        ),
    ]
