"""``wardround policy check``."""

from __future__ import annotations

import click

from wardround.cli.run import emit_line


@click.command("check")
@click.argument("policies", nargs=-1, required=True, metavar="POLICY...")
def command(policies: tuple[str, ...]) -> None:
    """Validate each POLICY, a file or the name of a bundled policy, and print its digest."""
    from wardround.policy.loading import policy_of_argument

    for name in policies:
        found = policy_of_argument(name, "policy")
        emit_line(f"{name}: valid, {len(found.rules)} rules, {found.identity}")
