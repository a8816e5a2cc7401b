"""Groups of commands, one module each, imported when the command is invoked."""

from __future__ import annotations

import importlib
import keyword
from collections.abc import Sequence
from typing import Any

import click

from wardround.cli.messages import echo_err
from wardround.errors import PluginLoadError


class LazyGroup(click.Group):
    """A group whose commands are modules of a package; each has its command under the name ``command``."""

    def __init__(self, *args: Any, package: str, names: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._package = package
        self._names = tuple(names)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._names:
            return None
        module = importlib.import_module(f"{self._package}.{_module_name(cmd_name)}")
        command: click.Command = module.command
        return command


def _module_name(command: str) -> str:
    """Return the module of a command; that of a keyword, such as import, ends with an underscore."""
    return f"{command}_" if keyword.iskeyword(command) else command.replace("-", "_")


class PluginCommandGroup(click.Group):
    """The group of the commands that wardround and its plugins contribute."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from wardround.host import load_entries
        from wardround.own_command import COMMANDS

        try:
            return list(load_entries("wardround_commands"))
        except PluginLoadError as cause:  # the help of the other commands says how to repair it
            echo_err(f"wardround: {cause}")
            return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from wardround.host import load_entry

        try:
            command = load_entry("wardround_commands", cmd_name)
        except KeyError:
            return None
        if not isinstance(command, click.Command):
            raise PluginLoadError(cmd_name, repr(command), "it is not a click.Command")
        return command
