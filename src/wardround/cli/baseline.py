"""``wardround baseline``."""

import click


@click.command("baseline")
def command() -> None:
    """..."""
