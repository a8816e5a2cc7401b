"""The options that name a change request on a code host; in a CI run its variables are the defaults."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

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
        UsageError: a part of it is named by neither, or cannot be one.
    """
    from wardround.delivery.code_hosts.model import ChangeRequestReference
    from wardround.delivery.code_hosts.opening import code_host_entry
    from wardround.delivery.code_hosts.reference import reference_of_run

    given = {name: options[name] for name in ("host", "api", "repository") if options[name]}
    if options["change_request"]:
        given["number"] = options["change_request"]
    if "host" in given:
        code_host_entry(given["host"])
    found = {**reference_of_run(os.environ, given.get("host", "")), **given}
    _require_complete(found)
    _require_address(found["api"])
    return ChangeRequestReference(**{**found, "api": found["api"].rstrip("/")})


def _require_complete(found: Mapping[str, Any]) -> None:
    """Require every part of a reference; without a host, the address of its interface is not known yet."""
    parts = {"host": "host", "repository": "repository", "number": "change-request", "api": "api"}
    missing = [f"--{option}" for part, option in parts.items() if not found.get(part)]
    if not found.get("host"):
        missing.remove("--api")
    if missing:
        raise UsageError(f"no change request is named here; give {', '.join(missing)}")


def _require_address(api: str) -> None:
    """Require an address to which a path can be added, without credentials: those are in a variable."""
    if not _is_address(api):
        shown = api.rpartition("@")[2]
        raise UsageError(f"--api {shown}: not the address of an interface; give one as https://HOST/PATH")


def _is_address(api: str) -> bool:
    try:
        parts = urlsplit(api)
        has_server = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return has_server and not ("@" in parts.netloc or parts.query or parts.fragment)
