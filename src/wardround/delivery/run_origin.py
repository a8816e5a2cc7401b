"""The run of a CI system, as a record names it.

Sources: GitHub, "Variables reference" of Actions; Jenkins, the global variables of a Pipeline.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import urlsplit

from wardround.delivery.events import Provider, detect, read_event
from wardround.errors import UsageError
from wardround.records.record import RecordedOrigin
from wardround.text.escaping import one_line
from wardround.text.redaction import beginning

_LONGEST = 500


def origin_of_run(environ: Mapping[str, str]) -> RecordedOrigin | None:
    """Return the run that this process is part of; None outside of CI systems."""
    try:
        provider = detect(environ)
    except UsageError:
        return None
    request = ""
    with suppress(UsageError):  # wardround review needs no event
        request = read_event(provider, environ).change_request
    return _github(environ, request) if provider is Provider.GITHUB else _jenkins(environ, request)


def _github(environ: Mapping[str, str], request: str) -> RecordedOrigin:
    server, name = (
        environ.get("GITHUB_SERVER_URL", "https://github.com"),
        environ.get("GITHUB_REPOSITORY", ""),
    )
    repository = f"{server}/{name}" if name else ""
    number, attempt = environ.get("GITHUB_RUN_ID", ""), environ.get("GITHUB_RUN_ATTEMPT", "1")
    run = f"{repository}/actions/runs/{number}/attempts/{attempt}" if number else ""
    return RecordedOrigin(
        _escape(repository),
        _escape(request),
        _escape(run),
        _escape(environ.get("GITHUB_ACTOR", "")),
        _escape(environ.get("GITHUB_WORKFLOW_REF", "")),
        _escape(environ.get("GITHUB_WORKFLOW_SHA", "")),
    )


def _jenkins(environ: Mapping[str, str], request: str) -> RecordedOrigin:
    """Return the origin; its actor is the author of the change request, the only person Jenkins names."""
    return RecordedOrigin(
        _escape(_strip_user(environ.get("GIT_URL", ""))),
        _escape(request),
        _escape(environ.get("BUILD_URL", "")),
        _escape(environ.get("CHANGE_AUTHOR", "")),
        _escape(environ.get("JOB_URL", "")),
    )


def _strip_user(address: str) -> str:
    """Return an address without the name and the password in it."""
    try:
        host = urlsplit(address).netloc
    except ValueError:
        return ""
    return address.replace(host, host.rpartition("@")[2], 1) if host else address


def _escape(value: str) -> str:
    return one_line(beginning(value, _LONGEST))
