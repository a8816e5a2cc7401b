"""What tells a deployment that is meant to stay from a file for trying something out."""

from __future__ import annotations

from wardround.checks.lazy import LazyPattern
from wardround_docker_ci.models.compose import Service

FOR_TRIALS = LazyPattern(
    r"(?:^|[/._-])(?:dev(?:el(?:op(?:ment)?)?)?|local\w*|tests?|testing|testdata|e2e|ci|override|examples?|samples?"
    r"|demos?|quickstart|sandbox|devcontainer|playground|debug|benchmarks?|fixtures?|tutorials?|docs?)(?:[/._-]|$)"
)
"""Paths of what runs for a while only."""
LIVE = LazyPattern(
    r"(?:^|[/._-])(?:prod|production|stag(?:e|ing)|deploy\w*|live|server|swarm|release)(?:[/._-]|$)"
)
"""Paths of what really runs somewhere; a plain compose file is mostly for a developer's machine."""


def stays(service: Service) -> bool:
    """Whether a service is started again when the machine is: nobody wants that of a trial."""
    return service.node.text("restart") in ("always", "unless-stopped")
