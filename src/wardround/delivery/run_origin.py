"""The run of a CI system, as a record names it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import urlsplit

from msgspec.structs import asdict, replace

from wardround.delivery.ci_systems import CI_SYSTEMS
from wardround.delivery.events import detect, read_event
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
    origin = CI_SYSTEMS[provider].origin(environ)
    origin = replace(origin, repository=_strip_user(origin.repository), change_request=request)
    return replace(origin, **{name: _escape(value) for name, value in asdict(origin).items()})


def _strip_user(address: str) -> str:
    """Return an address without the name and the password in it."""
    try:
        host = urlsplit(address).netloc
    except ValueError:
        return ""
    return address.replace(host, host.rpartition("@")[2], 1) if host else address


def _escape(value: str) -> str:
    return one_line(beginning(value, _LONGEST))
