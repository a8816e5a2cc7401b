"""The command that starts this installation, as people can type it."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

COMMANDS = (
    "act",
    "adapters",
    "baseline",
    "behaviour",
    "ci",
    "dashboard",
    "data",
    "dismiss",
    "doctor",
    "environment",
    "eval",
    "exchange",
    "explain",
    "hook",
    "index",
    "init",
    "keys",
    "lab",
    "plugins",
    "policy",
    "post",
    "receive",
    "records",
    "related",
    "release-notes",
    "replay",
    "review",
    "rules",
    "schema",
    "serve",
    "solve",
    "test",
    "types",
    "verify",
    "write",
)
_NAME = "wardround"


@cache
def own_command() -> str:
    """Return ``wardround`` if that starts this installation in a shell, else its full path, quoted.

    A runner of git hooks adds the environment of a hook to PATH for the hook only, so the command found on
    PATH is not used.
    """
    return _command(os.environ, Path(sys.prefix) / "bin")


def _command(environ: Mapping[str, str], scripts: Path) -> str:
    folders = environ.get("PATH", os.defpath).split(os.pathsep)
    if environ.get("PRE_COMMIT"):
        folders = [folder for folder in folders if Path(folder) != scripts]
    import shutil  # loads archive formats, which a start without hints does not need

    script = scripts / _NAME
    found = shutil.which(_NAME, path=os.pathsep.join(folders))
    if found is not None and _is_same(Path(found), script):
        return _NAME
    if script.exists():
        return shlex.quote(str(script))
    return f"{shlex.quote(sys.executable)} -m {_NAME}"


def _is_same(found: Path, script: Path) -> bool:
    try:
        return found.samefile(script)
    except OSError:
        return False


def use_own_command(text: str) -> str:
    """Return a message in which the commands are those of this installation."""
    own = own_command() if _NAME in text else _NAME
    if own == _NAME:
        return text
    hint = rf"(?<![\w/.-]){_NAME} (?=(?:{'|'.join(COMMANDS)})\b)"
    return re.sub(hint, lambda found: f"{own} ", text)
