"""Dialect of a file: from its own statements, its path, the options, and the rest of the project."""

from __future__ import annotations

from dataclasses import dataclass

from wardround.change.repository_view import RepositoryView
from wardround_sql.options import SqlOptions
from wardround_sql.parsing.dialects import (
    FOREIGN_WORDS,
    POSTGRES,
    POSTGRES_WORDS,
    canonical,
    detected_dialect,
)
from wardround_sql.project.dialect_evidence import configured_dialects, declared_dialect
from wardround_sql.project.migration_files import SUFFIXES, set_patterns


@dataclass(frozen=True, slots=True)
class FileDialect:
    """The dialect of a file.

    Attributes:
        name: sqlglot's name; ``postgres`` includes compatible databases.
        is_certain: False if the file has no sign of its dialect and the project uses several databases.
    """

    name: str
    is_certain: bool = True

    @property
    def is_certainly_postgres(self) -> bool:
        return self.is_certain and self.name == POSTGRES


def file_dialect(path: str, sql: str, options: SqlOptions, project: RepositoryView) -> FileDialect:
    """Return the dialect of the SQL of a file, by the first of these that is known.

    The journal of the migration tool, the statements and the path, the option ``dialect``, adjacent
    migrations, and the configuration of the project. PostgreSQL if none is.
    """
    own = declared_dialect(path, project) or detected_dialect(path, sql, options.dialect)
    if own:
        return FileDialect(own)
    if options.dialect is not None:
        return FileDialect(canonical(options.dialect))
    configured = configured_dialects(path, project) if path.endswith(SUFFIXES) else frozenset()
    adjacent = set_patterns(path)
    if not project.files_with_word(FOREIGN_WORDS, adjacent):
        return _native_dialect(configured, adjacent, project)
    return FileDialect(_preferred_dialect(configured), is_certain=False)


def _native_dialect(configured: frozenset[str], adjacent: list[str], project: RepositoryView) -> FileDialect:
    """Return the dialect of a file whose adjacent migrations show no foreign one."""
    if len(configured) == 1:
        return FileDialect(next(iter(configured)))
    if configured and project.files_with_word(POSTGRES_WORDS, adjacent):
        return FileDialect(POSTGRES)
    return FileDialect(_preferred_dialect(configured), is_certain=not configured)


def _preferred_dialect(configured: frozenset[str]) -> str:
    """Return PostgreSQL unless only others are configured."""
    return POSTGRES if POSTGRES in configured or not configured else min(configured)
