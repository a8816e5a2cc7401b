"""``wardround policy``."""

from __future__ import annotations

import click

from wardround.cli.lazy_group import LazyGroup


@click.group("policy", cls=LazyGroup, package="wardround.cli.policy", names=("check", "explain", "test"))
def command() -> None:
    """Validate policies, explain a verdict, and test a policy against expected verdicts."""
