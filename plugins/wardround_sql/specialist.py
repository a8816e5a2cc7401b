"""The SQL specialist: its files, tools and checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from wardround.checks.base import ChangeCheck, Check
from wardround.checks.line_ends import run_by_lines
from wardround.checks.registry import CheckRegistry
from wardround.checks.source import SourceFile
from wardround.findings import Plane, RawFinding
from wardround.lazy import LazyPattern, LazySequence
from wardround.specialists import Specialist, SyntaxCheck
from wardround.text.keyword_index import keyword_index
from wardround.tools.ignore_comments import CommentForm
from wardround.tools.tool import Tool
from wardround_sql.options import SqlOptions
from wardround_sql.project.migration_files import SUFFIXES

SQL = CommentForm(("*.sql",))
"""The form of ignore comments in SQL."""
_CODE = ("*.py", "*.ts", "*.tsx", "*.mts", "*.cts", "*.js", "*.mjs", "*.cjs", "*.rb", "*.sh")
_SPOKEN = LazyPattern(
    r"(?:[\"'`]|<<[~-][\"']?[a-z]{2,}[^\n]*)(?:\\?\s|--[^\n]*\n|/\*[^*]*\*/)*+(?:"
    r"select\s+(?!(?:an|the|your|one|this|which|from)\s|a\s+(?!from\b|as\b))(?s:.{0,20000}?)\bfrom\b|"
    r"insert\s+(?:or\s+\w+\s+|ignore\s+)?into\s|(?:merge|replace)\s+into\s|delete\s+from\s|"
    r"with\s+(?:recursive\s+)?[^\s,]+\s*(?:\([^()]*\)\s*)?as\b|update\s+(?!(?:an|the|your|this|its)\s|a\s+(?!set\b))|"
    r"(?:create|alter|drop|refresh|lock)\s+(?:or\s|unique\s|temp|recursive\s|global\s|unlogged\s|table|index|"
    r"view|materialized|function|procedure|policy|type|trigger|schema|extension|default|domain|database)|"
    r"(?:grant|revoke|truncate|reindex|vacuum|cluster)\s+(?!(?:an?|the|your|this)\s)|"
    r"comment\s+on\s|do\s+\$|begin\s*;)"
)
"""In lower case: a string that begins like a statement; the parser rejects sentences."""
_VERBS = (
    "select", "insert", "delete", "update", "create", "alter", "drop", "refresh", "lock", "grant", "revoke",
    "truncate", "reindex", "vacuum", "cluster", "comment", "merge", "replace into", "do $",
)  # fmt: skip
"""Verbs; every text with a statement has one. Prefilter of ``_SPOKEN``."""
_VERB = LazyPattern(
    r"\b(?:select\s|update\s|delete\s+from|alter\s|create\s|grant\s|insert\s+into|truncate\s|drop\s|"
    r"reindex\s|vacuum\s|"
    r"lock\s+table\s|refresh\s+materialized\s)"
)
_CLIENT = LazyPattern(r"\b(?:psql|mysql|mariadb|sqlite3|cockroach|usql)\b")
_LIBRARIES = {
    ".py": ("sqlalchemy", "sqlmodel"),
    "": ("knex", "kysely", "drizzle", "typeorm", "sequelize", "prisma", "supabase", "objection", "mikro-orm"),
}
_BUILDERS = (
    "__tablename__", "type_annotation_map", "mapped_column(", "models.floatfield", "models.foreignkey",
    "migrations.migration", ".objects.", ".extra(", "session.query(", "session.execute(",
    ".scalars(", "db_index=false",
    ".delete()", ".update()", "update_all", "delete_all", "destroy_all", "activerecord::migration",
    "pgtable(", ".altertable(", ".createtable(", "queryinterface", "queryrunner", ".raw(", ".whereraw(",
    ".andwhere(", ".$queryrawunsafe(", ".$executerawunsafe(", "transaction(async",
)  # fmt: skip
"""In lower case: calls and names that always represent SQL."""
_BUILDING = (
    ("op.", LazyPattern(r"op\.(?<!\wop\.)(?:add|create|drop|alter|rename|batch)_")),
    ("migrations.", LazyPattern(r"migrations\.(?:add|remove|rename|alter|delete|create|run)\w")),
    ("query(", LazyPattern(r"query\([\w.]+\)\.(?:delete|update)\(")),
    (".where(", LazyPattern(r"\.where\([\"'`]")),
)
"""The same for patterns, each with the word that it begins with."""


class SqlSpecialist(Specialist):
    """Reviews SQL files, and code that builds SQL."""

    name = "sql"
    planes = frozenset(Plane) - {Plane.TESTS}
    further_planes = frozenset({Plane.TESTS})
    change_planes = frozenset()
    patterns = tuple(f"*{suffix}" for suffix in SUFFIXES)
    content_sniffed = _CODE
    comment_signs = ("--", "/*", "#", "//")
    tools = LazySequence[Tool]("wardround_sql.tools:TOOLS")
    checks = CheckRegistry[type[Check]]("wardround_sql.checks")
    change_checks = CheckRegistry[type[ChangeCheck]]("wardround_sql.checks", "change")
    options = SqlOptions

    def claims_text(self, path: str, content: bytes) -> bool:
        return contains_sql(path, content)

    def syntax_check(self, path: str, text: str) -> SyntaxCheck | None:
        from wardround_sql.parsing.jinja import is_template  # only for fixes

        if not path.endswith(SUFFIXES) or is_template(text):
            return None
        from wardround_sql.parsing.dialects import POSTGRES, detected_dialect
        from wardround_sql.parsing.syntax_errors import syntax_error

        return partial(syntax_error, path, detected_dialect(path, text) or POSTGRES)

    def run_checks(self, checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
        from wardround_sql.check import run_sql_checks  # the parser's part: not needed for the tools

        run = partial(run_sql_checks, checks)
        return run_by_lines(run, source) if source.path.endswith(".py") else run(source)


def contains_sql(path: str, content: bytes) -> bool:
    """Prefilter: return True if code in another language may have SQL strings, or calls for SQL."""
    lowered = keyword_index(_decode_content(content)).in_lower_case
    if path.endswith(".sh"):
        return _CLIENT.search(lowered.tokens) is not None and _VERB.search(lowered.text) is not None
    if lowered.contains_any(_BUILDERS):
        return True
    if lowered.contains_any(_VERBS) and _SPOKEN.search(lowered.text) is not None:
        return True
    if any(lowered.has(word) and builds.search(lowered.tokens) for word, builds in _BUILDING):
        return True
    return lowered.contains_any(_LIBRARIES[".py" if path.endswith(".py") else ""])


def _decode_content(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")
