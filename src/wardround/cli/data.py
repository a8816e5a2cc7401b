"""``wardround data``: its commands, each imported when it is asked for."""

from __future__ import annotations

import importlib

import click

_COMMANDS = ("audit", "build-sft", "mine", "scan")


class DataCommands(click.Group):
    """The commands of the group by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"wardround.cli.data_{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command


@click.group("data", cls=DataCommands)
def command() -> None:
    """Mine repositories for what models are trained on, and look after it."""
