"""Migration files, their sets, and files that are not for production."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.lazy import LazyPattern
from wardround.storage.regex_cache import bounded_pattern
from wardround.text.globs import matches_whole

_FOLDERS = LazyPattern(
    r"(?:^|/)(?:migrations?|migrate|alembic(?:/versions)?|versions|flyway|liquibase|changelogs?|drizzle|"
    r"db/(?:changes|deploy|updates|sql)|schema_migrations|migrations?[-_][a-z]+|[a-z]+[-_]migrations?)(?=/)",
    re.IGNORECASE,
)
_FLYWAY = LazyPattern(r"(?:^|/)[VR]\d*[\d._]*__[^/]+\.sql$")
_VERSION = LazyPattern(r"(?:^|/)V(\d[\d._]*?)__[^/]+\.sql$")
_DOWN = LazyPattern(
    r"(?:^|/)(?:down|rollback|revert|undo)s?(?:/|\.sql$)|[._-](?:down|rollback|revert|undo)\.sql$|(?:^|/)U[\d._]+__",
    re.IGNORECASE,
)
_SPARE = LazyPattern(
    r"(?:^|/)(?:tests?|__tests__|testing|fixtures?|test[-_]?data|e2e|spec|specs|examples?|docs?|benchmarks?|demo|"
    r"samples?|mocks?)(?:/|$)|(?:^|/)[^/]*(?:_test|\.test|\.spec|_spec|\.bench)\.[a-z]+$|(?:^|/)(?:test_[^/]*|conftest)\.py$",
    re.IGNORECASE,
)
_SEED = LazyPattern(
    r"(?:^|/)(?:seeds?|seeders|seed[-_]data)(?:/|\.)|seed[^/]*\.(?:sql|ts|js|py)$", re.IGNORECASE
)
_SNAPSHOT = LazyPattern(
    r"(?:^|/)(?:latest|current|schema|structure|full[-_]schema|schema[-_]dump)\.[a-z]+$", re.IGNORECASE
)
_VIEW = LazyPattern(r"(?:^|/)db/views/[^/]+\.sql$|(?:^|/)views/\w+_v\d+\.sql$")
"""Folder in which Scenic stores the views of Rails."""
_PRISMA = LazyPattern(r"(?:^|/)\d{8,14}_[^/]+/(?:migration|down)\.sql$|(?:^|/)prisma/(?:[^/]+/)*migrations/")

SUFFIXES = (".sql", ".pgsql", ".psql", ".tsql", ".pks", ".pkb", ".pls", ".plb", ".prc", ".fnc", ".plsql")
"""Extensions of files that are entirely SQL; most of them are packages and procedures of Oracle."""


def is_migration(path: str, more: Sequence[str] = ()) -> bool:
    """Return True if a file changes an existing database, by its path."""
    if matches_whole(path, more):
        return True
    if is_non_production(path) or is_seed(path) or is_snapshot(path):
        return False
    return _FOLDERS.search(path) is not None or _FLYWAY.search(path) is not None


def is_down(path: str) -> bool:
    """Return True if a file is the rollback of a migration."""
    return _DOWN.search(path) is not None


def is_non_production(path: str) -> bool:
    """Return True if a file is for tests, examples or documentation."""
    return _SPARE.search(path) is not None


def is_seed(path: str) -> bool:
    """Return True if a file fills an empty database."""
    return _SEED.search(path) is not None


def is_snapshot(path: str) -> bool:
    """Return True if a file has the complete schema for new databases; each migration edits it."""
    return _SNAPSHOT.search(path) is not None


def is_view(path: str) -> bool:
    """Return True if a file is the query of a view that a migration creates by the file's name."""
    return _VIEW.search(path) is not None


def view_name(path: str) -> str:
    """Return the view of such a file, without its version."""
    return re.sub(r"_v\d+$", "", path.rsplit("/", 1)[-1].removesuffix(".sql"))


def is_prisma(path: str) -> bool:
    """Return True if Prisma generated the migration from its schema."""
    return _PRISMA.search(path) is not None


def has_set(path: str) -> bool:
    """Return True if a file is in a migrations folder; other files form a set with their own folder only."""
    return _FOLDERS.search(path) is not None


def order(path: str) -> tuple[tuple[int, ...], str]:
    """Return the sort key of a migration in its set: Flyway's version, else the name."""
    version = _VERSION.search(path)
    return tuple(int(part) for part in re.findall(r"\d+", version[1])) if version else (), path


def set_root(path: str) -> str:
    """Return the folder whose files form one schema with a file; ``""`` is the repository root."""
    folders = list(_FOLDERS.finditer(path))
    if folders:
        return path[: folders[-1].end()]
    return path.rpartition("/")[0]


def set_patterns(path: str) -> list[str]:
    """Return the glob patterns of the files that form one schema with a file."""
    root = set_root(path)
    result = [f"{root}/*.sql" if root else "*.sql"]
    supabase = bounded_pattern(r"(?:^|.*/)supabase(?=/)").search(path)
    if supabase:
        result = [f"{supabase.group()}/{folder}/*.sql" for folder in ("migrations", "schemas")]
    return result
