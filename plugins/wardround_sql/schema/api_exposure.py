"""Exposure of tables to clients, through PostgREST or Supabase, by schema.

Only there is a table without row-level security open to everyone; these rules do not apply to a web
application with a private database.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from wardround.checks.source import SourceFile
from wardround.lazy import LazyPattern
from wardround_sql.options import SqlOptions
from wardround_sql.project.migration_files import set_patterns

_SIGNS = LazyPattern(
    r"\bauth\.(?:uid|jwt|role|email)\s*\(|\b(?:to|from)\s+(?:\w+\s*,\s*)*\"?(?:anon|authenticated)\b|"
    r"\brequest\.jwt\b|\bpgrst\b",
    re.IGNORECASE,
)
_WORDS = ("anon", "authenticated", "auth.uid", "request.jwt.claims")
_USUAL = ("public",)
_READ = 5
"""Maximum number of adjacent files to read for signs of an API."""


class Exposure:
    """API in front of the database of one file."""

    def __init__(self, source: SourceFile, options: SqlOptions) -> None:
        self._source = source
        self._options = options

    def serves(self, schema: str) -> bool:
        """Return True if clients can reach the objects of a schema."""
        return schema in self.schemas

    @cached_property
    def schemas(self) -> frozenset[str]:
        """Exposed schemas; empty without a sign of an API."""
        if self._is_disabled or not (self._options.api or self._is_shown):
            return frozenset()
        chosen = self._options.exposed_schemas or self._configured_schemas or _USUAL
        return frozenset(chosen) - {"graphql_public"}

    @property
    def _api(self) -> object:
        return self._supabase.get("api", {}) if self._supabase else {}

    @property
    def _is_disabled(self) -> bool:
        if self._options.api is None:
            return isinstance(self._api, dict) and self._api.get("enabled") is False
        return self._options.api is False

    @property
    def _configured_schemas(self) -> list[str]:
        listed = self._api.get("schemas") if isinstance(self._api, dict) else None
        return listed if isinstance(listed, list) else []

    @cached_property
    def is_supabase(self) -> bool:
        """Return True if the file is part of a Supabase project, by its folders."""
        return re.search(r"(?:^|/)supabase/", self._source.path) is not None or self._supabase is not None

    @cached_property
    def _is_shown(self) -> bool:
        if self.is_supabase:
            return True
        if _SIGNS.search(self._source.text):
            return True
        project = self._source.project
        result = project.files_with_word(_WORDS, set_patterns(self._source.path))
        folder = self._source.path.rpartition("/")[0]
        adjacent = [path for path in result if path.rpartition("/")[0] == folder][:_READ]
        return any(_SIGNS.search(project.read(path) or "") for path in adjacent)

    @cached_property
    def _supabase(self) -> dict[str, Any] | None:
        """Supabase's configuration from the nearest folder that has one."""
        folder = self._source.path.rpartition("/")[0]
        while True:
            stem = f"{folder}/" if folder else ""
            names = [stem + "supabase/config.toml"]
            if folder.rpartition("/")[2] == "supabase":
                names.append(stem + "config.toml")
            for name in names:
                text = self._source.project.read(name)
                if text is not None:
                    return _table(text)
            if not folder:
                return None
            folder = folder.rpartition("/")[0]


def _table(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
