"""The option that names the verdicts that block."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import click

from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.config.schema import FailingVerdict

fail_on_verdict_option = click.option(
    "--fail-on-verdict",
    metavar="NAMES",
    default="",
    help="Verdicts that block, and every stricter one: human-review, escalate, declined (default).",
)


def parse_verdicts(names: str) -> tuple[FailingVerdict, ...]:
    """Return the verdicts that a list with commas names.

    Raises:
        UsageError: one of them cannot block.
    """
    from wardround.config.schema import FailingVerdict

    known: dict[str, FailingVerdict] = {name: name for name in get_args(FailingVerdict)}
    requested = [name.strip() for name in names.split(",") if name.strip()]
    for name in requested:
        if name not in known:
            raise UsageError(f"--fail-on-verdict {name}: choose from {', '.join(known)}")
    return tuple(known[name] for name in requested)
