"""The options of a review that runs the change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.sandbox_option import sandbox_option
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.context.run_evidence import RunPart

_ALL, _NONE = "all", "none"


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command."""
    option = click.option(
        "--run", metavar="[PARTS]", is_flag=False, flag_value=_ALL,
        help="Run the change in the sandbox: tests, behaviour (default: both), mutations, or none.",
    )  # fmt: skip
    return option(sandbox_option(command))


def parse_run(text: str | None) -> tuple[RunPart, ...] | None:
    """Return the parts to run; None without the option, where the configuration decides.

    Raises:
        UsageError: a part is unknown.
    """
    from wardround.context.run_evidence import ALL_PARTS, RUN_PARTS, sorted_parts

    if text is None:
        return None
    if text in (_ALL, _NONE):
        return RUN_PARTS if text == _ALL else ()
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in ALL_PARTS]
    if unknown:
        known = ", ".join((*ALL_PARTS, _NONE))
        raise UsageError(f"--run {text}: the part {unknown[0]!r} is unknown; choose from {known}")
    return sorted_parts(names)
