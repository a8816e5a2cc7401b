"""Opening a change request on the code host that its reference names."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Protocol

from wardround.delivery.code_hosts.client import ClientLimits, Clock
from wardround.delivery.code_hosts.code_host import CodeHost
from wardround.delivery.code_hosts.model import ChangeRequestReference
from wardround.errors import UsageError
from wardround.host import find_entry, load_entries, loaded_entry


class OpenCodeHost(Protocol):
    """Opens a change request; see ``hookspecs.wardround_code_hosts``."""

    def __call__(
        self,
        reference: ChangeRequestReference,
        environ: Mapping[str, str],
        limits: ClientLimits | None = None,
        clock: Clock | None = None,
    ) -> CodeHost:
        """Return the change request, without contacting the host.

        Raises:
            UsageError: the environment has no credentials for it.
        """
        ...


def open_code_host(
    reference: ChangeRequestReference,
    environ: Mapping[str, str],
    limits: ClientLimits | None = None,
    clock: Clock | None = None,
) -> CodeHost:
    """Return a change request on its code host, without contacting it.

    Raises:
        UsageError: the code host is unknown, it has no credentials, or httpx is not installed.
        PluginLoadError: a plugin cannot be loaded.
    """
    entry = code_host_entry(reference.host)
    if find_spec("httpx") is None:
        raise UsageError(
            f"{reference.host}: httpx, which sends requests to it, is not installed; "
            "pip install 'wardround[tickets]'"
        )
    opened: OpenCodeHost = loaded_entry(entry)
    return opened(reference, environ, limits, clock)


def code_host_entry(host: str) -> str:
    """Return the entry of a code host.

    Raises:
        UsageError: it is unknown.
    """
    entry = find_entry("wardround_code_hosts", host)
    if entry is None:
        known = ", ".join(sorted(load_entries("wardround_code_hosts")))
        raise UsageError(f"--host {host}: unknown code host; choose from {known}")
    return entry
