"""``wardround records``: the records of earlier reviews."""

from __future__ import annotations

import click

from wardround.cli.lazy_group import LazyGroup

_COMMANDS = ("export", "list", "prune", "show", "verify")


@click.group("records", cls=LazyGroup, package=__name__, names=_COMMANDS)
def command() -> None:
    """List, show, export and delete the records of reviews, and verify their chain."""
