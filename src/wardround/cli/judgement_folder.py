"""The folder of a repository's judgements, which several commands read or write."""

from __future__ import annotations

from pathlib import Path

import click

FOLDER = "evals/judgements"
"""Where a repository stores its judgements, one file for each reader."""

folder_option = click.option(
    "--folder", type=click.Path(path_type=Path), default=Path(FOLDER), show_default=True, metavar="DIR",
    help="The judgements, one file for each reader.",
)  # fmt: skip
