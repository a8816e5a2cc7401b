"""The name of the program that a script belongs to."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator

from wardround.checks.source import RepositoryView
from wardround.semantics.docdrift.references import ProgramName


def program_of(path: str, project: RepositoryView) -> ProgramName:
    """Return the commands that the nearest package around a script installs, and the script itself."""
    folder = posixpath.dirname(path)
    while True:
        text = project.read(posixpath.join(folder, "package.json"))
        commands = frozenset(_commands(text)) if text else frozenset()
        if commands or not folder:
            return ProgramName(commands, frozenset({path}))
        folder = posixpath.dirname(folder)


def _commands(text: str) -> Iterator[str]:
    try:
        package = json.loads(text)
    except (ValueError, RecursionError):
        return
    if not isinstance(package, dict):
        return
    bin_, name = package.get("bin"), package.get("name")
    if isinstance(bin_, dict):
        yield from (str(command) for command in bin_)
    if bin_ and isinstance(name, str):
        yield from {name.rpartition("/")[2], name}
