"""Configuration keys of ``[tool.wardround.sql]``."""

from __future__ import annotations

from typing import Literal

import msgspec

Dialect = Literal[
    "postgres", "postgresql", "pg", "cockroach", "supabase", "timescale", "athena", "bigquery", "clickhouse",
    "databricks", "doris", "dremio", "drill", "druid", "duckdb", "dune", "exasol", "fabric", "hive",
    "materialize", "mysql", "oracle", "presto", "redshift", "risingwave", "snowflake", "spark", "spark2",
    "sqlite", "starrocks", "tableau", "teradata", "trino", "tsql",
]  # fmt: skip
"""sqlglot's dialect names, and those read as PostgreSQL."""


class SqlOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Options of the SQL specialist.

    Attributes:
        dialect: sqlglot's name of the dialect of files without signs of another dialect; None derives it from
            the adjacent migrations and the configuration of the project.
        api: whether clients reach the database through PostgREST or Supabase; None detects it.
        exposed_schemas: the schemas that the API serves; if empty, those of ``supabase/config.toml``.
        migrations: glob patterns of migrations, in addition to the usual locations.
        sqlfluff: whether to run sqlfluff too, which is slow.
    """

    dialect: Dialect | None = None
    api: bool | None = None
    exposed_schemas: tuple[str, ...] = ()
    migrations: tuple[str, ...] = ()
    sqlfluff: bool = False
