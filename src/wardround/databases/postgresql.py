"""A database that a team shares, on PostgreSQL by SQLAlchemy and psycopg (extra ``postgres``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

from wardround.databases.database import LOCK_TIMEOUT_S, NO_PARAMETERS, DatabaseError
from wardround.databases.postgres_url import PostgresUrl

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.exc import DBAPIError

_DRIVER = "psycopg"
_INSTALL = "SQLAlchemy and psycopg are not installed; pip install 'wardround[postgres]'"
_STALLED_TIMEOUT_S = 60
"""How long a writer that no longer responds can hold the lock."""
_CONNECTING: Mapping[str, Any] = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "tcp_user_timeout": 30_000,  # milliseconds until a network that drops everything counts as lost
    "client_encoding": "utf8",
    "application_name": "wardround",
    "prepare_threshold": None,  # a pooler in front of the server may not support prepared statements
}
_LIMITS = (
    f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_S:.0f}s'",
    f"SET LOCAL idle_in_transaction_session_timeout = '{_STALLED_TIMEOUT_S}s'",
)


class PostgreSQLDatabase:
    """A database on a server; an advisory lock lets one writer at a time append.

    Args:
        writer_lock: eight bytes, the key of the lock for the writers of one kind of store.

    Raises:
        DatabaseError: the server cannot be reached, or rejects the connection.
    """

    def __init__(self, url: PostgresUrl, writer_lock: bytes) -> None:
        self._lock = int.from_bytes(writer_lock, signed=True)
        self._connection = _connect(url)

    def execute(self, sql: str, parameters: Mapping[str, Any] = NO_PARAMETERS) -> list[tuple[Any, ...]]:
        from sqlalchemy import text

        is_inside = self._connection.in_transaction()
        with _errors(), nullcontext() if is_inside else self._connection.begin():
            result = self._connection.execute(text(sql), dict(parameters))
            return [tuple(row) for row in result] if result.returns_rows else []

    def execute_each(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        from sqlalchemy import text

        if rows:  # without rows, the statement would be run once, without parameters
            with _errors():
                self._connection.execute(text(sql), [dict(row) for row in rows])

    @contextmanager
    def transaction(self) -> Iterator[None]:
        from sqlalchemy.exc import SQLAlchemyError

        with _errors():
            transaction = self._connection.begin()
        try:
            for limit in _LIMITS:
                self.execute(limit)
            self.execute("SELECT pg_advisory_xact_lock(:key)", {"key": self._lock})
            yield
            with _errors():
                transaction.commit()
        except BaseException:
            with suppress(SQLAlchemyError):  # the server has dropped it if the connection is lost
                transaction.rollback()
            raise

    def has_table(self, name: str) -> bool:
        ((found,),) = self.execute("SELECT to_regclass(:name)", {"name": name})
        return found is not None

    def close(self) -> None:
        self._connection.close()


def _connect(url: PostgresUrl) -> Connection:
    try:
        from sqlalchemy import create_engine, make_url
        from sqlalchemy.exc import ArgumentError
        from sqlalchemy.pool import NullPool

        parsed = make_url(url.for_driver(_DRIVER))
        own = {name: value for name, value in _CONNECTING.items() if name not in parsed.query}
        engine = create_engine(parsed, poolclass=NullPool, connect_args=own, hide_parameters=True)
    except ImportError as cause:
        raise DatabaseError(_INSTALL) from cause
    except (ArgumentError, ValueError):
        raise DatabaseError("its URL cannot be parsed; correct it") from None  # the cause may quote it
    with _errors():
        return engine.connect()


@contextmanager
def _errors() -> Iterator[None]:
    from sqlalchemy.exc import DBAPIError, SQLAlchemyError

    try:
        yield
    except DBAPIError as cause:
        raise DatabaseError(_add_advice(cause)) from cause
    except SQLAlchemyError as cause:
        raise DatabaseError(f"{type(cause).__name__}; run it again") from cause


def _add_advice(cause: DBAPIError) -> str:
    reason = _reason(str(cause.orig))
    if cause.connection_invalidated:
        return f"the connection was lost ({reason}); {_LOST}"
    state = getattr(cause.orig, "sqlstate", None) or ""
    advice = _BY_STATE.get(state) or next(
        (advice for known, advice in _BY_TEXT.items() if known in reason.lower()), ""
    )
    return f"{reason}; {advice}" if advice else reason


def _reason(text: str) -> str:
    """Return the message of the server or of libpq, without its hints."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    line = next(
        (failure for failure in lines if "failed: " in failure), lines[0] if lines else "unknown error"
    )
    return line.rpartition("failed: ")[2].removeprefix("FATAL:").removeprefix("ERROR:").strip()


_LOST = "nothing is stored in part; run it again"
_LOGIN = "correct the user in the URL, or set PGPASSWORD"
_HOST = "check host and port, and that the server runs"
_BY_STATE: Mapping[str, str] = {
    "55P03": "another process writes to it; run it again",
    "42501": "its owner creates the tables and grants privileges on them, as docs/records.md shows",
    "53100": "make room on the server, then run it again",
    "25006": "connect to the primary server",
    "22P05": "use a database with the encoding UTF8",
}
"""The advice by SQLSTATE. Source: PostgreSQL 15, appendix A."""
_BY_TEXT: Mapping[str, str] = {
    "resolve host": _HOST,
    "translate host name": _HOST,
    "connection refused": _HOST,
    "timeout": _HOST,
    "unreachable": _HOST,
    "no route to host": _HOST,
    "no such file": _HOST,
    "password authentication failed": _LOGIN,
    "no password supplied": _LOGIN,
    "pg_hba.conf": _LOGIN,
    'role "': _LOGIN,
    'database "': "create the database, or correct the URL",
    "too many": "run it again, or raise max_connections",
    "starting up": "run it again",
    "shutting down": "run it again",
    "ssl": "correct sslmode in the URL",
    "invalid": "correct the options of the URL",
}
"""The advice for an error without SQLSTATE, by a part of its message in lower case; the first match counts.
"""
