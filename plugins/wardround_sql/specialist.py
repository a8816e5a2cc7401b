"""The SQL specialist: which files it claims, what it brings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wardround.checks import Check, Source
from wardround.findings import RawResult
from wardround.late import Late, LateEach, LatePattern
from wardround.specialists import Specialist
from wardround_sql.options import SqlOptions

_CODE = ("*.py", "*.ts", "*.tsx", "*.mts", "*.cts", "*.js", "*.mjs", "*.cjs", "*.rb")
_CALL = LatePattern(
    r"\b(?:execute\w*|exec_driver_sql|fetch\w*|text|RunSQL|RawSQL|raw|\w*Raw|\w*RawUnsafe|read_sql\w*|\w*[qQ]uery\w*|"
    r"sql|SQL|unsafe|op|prepare|exec\w*|run\w*|all|get|iterate|find_by_sql|select_\w+)\b"
    r"\s*(?:<[^()`;]{0,300}>)?[(.`]|\$(?:query|execute)Raw|\b(?:execute|exec_query|select_all)\b"
)
_VERB = LatePattern(
    r"(?i)\b(?:select\s|update\s|delete\s+from|alter\s|create\s|grant\s|insert\s+into|truncate\s|drop\s|reindex\s)"
)
_BUILDS = LatePattern(
    r"\bop\.(?:add_|create_|drop_|alter_|rename_|batch_)|\bmigrations\.(?:Add|Remove|Rename|Alter|Delete|Create|Run)\w|"
    r"__tablename__|\bmodels\.FloatField|db_index=False|\.objects\.(?:all\(\)\.)?(?:update|delete)\(|"
    r"\.(?:delete|update)\(\)|\bquery\([\w.]+\)\.(?:delete|update)\(|(?:update|delete)_all\b|destroy_all\b|"
    r"ActiveRecord::Migration|\.(?:alterTable|createTable)\(|\bqueryInterface\.|\bqueryRunner\.|"
    r"\.(?:raw|whereRaw|\$queryRawUnsafe|\$executeRawUnsafe)\("
)
_VERBS = (
    "select", "update", "delete", "alter", "create", "grant", "insert", "truncate", "drop", "reindex",
)  # fmt: skip
_BUILDERS = (
    "op.", "migrations.", "__tablename__", "floatfield", "db_index", ".update(", ".delete(", "_all",
    "activerecord", "table(", "queryinterface", "queryrunner", "raw",
)  # fmt: skip
"""In lower case: of which one stands in every text that ``_VERB``, or ``_BUILDS``, fits."""


def specialist() -> Specialist:
    """The specialist as the host takes it."""
    return Specialist(
        name="sql",
        patterns=("*.sql",),
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
    if any(word in lowered for word in _VERBS) and _VERB.search(code) and _CALL.search(code):
        return True
    return any(word in lowered for word in _BUILDERS) and _BUILDS.search(code) is not None


def _run_checks(checks: Sequence[type[Check]], source: Source) -> Iterable[RawResult]:
    from wardround_sql.check import run_sql_checks  # the parser's part: not needed to start the tools

    return run_sql_checks(checks, source)
