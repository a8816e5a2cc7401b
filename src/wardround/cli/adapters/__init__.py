"""``wardround adapters``: commands for training, measuring and promoting models."""

from __future__ import annotations

import click

from wardround.cli.lazy_group import LazyGroup

_COMMANDS = (
    "calibrate", "card", "describe", "environment", "evaluate", "export", "list", "merge", "promote",
    "quantise", "serve", "train", "verify",
)  # fmt: skip


@click.group("adapters", cls=LazyGroup, package=__name__, names=_COMMANDS)
def command() -> None:
    """Train, evaluate, verify and promote the models that specialists may use."""
