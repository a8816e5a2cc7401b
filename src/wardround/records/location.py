"""The place of a record store: a file of this machine, or a PostgreSQL database that a team shares.

A location comes from the caller or from the caller's environment, never from the configuration of a
repository: that must not decide to which machine a contributor's records are sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wardround.errors import UsageError
from wardround.lazy import LazyPattern
from wardround.storage.paths import state_dir

VARIABLE = "WARDROUND_RECORD_STORE"
"""The environment variable with the location."""
_POSTGRESQL = ("postgresql:", "postgres:")
_URL = LazyPattern(
    r"postgres(?:ql)?://(?:(?P<user>[^:@/?#]*)(?::[^@/?#]*)?@)?"
    r"(?P<host>\[[0-9A-Fa-f:.]+\]|[\w.-]*)(?P<port>:\d+)?/(?P<database>[^@/?#]+)(?:\?(?P<query>[^@#]*))?"
)
_FORM = "postgresql://USER@HOST:PORT/DATABASE, with percent-codes for special characters in its parts"
_HINT = "put the password into PGPASSWORD or a password file"


class PostgresUrl:
    """The URL of a PostgreSQL database; as text it has neither user, password nor options.

    Args:
        url: a URL as libpq and SQLAlchemy read it.

    Raises:
        UsageError: it is not a PostgreSQL URL; the message does not contain it.
    """

    def __init__(self, url: str) -> None:
        match = _URL.fullmatch(url)
        if match is None:
            raise UsageError(f"the URL of the record store is not complete or not valid; give {_FORM}")
        if "password" in (match["query"] or "").lower():
            raise UsageError(f"the options of the record store's URL have a password; {_HINT}")
        self._after_scheme = url.partition(":")[2]
        self._name = f"postgresql://{match['host']}{match['port'] or ''}/{match['database']}"

    def for_driver(self, driver: str) -> str:
        """Return the URL with its credentials, for a driver of SQLAlchemy."""
        return f"postgresql+{driver}:{self._after_scheme}"

    def __str__(self) -> str:
        return self._name

    __repr__ = __str__


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
    if text.startswith(_POSTGRESQL):
        return PostgresUrl(text)
    if "://" in text:
        scheme = text.partition("://")[0]
        raise UsageError(f"a record store cannot be of the kind {scheme!r}; give a file or {_FORM}")
    return Path(text)
