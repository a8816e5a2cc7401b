"""``wardround rules``."""

import click


@click.command("rules")
def command() -> None:
    """..."""
