"""Fixtures for reviews with ruff only."""

from tests.ruff_reviews import judged, ruff_host

__all__ = ["judged", "ruff_host"]
