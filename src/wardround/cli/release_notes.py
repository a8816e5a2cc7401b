"""``wardround release-notes``."""

from __future__ import annotations

from pathlib import Path

import click

from wardround.cli.change_options import repo_option
from wardround.errors import UsageError


@click.command("release-notes")
@click.argument("revisions", metavar="FROM..TO")
@repo_option
def command(revisions: str, repo: Path | None) -> None:
    """Write release notes of the commits from FROM to TO; each statement names its commits."""
    raise UsageError(f"release-notes {revisions}: not available yet")
