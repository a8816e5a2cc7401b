"""The option that names the policy of the organisation."""

from __future__ import annotations

from pathlib import Path

import click

policy_floor_option = click.option(
    "--policy-floor",
    envvar="WARDROUND_POLICY_FLOOR",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Policy that the repository's cannot make milder (default: $WARDROUND_POLICY_FLOOR).",
)
