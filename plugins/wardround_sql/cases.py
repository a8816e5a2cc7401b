"""Short forms for the cases of SQL checks: where a case stands decides much of what is said about it."""

from __future__ import annotations

from collections.abc import Mapping

from wardround.checks.cases import Invalid, Valid

MIGRATION = "db/migrations/0002_change.sql"
SUPABASE = "supabase/migrations/0002_change.sql"
EARLIER = "supabase/migrations/0001_first.sql"
LATER = "supabase/migrations/0003_later.sql"


def valid(source: str, path: str = MIGRATION, others: Mapping[str, str] | None = None) -> Valid:
    """A migration to be silent on."""
    return Valid(source, path=path, others=others or {})


def invalid(
    source: str, line: int, column: int, path: str = MIGRATION, others: Mapping[str, str] | None = None
) -> Invalid:
    """A migration to be reported at one place."""
    return Invalid(source, line=line, column=column, path=path, others=others or {})


def api_valid(source: str, others: Mapping[str, str] | None = None) -> Valid:
    """The same in a project whose tables are served by an API."""
    return valid(source, SUPABASE, others)


def api_invalid(source: str, line: int, column: int, others: Mapping[str, str] | None = None) -> Invalid:
    """The same in a project whose tables are served by an API."""
    return invalid(source, line, column, SUPABASE, others)
