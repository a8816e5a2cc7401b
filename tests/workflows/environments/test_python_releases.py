"""An interpreter is requested that was in use on a day."""

from __future__ import annotations

import pytest

from wardround.workflows.environments.python_releases import requests_at


@pytest.mark.parametrize(
    ("day", "first"),
    [
        ("2022-06-01", "==3.10.*"),
        ("2022-12-01", "==3.10.*"),
        ("2023-06-01", "==3.11.*"),
        ("2019-01-01", "==3.9.*"),
    ],
)
def test_the_newest_settled_version_comes_first(day: str, first: str) -> None:
    assert requests_at(day, ())[0] == first


def test_older_versions_come_before_newer_ones_and_the_project_decides_too() -> None:
    requests = requests_at("2022-06-01", (">=3.8",))

    assert requests[:3] == (">=3.8,==3.10.*", ">=3.8,==3.9.*", ">=3.8,==3.11.*")
    assert requests[-1] == ">=3.8"


def test_without_a_day_the_project_decides() -> None:
    assert requests_at("", (">=3.8",)) == (">=3.8",)
