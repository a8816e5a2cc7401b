"""The event that started this CI run."""

from __future__ import annotations

from collections.abc import Mapping

from wardround.delivery.ci_event import CiEvent, Provider
from wardround.delivery.ci_systems import CI_SYSTEMS
from wardround.errors import UsageError

PROVIDER = "WARDROUND_PROVIDER"
"""The variable that names the CI system; without it, the variables that each system sets count."""


def detect(environ: Mapping[str, str]) -> Provider:
    """Return the CI system of this process, by the variables each of them documents.

    Raises:
        UsageError: it is none that is known.
    """
    if named := environ.get(PROVIDER, ""):
        return _named_provider(named)
    for provider, system in CI_SYSTEMS.items():
        if system.is_running(environ):
            return provider
    *variables, last = [system.variable for system in CI_SYSTEMS.values() if system.variable]
    raise UsageError(
        f"none of {', '.join(variables)} and {last} is set; "
        "give --provider, or use wardround review --base REF"
    )


def _named_provider(name: str) -> Provider:
    try:
        return Provider(name)
    except ValueError:
        known = ", ".join(provider.value for provider in Provider)
        raise UsageError(f"{PROVIDER}={name[:100]!r} is not a CI system; choose from {known}") from None


def read_event(provider: Provider, environ: Mapping[str, str]) -> CiEvent:
    """Return the event of this run.

    Raises:
        UsageError: a documented variable or payload is missing or malformed.
    """
    return CI_SYSTEMS[provider].event(environ)
