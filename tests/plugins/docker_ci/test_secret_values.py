"""Values of environment variables that are no secret."""

from __future__ import annotations

import pytest
from wardround_docker_ci.analysis.secret_values import is_setting


@pytest.mark.parametrize(
    ("value", "expected"),
    [("600000", True), ("'true'", True), ("30s", True), ("", False), ("hunter2", False), ("none", False)],
)
def test_numbers_and_switches_are_settings(value: str, expected: bool) -> None:
    assert is_setting(value) is expected
