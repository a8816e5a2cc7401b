"""Dialect of an SQL file, from its syntax, its path, or the configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from wardround.lazy import LazyPattern
from wardround_sql.parsing.jinja import is_template, strip_quoted

POSTGRES = "postgres"
_LIKE_POSTGRES = frozenset({"postgres", "postgresql", "pg", "cockroach", "supabase", "timescale"})

_SIGNS = {
    "clickhouse": r"\bENGINE\s*=\s*\w*MergeTree|\bON\s+CLUSTER\b|\bLowCardinality\(|"
    r"\bENGINE\s*=\s*Kafka",
    "mysql": r"\bENGINE\s*=\s*(?:InnoDB|MyISAM)|\bAUTO_INCREMENT\b|^\s*DELIMITER\s|\bCHARSET\s*=|"
    r"^\s*(?:CREATE|ALTER|DROP)\s+TABLE\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?`|\bLOCK\s+TABLES\s+`|"
    r"\bINSERT\s+(?:IGNORE\s+)?INTO\s+`|\bON\s+DUPLICATE\s+KEY\b|\bMODIFY\s+COLUMN\b|\bUTC_TIMESTAMP\(",
    "tsql": r"^\s*GO\s*;?\s*$|\bIDENTITY\s*\(\s*\d+\s*,|\bNVARCHAR\b|\[dbo\]|\bdbo\.\w|^\s*EXEC\s+sp_|"
    r"\bSET\s+QUOTED_IDENTIFIER\b|\bDATETIME2\b|\bUNIQUEIDENTIFIER\b|\bSELECT\s+TOP\s+\(?\d|^\s*DECLARE\s+@\w",
    "sqlite": r"\bAUTOINCREMENT\b|^\s*PRAGMA\s|\bWITHOUT\s+ROWID\b|\bstrftime\s*\(|\bdatetime\s*\(\s*'now'|"
    r"\bunixepoch\s*\(|\bINSERT\s+OR\s+(?:IGNORE|REPLACE)\b|\bsqlite_\w+",
    "oracle": r"\bVARCHAR2\b|\bNUMBER\s*\(\s*\d+|\bFROM\s+dual\b|\bSYSDATE\b|\bSYSTIMESTAMP\b|"
    r"\b(?:IN|OUT)\s+NUMBER\b|\bDBMS_\w+\.|\bPLS_INTEGER\b|\bROWNUM\b|\bCREATE\s+(?:OR\s+REPLACE\s+)?PACKAGE\b",
    "snowflake": r"\bVARIANT\b|\bTIMESTAMP_NTZ\b|"
    r"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:TRANSIENT|STAGE|WAREHOUSE)\b|"
    r"\bLATERAL\s+FLATTEN\b|\bCREATE\s+OR\s+REPLACE\s+TABLE\b|\bQUALIFY\b",
    "bigquery": r"`[\w-]+\.[\w.-]+`|\bSTRUCT<|\bARRAY<|\bSAFE_CAST\(|\bOPTIONS\s*\(\s*description",
    "redshift": r"\bDISTKEY\b|\bSORTKEY\b|\bDISTSTYLE\b",
    "databricks": r"\bUSING\s+DELTA\b|\bTBLPROPERTIES\b|\bPARTITIONED\s+BY\b",
}
_POSTGRES_SIGNS = LazyPattern(
    r"\$\$|\bplpgsql\b|::\w|\bjsonb\b|\btimestamptz\b|\b(?:big)?serial\b|\bROW\s+LEVEL\s+SECURITY\b|"
    r"\bCREATE\s+POLICY\b|\bCONCURRENTLY\b|\bILIKE\b|\bCREATE\s+EXTENSION\b|\bTIMESTAMP\s*\(\d\)|"
    r"\bgen_random_uuid\(|\bDOUBLE\s+PRECISION\b|\bWITH\s+TIME\s+ZONE\b|\bpg_catalog\b|\bCREATE\s+TYPE\b",
    re.IGNORECASE,
)
_POSTGRES_ONLY = LazyPattern(
    r"\$\$|\bplpgsql\b|::\w|\bROW\s+LEVEL\s+SECURITY\b|\bCREATE\s+(?:POLICY|EXTENSION|TYPE)\b|\bCONCURRENTLY\b",
    re.IGNORECASE,
)
"""The signs of PostgreSQL without the names of types and functions."""
_FOREIGN = {name: LazyPattern(sign, re.IGNORECASE | re.MULTILINE) for name, sign in _SIGNS.items()}
_WORDS = {
    "clickhouse": ("MERGETREE", "ON CLUSTER", "LOWCARDINALITY", "KAFKA"),
    "mysql": ("ENGINE", "AUTO_INCREMENT", "DELIMITER", "CHARSET", "`", "DUPLICATE", "MODIFY", "UTC_TIME"),
    "tsql": (
        "\nGO",
        "IDENTITY",
        "NVARCHAR",
        "DBO",
        "EXEC",
        "QUOTED_ID",
        "DATETIME2",
        "UNIQUEID",
        " TOP",
        "@",
    ),
    "sqlite": (
        "AUTOINCREMENT",
        "PRAGMA",
        "ROWID",
        "STRFTIME",
        "DATETIME",
        "UNIXEPOCH",
        "INSERT OR",
        "SQLITE_",
    ),
    "oracle": (
        "VARCHAR2",
        "NUMBER",
        "DUAL",
        "SYSDATE",
        "SYSTIMESTAMP",
        "DBMS_",
        "PLS_INT",
        "ROWNUM",
        "PACKAGE",
    ),
    "snowflake": ("VARIANT", "_NTZ", "TRANSIENT", "STAGE", "WAREHOUSE", "FLATTEN", "REPLACE", "QUALIFY"),
    "bigquery": ("`", "STRUCT<", "ARRAY<", "SAFE_CAST", "OPTIONS"),
    "redshift": ("DISTKEY", "SORTKEY", "DISTSTYLE"),
    "databricks": ("DELTA", "TBLPROPERTIES", "PARTITIONED"),
}
"""Upper-case substrings; a file without any of them has no sign of a dialect."""
_NAMES = LazyPattern(
    r"(?:(?<![a-z])(?P<word>mssql|tsql|oracle|spark|hive|trino|presto|athena|tidb)|"
    r"(?P<name>mysql|mariadb|sqlite3?|sqlserver|clickhouse|bigquery|snowflake|redshift|duckdb|databricks|"
    r"postgresql|postgres|cockroach|supabase))(?![a-z])"
)
"""Names in paths; the unambiguous ones may end a longer word."""
_SAID = LazyPattern(
    r"\s*--[^\n]*\b(?P<name>mysql|mariadb|sqlite|mssql|sql "
    r"server|t-sql|snowflake|bigquery|oracle|redshift|clickhouse|duckdb)\b",
    re.IGNORECASE,
)
"""First line that names the dialect."""
_BACKTICK = LazyPattern(r"`\w+`")
_SAME = {
    "mariadb": "mysql", "tidb": "mysql", "sqlite3": "sqlite", "mssql": "tsql", "sqlserver": "tsql",
    "sql server": "tsql", "t-sql": "tsql",
}  # fmt: skip
_SUFFIXES = {"tsql": "tsql"} | dict.fromkeys(("pks", "pkb", "pls", "plb", "prc", "fnc", "plsql"), "oracle")
_LOOKED_AT = 200_000

_DRIVERS = {
    "postgres": r"psycopg|asyncpg|aiopg|\bpg8000|postgresql|['\"]pg['\"]|pg-promise|['\"]postgres['\"]|"
    r"@neondatabase|@vercel/postgres",
    "mysql": r"\bpymysql|\baiomysql|\bMySQLdb|mysql\.connector|\basyncmy\b|dialects import mysql|"
    r"['\"]mysql2?(?:/promise)?['\"]|['\"]mariadb['\"]",
    "sqlite": r"\bimport sqlite3|\baiosqlite|from sqlite3|['\"](?:better-)?sqlite3?['\"]|bun:sqlite|"
    r"node:sqlite|expo-sqlite",
    "tsql": r"\bpyodbc\b|\bpymssql\b|['\"]mssql['\"]|['\"]tedious['\"]",
    "oracle": r"\b(?:import|from) (?:oracledb|cx_Oracle)|['\"]oracledb['\"]",
    "snowflake": r"\bsnowflake\.connector|['\"]snowflake-sdk['\"]",
    "bigquery": r"google\.cloud import bigquery|google\.cloud\.bigquery|@google-cloud/bigquery",
    "clickhouse": r"\bclickhouse_(?:connect|driver)|@clickhouse/client",
    "duckdb": r"\bimport duckdb|['\"]duckdb['\"]",
}
_IMPORT = LazyPattern(r"^\s*(?:import\b|from\b|(?:const|let|var)\b[^\n]*\brequire\()[^\n]*", re.MULTILINE)


@lru_cache(maxsize=512)
def driver_of(text: str) -> str:
    """Return the dialect of the only database driver that code imports; empty if there is none or several."""
    imports = "\n".join(match.group() for match in _IMPORT.finditer(text[:_LOOKED_AT]))
    result = [name for name, sign in _DRIVERS.items() if re.search(sign, imports)] if imports else []
    return result[0] if len(result) == 1 else ""


FOREIGN_WORDS = ("AUTOINCREMENT", "PRAGMA", "AUTO_INCREMENT", "InnoDB", "DELIMITER", "NVARCHAR", "VARCHAR2",
                 "MergeTree")  # fmt: skip
"""Words of other dialects; nearly every project with another database uses one in a migration."""

POSTGRES_WORDS = ("jsonb", "JSONB", "timestamptz", "TIMESTAMPTZ", "plpgsql", "gen_random_uuid", "bigserial",
                  "BIGSERIAL", "CONCURRENTLY", "concurrently", "EXTENSION", "extension")  # fmt: skip
"""The same for PostgreSQL itself."""


@lru_cache(maxsize=512)
def detected_dialect(path: str, text: str, usual: str | None = None) -> str:
    """Return sqlglot's name of the dialect that the text or the path of a file shows; empty if none.

    Args:
        usual: the dialect of the project; PostgreSQL's syntax decides only if it is that, or unknown.
    """
    seen = text[:_LOOKED_AT]
    stated, named = _SAID.match(seen), named_dialect(path)
    # SQLite accepts any name of a type
    signs = _POSTGRES_ONLY if named == "sqlite" else _POSTGRES_SIGNS
    own_signs = len(list(signs.finditer(seen)))
    foreign_signs = _foreign_signs(seen)
    if stated and not own_signs:
        return canonical(stated["name"])
    foreign = _prevailing_dialect(foreign_signs, own_signs, named)
    if foreign:
        return foreign
    if own_signs and (usual is None or canonical(usual) == POSTGRES):
        return POSTGRES
    return named


def _prevailing_dialect(foreign_signs: Mapping[str, int], own_signs: int, named: str) -> str:
    """Return the dialect with more signs than PostgreSQL, or with any sign if the path names it."""
    best = max(sorted(foreign_signs), key=foreign_signs.__getitem__, default="")
    count = foreign_signs.get(best, 0)
    is_confirmed = count > 0 and named == best
    return best if count > own_signs or is_confirmed else ""


def _foreign_signs(text: str) -> dict[str, int]:
    """Return the number of keywords of each other dialect in the SQL."""
    upper = text.upper()
    counts = {
        name: sum(1 for _ in sign.finditer(text))
        for name, sign in _FOREIGN.items()
        if any(word in upper for word in _WORDS[name])
    }
    if "`" in text and not any(counts.values()) and not is_template(text):
        counts["mysql"] = sum(1 for _ in _BACKTICK.finditer(strip_quoted(text)))
    return counts


def shows_postgres(text: str) -> bool:
    """Return True if a text has syntax of hardly any database but PostgreSQL."""
    return _POSTGRES_SIGNS.search(text[:_LOOKED_AT]) is not None


def named_dialect(path: str) -> str:
    """Return the dialect that a path is named after; the innermost folder wins."""
    result = [match["name"] or match["word"] for match in _NAMES.finditer(path.lower())]
    if not result:
        return _SUFFIXES.get(path.rpartition(".")[2].lower(), "")
    return canonical(result[-1])


def canonical(name: str) -> str:
    """Return sqlglot's name of a dialect; ``postgres`` for compatible databases."""
    name = name.lower()
    return POSTGRES if name in _LIKE_POSTGRES else _SAME.get(name, name)
