"""``wardround data``: commands for mining and auditing training data."""

from __future__ import annotations

import click

from wardround.cli.lazy_group import LazyGroup

_COMMANDS = ("audit", "build-sft", "mine", "scan")


@click.group("data", cls=LazyGroup, package=__name__, names=_COMMANDS)
def command() -> None:
    """Mine training data from repositories and audit it."""
