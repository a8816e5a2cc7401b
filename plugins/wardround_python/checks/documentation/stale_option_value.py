"""PY014."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import ChangeCase
from wardround.findings import Severity
from wardround.semantics.docdrift.cli_values import StaleValueCheck
from wardround_python.docdrift.cli_adapter import PythonOptionCheck

_SCRIPTS = {"pyproject.toml": '[project.scripts]\npost = "mail.cli:main"\n'}


def _change(before: str, after: str, line: int | None = None, readme: str = "") -> ChangeCase:
    """A change of the arguments that declare ``--tries``."""
    files = {"README.md": readme}
    text = (
        'import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument(\n    "--tries",\n{}\n)\n'
    )
    return ChangeCase(
        {"mail/cli.py": (text.format(before), text.format(after))},
        others={**_SCRIPTS, **files},
        place=None if line is None else ("mail/cli.py", line, 1 if line == 4 else 5),
    )


_THREE, _FIVE = "    default=3,", "    default=5,"
_SAID = '    help="how often (default: 3)",'


class StaleOptionValue(PythonOptionCheck, StaleValueCheck):
    """A change gave an option another default or took one of its choices, and words still state the old one.

    The words are the option's own help, or documentation of the program that names the option. Whoever
    believes them relies on what no longer happens.
    """

    ID = "PY014"
    NAME = "stale-option-value"
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "2,500 newest commits of each of 13 repositories, and all of the command lines of 3: 3 hits, of "
        "which the author changed the words in 2; the one left is right: too few for more than a note"
    )
    VALID: ClassVar[Sequence[ChangeCase]] = [
        _change(f"{_THREE}\n{_SAID}", f"{_THREE}\n    type=int,\n{_SAID}"),
        _change(f"{_THREE}\n{_SAID}", f"{_FIVE}\n{_SAID.replace('3', '5')}"),
        _change(f"{_THREE}\n{_SAID}", f'{_FIVE}\n    help="how often (default: %(default)s)",'),
        _change(f"{_THREE}\n{_SAID}", f"    default=tries(),\n{_SAID}"),
        _change(_THREE, _FIVE, readme="`post --tries` posts 3 times.\n"),
        _change(_THREE, _FIVE, readme="`wget --tries`: default 3.\n"),
        _change(_THREE, "    default=35,", readme="`post --tries`: default 35.\n"),
        _change('    choices=["once", "twice"],', '    choices=["once", "twice", "never"],'),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        _change(f"{_THREE}\n{_SAID}", f"{_FIVE}\n{_SAID}", 7),
        _change(f"{_THREE}\n    help='Defaults to `3`.',", f"{_FIVE}\n    help='Defaults to `3`.',", 7),
        _change(
            _THREE, _FIVE, 6, readme="    post --tries N    how often\n                      (default 3)\n"
        ),
        _change(_THREE, _FIVE, 6, readme="| option | default |\n|---|---|\n| `post --tries` | `3` |\n"),
        _change(
            '    choices=["once", "twice"],\n    help="once or twice",',
            '    choices=["once", "always"],\n    help="once or twice",',
            7,
        ),
    ]
