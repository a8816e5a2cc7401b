"""Distinguish a long-running deployment from a file for development, tests or examples."""

from __future__ import annotations

from wardround.lazy import LazyPattern
from wardround_docker_ci.models.compose import Service

FOR_TRIALS = LazyPattern(
    r"(?:^|[/._-])(?:dev(?:el(?:op(?:ment)?)?)?|local\w*|tests?|testing|testdata|e2e|ci|override|examples?|samples?"
    r"|demos?|quickstart|sandbox|devcontainer|playground|debug|benchmarks?|fixtures?|tutorials?|docs?)(?:[/._-]|$)"
)
"""Paths of development, test and example files."""
LIVE = LazyPattern(
    r"(?:^|[/._-])(?:prod|production|stag(?:e|ing)|deploy\w*|live|server|swarm|release)(?:[/._-]|$)"
)
"""Paths of real deployments; any other compose file usually serves a developer's machine."""


def restarts_with_machine(service: Service) -> bool:
    """Return True if the service restarts with its machine, which only a real deployment needs."""
    return service.node.text("restart") in ("always", "unless-stopped")
