"""The SQL specialist: which files it claims, what it brings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from wardround.checks import Check, Source
from wardround.findings import RawResult
from wardround.late import Late, LateEach
from wardround.specialists import Specialist
from wardround_sql.options import SqlOptions

_CODE = ("*.py", "*.ts", "*.tsx", "*.mts", "*.cts", "*.js", "*.mjs", "*.cjs", "*.rb")
_CALL = re.compile(
    rb"\b(?:execute\w*|exec_driver_sql|fetch\w*|text|RunSQL|raw|read_sql\w*|query\w*|sql|unsafe|op|prepare)\b"
    rb"\s*(?:<[^<>()`]*>)?[(.`]|\$(?:query|execute)Raw|\bexecute\b"
)
_VERB = re.compile(
    rb"(?i)\b(?:select\s|update\s|delete\s+from|alter\s|create\s|grant\s|insert\s+into|truncate\s)|"
    rb"\bop\.(?:add_column|create_index|create_table)"
)


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
    """A cheap look: whether code in another language calls a database with SQL in a string."""
    return _VERB.search(text) is not None and _CALL.search(text) is not None


def _run_checks(checks: Sequence[type[Check]], source: Source) -> Iterable[RawResult]:
    from wardround_sql.check import run_sql_checks  # the parser's part: not needed to start the tools

    return run_sql_checks(checks, source)
