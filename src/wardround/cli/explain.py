"""``wardround explain``."""

import click


@click.command("explain")
def command() -> None:
    """..."""
