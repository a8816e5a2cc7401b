"""``wardround lab``: experiments with the stages between a task and a patch."""

from __future__ import annotations

import click

from wardround.cli.lazy_group import LazyGroup

_COMMANDS = ("compare", "export", "import", "judge", "query", "report", "run")


@click.group("lab", cls=LazyGroup, package=__name__, names=_COMMANDS)
def command() -> None:
    """Run experiments on mined instances, compare their runs, and read their sequences."""
