"""The names by which an isolation is requested: for a command line that does not load the back ends."""

from __future__ import annotations

AUTO = "auto"
"""The strongest isolation that works on this machine."""
BUBBLEWRAP = "bubblewrap"
NAMESPACES = "namespaces"
DOCKER = "docker"
PODMAN = "podman"
NONE = "none"
"""No isolation at all: an explicit choice, which an outcome records and no policy accepts."""
ENGINES = (DOCKER, PODMAN)
"""Container engines, which need an image."""
CHOICES = (AUTO, BUBBLEWRAP, NAMESPACES, *ENGINES, NONE)
