"""The options that name a change request on a code host; in a CI run its variables are the defaults."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.delivery.code_hosts.model import ChangeRequestReference


def code_host_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options."""
    options = (
        click.option("--host", metavar="NAME", help="Code host: github, gitlab, or that of a plugin."),
        click.option("--api", metavar="URL", help="Address of its interface (default: of the CI run)."),
        click.option("--repository", metavar="PATH", help="owner/name, or the path of a project."),
        click.option(
            "--change-request",
            type=click.IntRange(min=1),
            metavar="NUMBER",
            help="Number of the pull request or merge request.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def change_request_reference(options: Mapping[str, Any]) -> ChangeRequestReference:
    """Return the change request that options and the variables of a CI run name; options come first.

    Raises:
        UsageError: a part of it is named by neither.
    """
    from wardround.delivery.code_hosts.model import ChangeRequestReference
    from wardround.delivery.code_hosts.reference import reference_of_run

    given = {name: options[name] for name in ("host", "api", "repository") if options[name]}
    if options["change_request"]:
        given["number"] = options["change_request"]
    found = {**reference_of_run(os.environ, given.get("host", "")), **given}
    missing = [name for name in ChangeRequestReference.__struct_fields__ if not found.get(name)]
    if missing:
        option = "change-request" if missing[0] == "number" else missing[0]
        raise UsageError(f"no change request is named here: give --{option}")
    return ChangeRequestReference(**{**found, "api": str(found["api"]).rstrip("/")})
