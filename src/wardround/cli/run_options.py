"""The options of a review that runs the change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.context.run_evidence import RunPart

_Command = TypeVar("_Command", bound=Callable[..., object])
_ALL, _NONE = "all", "none"


def run_options(command: _Command) -> _Command:
    """Add the options to a command."""
    command = click.option(
        "--sandbox", type=click.Choice(["auto", "none"]), default="auto", show_default=True,
        help="Isolation of what runs; none is recorded and satisfies no policy.",
    )(command)  # fmt: skip
    return click.option(
        "--run", metavar="[PARTS]", is_flag=False, flag_value=_ALL,
        help="Run the change in the sandbox: tests, behaviour, both (default), or none; comma-separated.",
    )(command)  # fmt: skip


def parse_run(text: str | None) -> tuple[RunPart, ...] | None:
    """Return the parts to run; None without the option, where the configuration decides.

    Raises:
        UsageError: there is no such part.
    """
    from wardround.context.run_evidence import RUN_PARTS

    if text is None:
        return None
    if text in (_ALL, _NONE):
        return RUN_PARTS if text == _ALL else ()
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in RUN_PARTS]
    if unknown:
        known = ", ".join((*RUN_PARTS, _NONE))
        raise UsageError(f"--run {text}: there is no part {unknown[0]!r}; choose from {known}")
    return tuple(part for part in RUN_PARTS if part in names)
