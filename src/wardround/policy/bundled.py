"""The names of the bundled policies, which a review knows without reading them."""

from __future__ import annotations

BUNDLED = ("default", "strict", "advisory")
NEVER_DECLINING = frozenset({"default", "advisory"})
"""Policies that never return the verdict ``declined``."""
