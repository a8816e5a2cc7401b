"""The option that names a record store."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from wardround.records.location import Location

store_option = click.option(
    "--store", "store_name", default="", metavar="FILE|URL",
    help="Record store (default: $WARDROUND_RECORD_STORE, else the local one); a PostgreSQL URL or a file.",
)  # fmt: skip


def store_location(name: str) -> Location:
    """Return the location that the option or the environment names, by default the local store."""
    from wardround.records.location import location_of

    return location_of(name, os.environ)
