"""The URL of a PostgreSQL database."""

from __future__ import annotations

from wardround.errors import UsageError
from wardround.lazy import LazyPattern

POSTGRESQL_SCHEMES = ("postgresql:", "postgres:")
_URL = LazyPattern(
    r"postgres(?:ql)?://(?:(?P<user>[^:@/?#]*)(?::[^@/?#]*)?@)?"
    r"(?P<host>\[[0-9A-Fa-f:.]+\]|[\w.-]*)(?P<port>:\d+)?/(?P<database>[^@/?#]+)(?:\?(?P<query>[^@#]*))?"
)
POSTGRESQL_FORM = (
    "postgresql://USER@HOST:PORT/DATABASE, with percent-codes for special characters in its parts"
)
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
            raise UsageError(
                f"the URL of the PostgreSQL database is not complete or not valid; give {POSTGRESQL_FORM}"
            )
        if "password" in (match["query"] or "").lower():
            raise UsageError(f"the options of the PostgreSQL database's URL have a password; {_HINT}")
        self._after_scheme = url.partition(":")[2]
        self._name = f"postgresql://{match['host']}{match['port'] or ''}/{match['database']}"

    def for_driver(self, driver: str) -> str:
        """Return the URL with its credentials, for a driver of SQLAlchemy."""
        return f"postgresql+{driver}:{self._after_scheme}"

    def __str__(self) -> str:
        return self._name

    __repr__ = __str__
