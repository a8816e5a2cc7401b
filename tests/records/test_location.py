"""A record store is named by a file or a URL; a message never contains a password."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround.errors import UsageError
from wardround.records.location import VARIABLE, PostgresUrl, default_file, location_of


def test_the_option_counts_before_the_environment_and_the_local_store() -> None:
    assert location_of("", {}) == default_file()
    assert location_of("", {VARIABLE: "team.sqlite"}) == Path("team.sqlite")
    assert location_of("own.sqlite", {VARIABLE: "team.sqlite"}) == Path("own.sqlite")


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("postgresql://ada:hunter2@db.example.org/records", "postgresql://db.example.org/records"),
        ("postgres://ada@db.example.org:6432/records", "postgresql://db.example.org:6432/records"),
        ("postgresql://ada:hunter2@[::1]:5432/records", "postgresql://[::1]:5432/records"),
        ("postgresql:///records?host=/run/postgresql", "postgresql:///records"),
        ("postgresql://db/records?sslmode=verify-full", "postgresql://db/records"),
        ("postgresql://ada:hunter2%40home@db/records", "postgresql://db/records"),
    ],
)
def test_a_url_is_shown_without_user_password_and_options(url: str, name: str) -> None:
    location = location_of(url, {})
    assert isinstance(location, PostgresUrl)
    assert (str(location), repr(location)) == (name, name)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada:hunter2@home@db/records",
        "postgresql://ada:hunter2/home@db/records",
        "postgresql://ada:hunter2?home@db/records",
        "postgresql://ada:hunter2#home@db/records",
        "postgresql://ada:hunter2@db:port/records",
        "postgresql://ada:hunter2@db",
        "postgresql://ada:hunter2@db/",
        "postgresql:ada:hunter2@db/records",
        "postgresql://db/records?user=ada&password=hunter2",
        "postgresql://db/records?user=ada&sslPassword=hunter2",
        "mysql://ada:hunter2@db/records",
        "https://ada:hunter2@db/records",
    ],
)
def test_a_url_that_cannot_be_used_is_one_sentence_without_the_password(url: str) -> None:
    with pytest.raises(UsageError) as refused:
        location_of(url, {})
    assert "hunter2" not in str(refused.value)
    assert "; " in str(refused.value)
