"""``wardround plugins``."""

import click


@click.command("plugins")
def command() -> None:
    """..."""
