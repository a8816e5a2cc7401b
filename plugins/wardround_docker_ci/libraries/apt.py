"""The apt-get commands of a Dockerfile: update the package lists, install from them."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.languages.shell import Command, unwrap_command
from wardround_docker_ci.contents.scripts import EmbeddedScript
from wardround_docker_ci.libraries.commands import program, subcommand

_USES_LISTS = frozenset(
    {"install", "upgrade", "dist-upgrade", "full-upgrade", "build-dep", "source", "satisfy"}
)
_CHANGES_NOTHING = frozenset({"apt-get", "apt", "rm", "echo", "set"})


def calls(script: EmbeddedScript) -> list[tuple[Command, str]]:
    """Return the calls of apt-get and apt with their subcommands."""
    return [(c, subcommand(unwrap_command(c))) for c in script.commands if program(c) in ("apt-get", "apt")]


def updates_alone(scripts: Sequence[EmbeddedScript]) -> list[Command]:
    """Return each ``apt-get update`` in a step of its own, if a later step installs packages from its
    lists.
    """
    found: list[Command] = []
    lonely: list[Command] = []
    for script in scripts:
        apt_calls = calls(script)
        updates = [command for command, action in apt_calls if action == "update"]
        installs = any(action in _USES_LISTS for _, action in apt_calls)
        if installs and not updates:
            found += lonely
            lonely = []
        if updates and not installs and _changes_nothing_else(script):
            lonely += updates
    return found


def _changes_nothing_else(script: EmbeddedScript) -> bool:
    return all(program(command) in _CHANGES_NOTHING for command in script.commands)
