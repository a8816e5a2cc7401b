"""PY013."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import ChangeCase
from wardround.findings import Severity
from wardround.semantics.docdrift.cli_checks import RemovedOptionCheck
from wardround_python.docdrift.cli_adapter import PythonOptionCheck

_SCRIPTS = '[project.scripts]\npost = "mail.cli:main"\n'
_README = "# Post\n\n    post --tries 3 letter.txt\n"
_TABLE = "| option | |\n|---|---|\n| `--to` | who |\n| `--tries` | how often |\n| `--post-box` | where |\n"


def _cli(*options: str, rest: str = "") -> str:
    added = "".join(f"    parser.add_argument({option})\n" for option in options)
    head = "import argparse\n\n\ndef main():\n    parser = argparse.ArgumentParser()\n"
    return f"{head}{added}    return parser\n{rest}"


_CLICK = 'import click\n\n\n@click.command()\n@click.option("--to")\n'
_TO, _TRIES, _BOX = '"--to"', '"-t", "--tries", type=int', '"--post-box"'


def _taken(others: dict[str, str], after: str = _cli(_TO, _BOX), **case: object) -> ChangeCase:
    """A change that takes ``--tries`` out of ``mail/cli.py``."""
    place = case.get("place")
    return ChangeCase(
        {"mail/cli.py": (_cli(_TO, _TRIES, _BOX), after)},
        others=others,
        place=("mail/cli.py", place, 5) if isinstance(place, int) else None,
    )


class RemovedOptionInDocs(PythonOptionCheck, RemovedOptionCheck):
    """A change took an option off a command line, and words about the program still name it.

    Whoever follows them gets an error, and a step that runs the program fails. Change the words in the same
    commit, or keep the option as a deprecated one. It counts as gone where no code has it as a string of its
    own any more. In documentation it must stand in a command of this program, in a line that names the
    program, or among other options of it; what is said of older versions is passed over.
    """

    ID = "PY013"
    NAME = "removed-option-in-docs"
    DEFECT_CLASS = "withdrawn-option"
    SEVERITY = Severity.WARN
    TRIED_ON = (
        "2,500 newest commits of each of 20 repositories, 21,223 with Python: 45 hits, of which the author "
        "changed the words in 23; of the 22 left, all read, 21 are right, and one is about an option that a "
        "plugin of the program declares now"
    )
    VALID: ClassVar[Sequence[ChangeCase]] = [
        _taken({"README.md": "# Post\n\nPosts letters.\n", "pyproject.toml": _SCRIPTS}),
        _taken({"README.md": _README}, after=_cli(_TO, _BOX, _TRIES)),
        # another program's, or nobody knows whose
        _taken({"README.md": "# Post\n\n    wget --tries 3 x\n", "pyproject.toml": _SCRIPTS}),
        _taken({"README.md": "# Post\n\nSome programs know `--tries`.\n", "pyproject.toml": _SCRIPTS}),
        # still there: declared or used elsewhere, or computed
        _taken({"README.md": _README, "pyproject.toml": _SCRIPTS, "mail/more.py": 'add("--tries")\n'}),
        _taken({"README.md": _README, "pyproject.toml": _SCRIPTS, "run.sh": "post '--tries' 3\n"}),
        _taken(
            {"README.md": _README, "pyproject.toml": _SCRIPTS},
            after=_cli(_TO, _BOX, rest="for name in NAMES:\n    parser.add_argument(name)\n"),
        ),
        _taken(
            {"README.md": _README, "pyproject.toml": _SCRIPTS},
            after="import typer\n\n\ndef main(to: str, tries: int = 3, post_box: str = ''): ...\n",
        ),
        # what was once so
        _taken({"CHANGELOG.md": _README, "pyproject.toml": _SCRIPTS}),
        _taken({"README.md": "`post --tries` was removed in 2.0.\n", "pyproject.toml": _SCRIPTS}),
        # the words went too
        ChangeCase(
            {"mail/cli.py": (_cli(_TO, _TRIES), _cli(_TO)), "README.md": (_README, "# Post\n")},
            others={"pyproject.toml": _SCRIPTS},
        ),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        _taken({"README.md": _README, "pyproject.toml": _SCRIPTS}, place=6),
        _taken({"docs/use.md": _TABLE}, place=6),
        _taken({"README.md": "Run `python -m mail.cli --tries 3`.\n"}, place=6),
        _taken(
            {
                "docs/use.rst": "Use ``post --tries``.\n",
                "setup.cfg": "console_scripts =\n  post = mail.cli:main\n",
            },
            after=_cli(_TO, '"-t", "--attempts", type=int', _BOX),
            place=7,
        ),
        _taken(
            {
                ".github/workflows/post.yml": "jobs:\n  a:\n    steps:\n      - run: post --tries 3 a\n",
                "pyproject.toml": _SCRIPTS,
            },
            place=6,
        ),
        _taken({}, after=_cli(_TO, _BOX, rest="    # more than --tries allows\n"), place=6),
        ChangeCase(
            {
                "mail/cli.py": (
                    f'{_CLICK}@click.option("--tries/--no-tries")\ndef post(to, tries): ...\n',
                    f"{_CLICK}def post(to): ...\n",
                )
            },
            others={"README.md": "    $ post --no-tries a\n", "pyproject.toml": _SCRIPTS},
            place=("mail/cli.py", 6, 1),
        ),
        ChangeCase(
            {
                "mail/cli.py": (
                    "import typer\n\n\ndef post(to: str, hard_tries: int = typer.Option(3)): ...\n",
                    "import typer\n\n\ndef post(to: str): ...\n",
                )
            },
            others={"README.md": "    $ post --hard-tries 4 a\n", "pyproject.toml": _SCRIPTS},
            place=("mail/cli.py", 4, 1),
        ),
    ]
