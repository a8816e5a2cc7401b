"""The options that several commands share: the change, its repository, the profile and the configuration."""

from __future__ import annotations

from pathlib import Path

import click

from wardround.cli.completion import complete_specialists

staged_option = click.option("--staged", is_flag=True, help="Review the staged change (default).")
worktree_option = click.option(
    "--worktree", is_flag=True, help="Review all uncommitted changes, including untracked files."
)
base_option = click.option("--base", metavar="REF", help="Review from the merge base with REF ...")
head_option = click.option("--head", metavar="REF", help="... to this commit (default HEAD).")
repo_option = click.option(
    "--repo", type=click.Path(path_type=Path), metavar="DIR", help="Repository (default: current directory)."
)
profile_option = click.option(
    "--profile",
    type=click.Choice(["commit", "ci"]),
    default="commit",
    show_default=True,
    help="The tools and analyses that run, and what an inconclusive review does.",
)
only_option = click.option(
    "--only", multiple=True, metavar="NAME", help="Run only this specialist. Repeatable.",
    shell_complete=complete_specialists,
)  # fmt: skip
skip_option = click.option(
    "--skip", multiple=True, metavar="NAME", help="Skip this specialist. Repeatable.",
    shell_complete=complete_specialists,
)  # fmt: skip
fail_level_option = click.option(
    "--fail-level", type=click.Choice(["none", "info", "warn", "error"]), help="Lowest severity that blocks."
)
config_option = click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Configuration file instead of the root's.",
)
config_from_option = click.option(
    "--config-from", type=click.Choice(["base", "head"]), help="Side whose configuration applies."
)
