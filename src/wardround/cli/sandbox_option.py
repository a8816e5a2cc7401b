"""The option ``--sandbox`` of the commands that run code of the repository."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from wardround.sandbox.choices import CHOICES


def sandbox_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--sandbox`` to a command, as its parameter ``sandbox``.

    The value is the ``isolation`` of ``wardround.sandbox.run.run``, or None to let the configuration decide,
    and ``auto`` without it.
    """
    return click.option(
        "--sandbox",
        type=click.Choice(CHOICES),
        help="Isolation of the code that runs (default: as configured, else auto); none isolates nothing.",
    )(command)
