"""PY016."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import ChangeCase
from wardround.findings import Severity
from wardround.semantics.docdrift.env_vars import UndocumentedVariableCheck
from wardround_python.docdrift.env_adapter import PythonVariableCheck

_READ = (
    'import os\n\nBOX = os.environ["MAIL_BOX"]\nTO = os.environ["MAIL_TO"]\nKEY = os.environ["MAIL_KEY"]\n'
)
_MORE = f'{_READ}TRIES = os.environ["MAIL_TRIES"]\n'
_EXAMPLE = {".env.example": "MAIL_BOX=in\nMAIL_TO=you\n# MAIL_KEY=\n"}
_SETTINGS = (
    "from pydantic_settings import BaseSettings\n\n\nclass Mail(BaseSettings):\n"
    '    model_config = {"env_prefix": "MAIL_"}\n    box: str\n    to: str\n    key: str = ""\n'
)


def _more(others: dict[str, str], after: str = _MORE, line: int | None = None) -> ChangeCase:
    place = None if line is None else ("mail/post.py", line, 9)
    return ChangeCase({"mail/post.py": (_READ, after)}, others=others, place=place)


class UndocumentedEnvVariable(PythonVariableCheck, UndocumentedVariableCheck):
    """The program needs a new environment variable that the example file does not list, as it lists others.

    The same goes for a README with a table of variables. Whoever sets the program up from it meets an error.
    Add a line to it. Silent where fewer than three of the variables read there are listed, or fewer than
    three quarters of them.
    """

    ID = "PY016"
    NAME = "undocumented-env-variable"
    DEFECT_CLASS = "unlisted-variable"
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "2,500 newest commits of each of 7 repositories, few of which have an example file: no hit, so a note"
    )
    VALID: ClassVar[Sequence[ChangeCase]] = [
        _more({}),
        _more({".env.example": "MAIL_BOX=in\nMAIL_TO=you\n"}),
        _more({".env.example": f"{_EXAMPLE['.env.example']}MAIL_TRIES=3\n"}),
        _more(_EXAMPLE, after=f'{_READ}TRIES = os.environ.get("MAIL_TRIES")\n'),
        _more(
            _EXAMPLE, after=f'{_READ}if "MAIL_TRIES" in os.environ:\n    TRIES = os.environ["MAIL_TRIES"]\n'
        ),
        _more({**_EXAMPLE, "mail/old.py": 'import os\nos.environ["MAIL_TRIES"]\n'}),
        _more(_EXAMPLE, after=f'{_READ}TOKEN = os.environ["GITHUB_TOKEN"]\n'),
        ChangeCase(
            {
                "mail/post.py": (_READ, _MORE),
                ".env.example": (_EXAMPLE[".env.example"], "MAIL_TRIES=\nMAIL_TO=\n"),
            },
        ),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        _more(_EXAMPLE, line=6),
        ChangeCase(
            {"mail/post.py": (_READ, _MORE)},
            others={"mail/env.sample": _EXAMPLE[".env.example"]},
            place=("mail/post.py", 6, 9),
        ),
        _more({"README.md": "| name |\n|---|\n| `MAIL_BOX` |\n| `MAIL_TO` |\n| `MAIL_KEY` |\n"}, line=6),
        ChangeCase(
            {"mail/post.py": (_SETTINGS, f"{_SETTINGS}    tries: int\n")},
            others=_EXAMPLE,
            place=("mail/post.py", 9, 5),
        ),
    ]
