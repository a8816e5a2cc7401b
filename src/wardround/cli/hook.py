"""``wardround hook``."""

import click


@click.command("hook")
def command() -> None:
    """..."""
