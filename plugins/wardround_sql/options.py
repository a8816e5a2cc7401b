"""The keys of ``[tool.wardround.sql]``."""

from __future__ import annotations

from typing import Literal

import msgspec

Dialect = Literal[
    "postgres", "postgresql", "pg", "cockroach", "supabase", "timescale", "athena", "bigquery", "clickhouse",
    "databricks", "doris", "dremio", "drill", "druid", "duckdb", "dune", "exasol", "fabric", "hive",
    "materialize", "mysql", "oracle", "presto", "redshift", "risingwave", "snowflake", "spark", "spark2",
    "sqlite", "starrocks", "tableau", "teradata", "trino", "tsql",
]  # fmt: skip
"""Names of sqlglot, and of what is read as Postgres."""


class SqlOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """How the SQL specialist is told about a project.

    Attributes:
        dialect: what a file is taken for that shows no sign of another dialect, as sqlglot names it.
        api: whether clients reach the database through PostgREST or Supabase; None looks for the signs of it.
        exposed_schemas: the schemas such an API serves; those of ``supabase/config.toml`` if left empty.
        migrations: glob patterns of migrations, on top of the usual places.
        sqlfluff: whether sqlfluff is run too, which is slow.
    """

    dialect: Dialect = "postgres"
    api: bool | None = None
    exposed_schemas: tuple[str, ...] = ()
    migrations: tuple[str, ...] = ()
    sqlfluff: bool = False
