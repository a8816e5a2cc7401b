"""The options of a review whose language model is an exchange of files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


def exchange_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command."""
    folder = click.option(
        "--exchange", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
        help="Write the requests to a language model to DIR, and read the answers there, such as those of a "
        "coding agent.",
    )  # fmt: skip
    wait = click.option(
        "--exchange-wait", type=click.FloatRange(0, 3600), default=0.0, metavar="SECONDS",
        help="With --exchange: wait for answers (default: those that are there).",
    )  # fmt: skip
    return folder(wait(command))
