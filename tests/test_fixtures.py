"""Fixtures of every scope find the git of the tests, whoever's account runs them."""

from __future__ import annotations

import subprocess

import pytest


@pytest.fixture(scope="module")
def early_identity() -> str:
    """The author that git records for a fixture that is set up before the places of a test."""
    return subprocess.check_output(["git", "var", "GIT_AUTHOR_IDENT"], text=True)


def test_fixtures_of_a_module_have_an_identity(early_identity: str) -> None:
    assert early_identity.startswith("Test <test@example.org>")
