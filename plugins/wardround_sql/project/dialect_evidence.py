"""Databases that the configuration of a project names, for SQL without a sign of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from wardround.change.repository_view import RepositoryView
from wardround.lazy import LazyPattern
from wardround_sql.parsing.dialects import POSTGRES

_PROVIDER = LazyPattern(r'(?m)^\s*provider\s*=\s*"([\w-]+)"')
_SCHEMA = LazyPattern(r'(?m)^datasource\s+\w+\s*\{[^}]*?^\s*provider\s*=\s*"([\w-]+)"')
_SQLFLUFF = LazyPattern(r"(?m)^\[(?:tool\.)?sqlfluff(?:\.core)?\][^\[]*?^dialect\s*=\s*[\"']?(\w+)")
_SQLC = LazyPattern(r"\bengine[\"']?\s*:\s*[\"']?(\w+)")
_DRIZZLE = LazyPattern(r"\b(?:dialect|driver)\s*:\s*[\"']([\w-]+)[\"']")
_KNEX = LazyPattern(r"\bclient\s*:\s*[\"']([\w-]+)[\"']")
_URL = LazyPattern(r"(?m)^[^#;\n]*?=\s*(?:jdbc:)?(\w+)(?:\+\w+)?:/?/?[/\w%]")
_DECLARATIONS: Mapping[str, LazyPattern] = {
    "migration_lock.toml": _PROVIDER,
    "meta/_journal.json": LazyPattern(r'"dialect"\s*:\s*"([\w-]+)"'),
    ".sqlfluff": _SQLFLUFF,
    "setup.cfg": _SQLFLUFF,
    "tox.ini": _SQLFLUFF,
    "pyproject.toml": _SQLFLUFF,
    "sqlc.yaml": _SQLC,
    "sqlc.yml": _SQLC,
    "sqlc.json": _SQLC,
    "drizzle.config.ts": _DRIZZLE,
    "drizzle.config.js": _DRIZZLE,
    "knexfile.ts": _KNEX,
    "knexfile.js": _KNEX,
    "schema.prisma": _SCHEMA,
    "prisma/schema.prisma": _SCHEMA,
    "alembic.ini": _URL,
    "flyway.conf": _URL,
}
"""Files that state the database of the statements below their folder."""
_SERVICE = LazyPattern(
    r"(?m)^\s*image:\s*[\"']?(?:[\w.-]+/)*"
    r"(postgres|postgis|timescaledb|pgvector|cockroach|mysql|mariadb|percona|clickhouse|mssql)\b"
)
_D1 = LazyPattern(r"\b(d1_databases)\b")
_DRIVERS: Mapping[str, LazyPattern] = {
    "Cargo.toml": LazyPattern(
        r"[\"'](?:[\w-]+/)?(postgres|mysql|sqlite)[\"']|(?m:^)(rusqlite|tokio-postgres)\b"
    ),
    "go.mod": LazyPattern(
        r"\b(lib/pq|jackc/pgx|go-sql-driver/mysql|go-sqlite3|modernc\.org/sqlite|clickhouse-go|go-mssqldb)\b"
    ),
    "package.json": LazyPattern(
        r"\"(pg|postgres|pg-promise|@neondatabase/serverless|@vercel/postgres|mysql2?|mariadb|better-sqlite3|"
        r"sqlite3|@libsql/client|expo-sqlite|mssql|tedious|@clickhouse/client)\"\s*:"
    ),
    "docker-compose.yml": _SERVICE,
    "docker-compose.yaml": _SERVICE,
    "compose.yml": _SERVICE,
    "compose.yaml": _SERVICE,
    "wrangler.toml": _D1,
    "wrangler.jsonc": _D1,
    "wrangler.json": _D1,
}
"""Files that list the drivers and the services of a project."""
_PREFIXES: Mapping[str, tuple[str, ...]] = {
    POSTGRES: ("postgres", "pg", "pq", "postgis", "timescale", "cockroach", "neon", "vercel"),
    "mysql": ("mysql", "mariadb", "percona", "planetscale", "singlestore"),
    "sqlite": ("sqlite", "rusqlite", "libsql", "turso", "expo", "d1"),
    "tsql": ("mssql", "sqlserver", "tedious", "tsql"),
    "clickhouse": ("clickhouse",),
    "oracle": ("oracle",),
    "snowflake": ("snowflake",),
    "bigquery": ("bigquery",),
    "redshift": ("redshift",),
    "duckdb": ("duckdb",),
    "databricks": ("databricks", "sparksql"),
}
"""Prefixes of the words in names of drivers, images and providers."""
_WORD = LazyPattern(r"[a-z0-9]+")


def configured_dialects(path: str, project: RepositoryView) -> frozenset[str]:
    """Return the dialects that the nearest configuration above a file names; empty if there is none.

    A declaration counts before drivers and services. Several dialects mean that the project supports each.
    """
    for names in (_DECLARATIONS, _DRIVERS):
        for folder in PurePosixPath(path).parents:
            found = frozenset(_named_in(folder, names, project))
            if found:
                return found
    return frozenset()


def declared_dialect(path: str, project: RepositoryView) -> str:
    """Return the dialect in the journal of the tool that generated a migration; empty if there is none."""
    folder = PurePosixPath(path).parent
    for location in (folder, folder.parent):
        journals = {name: _DECLARATIONS[name] for name in _JOURNALS}
        found = sorted(_named_in(location, journals, project))
        if len(found) == 1:
            return found[0]
    return ""


_JOURNALS = ("migration_lock.toml", "meta/_journal.json")
"""Files that Prisma and Drizzle write next to their migrations."""


def _named_in(
    folder: PurePosixPath, names: Mapping[str, LazyPattern], project: RepositoryView
) -> Iterator[str]:
    """Yield the dialects that the configuration files of one folder name."""
    for name, pattern in names.items():
        text = project.read(str(folder / name))
        for match in pattern.finditer(text) if text else ():
            dialect = _dialect(next(filter(None, match.groups()), ""))
            if dialect:
                yield dialect


def _dialect(name: str) -> str:
    """Return the dialect of a driver, an image or a provider; empty for an unknown one."""
    words = _WORD.findall(name.lower())
    return next(
        (dialect for dialect, prefixes in _PREFIXES.items() if any(w.startswith(prefixes) for w in words)), ""
    )
