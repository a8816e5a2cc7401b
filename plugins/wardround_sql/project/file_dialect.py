"""Dialect of a file: from its own statements, its path, the options, and the rest of the project."""

from __future__ import annotations

from dataclasses import dataclass

from wardround.checks.source import RepositoryView
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
    adjacent = set_patterns(path)
    is_foreign = bool(project.files_with_word(FOREIGN_WORDS, adjacent))
    configured = configured_dialects(path, project) if path.endswith(SUFFIXES) else frozenset()
    if len(configured) == 1 and not is_foreign:
        return FileDialect(next(iter(configured)))
    if len(configured) > 1 and not is_foreign and project.files_with_word(POSTGRES_WORDS, adjacent):
        return FileDialect(POSTGRES)
    name = min(configured) if configured and POSTGRES not in configured else POSTGRES
    return FileDialect(name, is_certain=not is_foreign and not configured)
