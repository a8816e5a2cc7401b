"""The SQL specialist: which files it claims, what it brings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from wardround.checks import Check, Source
from wardround.findings import RawResult
from wardround.late import Late, LateEach, LatePattern
from wardround.specialists import Specialist
from wardround_sql.options import SqlOptions
from wardround_sql.places import SUFFIXES

_CODE = ("*.py", "*.ts", "*.tsx", "*.mts", "*.cts", "*.js", "*.mjs", "*.cjs", "*.rb", "*.sh")
_CALL = LatePattern(
    r"\b(?:execute\w*|exec_driver_sql|fetch\w*|text|RunSQL|RawSQL|raw|\w*Raw|\w*RawUnsafe|read_sql\w*|"
    r"\w*[qQ]uery\w*|"
    r"sql|SQL|unsafe|op|extra|where|andWhere|orWhere|having|prepare|exec\w*|run\w*|all|get|iterate|"
    r"find_by_sql|select_\w+)\b"
    r"\s*(?:<[^()`;]{0,300}>)?[(.`]|\$(?:query|execute)Raw|\b(?:execute|exec_query|select_all)\b"
)
_VERB = LatePattern(
    r"(?i)\b(?:select\s|update\s|delete\s+from|alter\s|create\s|grant\s|insert\s+into|truncate\s|drop\s|"
    r"reindex\s|vacuum\s|"
    r"lock\s+table\s|refresh\s+materialized\s)"
)
_CLIENT = LatePattern(r"\b(?:psql|mysql|mariadb|sqlite3|cockroach|usql)\b")
_KEPT = LatePattern(
    r"[=(]\s*[rf]?[`\"']{1,3}\s*(?:--[^\n]*\s+)?(?:SELECT|WITH|INSERT INTO|UPDATE|DELETE FROM)\s"
)
_BUILDS = LatePattern(
    r"\bop\.(?:add_|create_|drop_|alter_|rename_|batch_)|\bmigrations\.(?:Add|Remove|Rename|Alter|"
    r"Delete|Create|Run)\w|"
    r"__tablename__|type_annotation_map|\bmapped_column\(|\bmodels\.FloatField|db_index=False|"
    r"\.objects\.(?:all\(\)\.)?(?:update|delete)\(|"
    r"\.(?:delete|update)\(\)|\bquery\([\w.]+\)\.(?:delete|update)\(|(?:update|delete)_all\b|destroy_all\b|"
    r"ActiveRecord::Migration|\bpgTable\(|\.(?:alterTable|createTable)\(|\bqueryInterface\.|\b[qQ]uery(?:Runner|"
    r"Interface)\b|"
    r"\.(?:raw|whereRaw|\$queryRawUnsafe|\$executeRawUnsafe)\("
)
_STEPS = LatePattern(
    r"\.(?:where|filter|offset|skip|limit|not_in|notin_|in_|whereNotIn|leftJoin|findFirst|findMany|"
    r"deleteMany|"
    r"updateMany|"
    r"deleteFrom|updateTable|del|first|delete)\s*\(|(?<![\w.])skip:"
)
"""Calls that build a query, where the file names a library that has them."""
_BARE = LatePattern(r"^[ \t]+\w+\.(?:filter|exclude|order_by)\(", re.MULTILINE)
"""A queryset that is narrowed on a line of its own."""
_COUNTED = LatePattern(
    r"^[ \t]+(?P<row>\w+)\.(?P<name>\w+) (?:[-+]=|= (?P=row)\.(?P=name) [-+]) ", re.MULTILINE
)
"""A value of a row that is counted up or down."""
_LIBRARIES = {
    ".py": ("sqlalchemy", "sqlmodel"),
    "": ("knex", "kysely", "drizzle", "typeorm", "sequelize", "prisma", "supabase", "objection", "mikro-orm"),
}
_VERBS = (
    "select", "update", "delete", "alter", "create", "grant", "insert", "truncate", "drop", "reindex",
    "vacuum", "lock table", "refresh",
)  # fmt: skip
_BUILDERS = (
    "op.", "migrations.", "__tablename__", "annotation_map", "mapped_column(", "floatfield", "db_index",
    ".update(", ".delete(", "_all", "activerecord", "table(", "queryinterface", "queryrunner", "raw",
)  # fmt: skip
"""In lower case: of which one stands in every text that ``_VERB``, or ``_BUILDS``, fits."""


def specialist() -> Specialist:
    """The specialist as the host takes it."""
    return Specialist(
        name="sql",
        patterns=tuple(f"*{suffix}" for suffix in SUFFIXES),
        text_decides=_CODE,
        claims_text=holds_sql,
        tools=Late("wardround_sql.tools:TOOLS"),
        checks=LateEach("wardround_sql.checks.table:TABLE"),
        run_checks=_run_checks,
        options=SqlOptions,
    )


def holds_sql(path: str, text: bytes) -> bool:
    """A cheap look: whether code in another language has SQL in a string, or calls that stand for it."""
    code = text.decode("latin-1")
    lowered = code.lower()
    spoken = any(word in lowered for word in _VERBS) and _VERB.search(code) is not None
    if path.endswith(".sh"):
        return spoken and _CLIENT.search(lowered) is not None
    if spoken and (_CALL.search(code) or _KEPT.search(code)):
        return True
    if any(word in lowered for word in _BUILDERS) and _BUILDS.search(code) is not None:
        return True
    if path.endswith(".py") and ".objects." in lowered and (_BARE.search(code) or _COUNTED.search(code)):
        return True
    return _names_builder(path, lowered) and _STEPS.search(code) is not None


def _names_builder(path: str, lowered: str) -> bool:
    """Whether code names a library that builds queries by calls."""
    words = _LIBRARIES[".py"] if path.endswith(".py") else _LIBRARIES[""]
    return any(word in lowered for word in words)


def _run_checks(checks: Sequence[type[Check]], source: Source) -> Iterable[RawResult]:
    from wardround_sql.check import run_sql_checks  # the parser's part: not needed to start the tools

    return run_sql_checks(checks, source)
