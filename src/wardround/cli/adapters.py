"""``wardround adapters``: its commands, a module ``adapters_*`` each, imported when it is asked for."""

from __future__ import annotations

import importlib
import pkgutil

import click

from wardround import cli

_PREFIX = "adapters_"


class AdapterCommands(click.Group):
    """The commands of the group by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        modules = (module.name for module in pkgutil.iter_modules(cli.__path__))
        return sorted(
            name.removeprefix(_PREFIX).replace("_", "-") for name in modules if name.startswith(_PREFIX)
        )

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"wardround.cli.{_PREFIX}{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command


@click.group("adapters", cls=AdapterCommands)
def command() -> None:
    """Train, measure, check and promote the models that specialists may use."""
