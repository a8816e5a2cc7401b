"""Migration tools that run a file in one transaction, and settings of a file that disable it."""

from __future__ import annotations

import re

from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile

_DJANGO = LazyPattern(r"\bmigrations\.Migration\b")
_NOT_ATOMIC = LazyPattern(r"^[ \t]+atomic\s*(?::\s*bool\s*)?=\s*False\b", re.MULTILINE)
_ALEMBIC = LazyPattern(r"^(?:from alembic import|import alembic)\b", re.MULTILINE)
_OWN_END = LazyPattern(r"(?i)autocommit|['\"]\s*(?:commit|end)\s*;?\s*['\"]|\.commit\(\)")
_RAILS = LazyPattern(r"\bActiveRecord::Migration\b")
_TYPEORM = LazyPattern(r"\bimplements\s+MigrationInterface\b")
_TYPEORM_OFF = LazyPattern(r"\btransaction\s*(?::\s*boolean\s*)?=\s*false\b|\bcommitTransaction\(")
_KNEX = LazyPattern(r"(?i)\bknex\b")
_KNEX_OFF = LazyPattern(r"\btransaction\s*:\s*false\b")
_NODE_PG = LazyPattern(r"\bpgm\b")
_MARKS = (
    ("dbmate", LazyPattern(r"(?im)^--\s*migrate:up\b"), LazyPattern(r"(?i)\btransaction\s*:\s*false\b")),
    ("goose", LazyPattern(r"(?im)^--\s*\+goose\s+up\b"), LazyPattern(r"(?i)\+goose\s+no\s+transaction\b")),
    ("sql-migrate", LazyPattern(r"(?im)^--\s*\+migrate\s+up\b"), LazyPattern(r"(?i)\bnotransaction\b")),
    (
        "Liquibase",
        LazyPattern(r"(?im)^--\s*liquibase\s+formatted\s+sql\b"),
        LazyPattern(r"(?i)\brunInTransaction\s*:\s*\"?false\b"),
    ),
)


def disables_transaction(text: str) -> bool:
    """Return True if a SQL migration has the setting that runs it outside of a transaction."""
    return any(off.search(text) for _, _, off in _MARKS)


def transaction_of(source: SourceFile) -> str:
    """Return the tool that runs a migration in a transaction; empty if there is none.

    Flyway is excluded: it inspects the statements first.
    """
    path, text = source.path, source.text
    if path.endswith(".py"):
        return _of_python(source)
    if path.endswith(".rb"):
        return "Rails" if _RAILS.search(text) and "disable_ddl_transaction!" not in text else ""
    if path.endswith(".sql"):
        return next((name for name, sign, off in _MARKS if sign.search(text) and not off.search(text)), "")
    return _of_script(text)


def _of_script(text: str) -> str:
    if _TYPEORM.search(text):
        return "" if _TYPEORM_OFF.search(text) else "TypeORM"
    if _NODE_PG.search(text):
        return "" if "noTransaction(" in text else "node-pg-migrate"
    return "Knex" if _KNEX.search(text) and not _KNEX_OFF.search(text) else ""


def _of_python(source: SourceFile) -> str:
    text = source.text
    if _DJANGO.search(text):
        return "" if _NOT_ATOMIC.search(text) else "Django"
    if not _ALEMBIC.search(text) or _OWN_END.search(text):
        return ""
    folder = source.path.rsplit("/", 2)[0]
    around = (
        source.project.read(f"{location}/env.py") or ""
        for location in (folder, source.path.rpartition("/")[0])
    )
    return "" if any("AUTOCOMMIT" in item for item in around) else "Alembic"
