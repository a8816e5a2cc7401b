"""The secrets specialist: which files it claims, what it brings."""

from __future__ import annotations

from wardround.specialists import Specialist


def specialist() -> Specialist:
    """The specialist as the host takes it."""
    return Specialist(name="secrets", patterns=("*",))
