"""The place of a record store: a file of this machine, or a PostgreSQL database that a team shares.

A location comes from the caller or from the caller's environment, never from the configuration of a
repository: that must not decide to which machine a contributor's records are sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wardround.databases.postgres_url import POSTGRESQL_FORM, POSTGRESQL_SCHEMES, PostgresUrl
from wardround.errors import UsageError
from wardround.storage.paths import state_dir

VARIABLE = "WARDROUND_RECORD_STORE"
"""The environment variable with the location."""

Location = Path | PostgresUrl


def default_file() -> Path:
    """Return the file of the user's own store."""
    return state_dir() / "records.sqlite"


def location_of(text: str, environ: Mapping[str, str]) -> Location:
    """Return the requested location, else that of the environment, else the user's own store.

    Args:
        text: a PostgreSQL URL or a file; empty for none.

    Raises:
        UsageError: it is neither a file nor the URL of a PostgreSQL database.
    """
    text = text or environ.get(VARIABLE, "")
    if not text:
        return default_file()
    if text.startswith(POSTGRESQL_SCHEMES):
        return PostgresUrl(text)
    if "://" in text:
        scheme = text.partition("://")[0]
        raise UsageError(f"a record store cannot be of the kind {scheme!r}; give a file or {POSTGRESQL_FORM}")
    return Path(text)
