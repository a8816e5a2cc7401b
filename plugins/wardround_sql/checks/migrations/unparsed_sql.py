from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from wardround.findings import Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.dialects import POSTGRES_WORDS, shows_postgres
from wardround_sql.parsing.statements import Unparsed
from wardround_sql.parsing.typo_detection import is_read_elsewhere, slip_of
from wardround_sql.project import migration_files

_MOST = 100
"""Maximum number of statements to inspect; a file with more errors is not SQL of this dialect."""
_READ = 1
"""Minimum number of statements that parse per statement that does not."""


class UnparsedSql(SqlCheck):
    """Statement that PostgreSQL cannot parse.

    The migration fails at this statement, and no other rule has checked it. The severity is warn if
    correcting one letter of a keyword makes the statement valid. It is also warn in a migration that is
    certainly for PostgreSQL (it or an adjacent file uses syntax that is almost unique to PostgreSQL, and most
    of its statements parse) if no other database, later PostgreSQL version or client-side template accepts
    the statement; otherwise it is info there. If the file is for another database, set ``dialect`` in
    ``[tool.wardround.sql]``.
    """

    ID = "SQ040"
    NAME = "unparsed-sql"
    DEFECT_CLASS = "syntax-error"
    SEVERITY = Severity.INFO

    VALID = [
        code(r"""
            select 1;
            \connect other
            select :id, @x, ?;
        """),
        code("""
            CREATE TABLE `x` (id INT AUTO_INCREMENT) ENGINE=InnoDB;
            SELEC 1;
        """),
    ]
    INVALID = [
        code("""
            select a::int;
            select 1;
            select a from b wher«e»;
        """),
        code(
            """
            «s»elec 1 frm;
            """,
            path="q.sql",
        ),
    ]

    def run(self) -> None:
        script = self.script
        unparsed = script.unparsed if self._is_reviewed() else []
        slips = {bad: slip for bad in unparsed[:_MOST] if (slip := slip_of(bad)) is not None}
        for bad, slip in slips.items():
            location = script.locations.span_of_parse_error(replace(bad, point=slip.point))
            text = f"PostgreSQL reports {bad.message}; write {slip.meant}"
            self.report(location, text, severity=Severity.WARN)
        rest = [bad for bad in unparsed if bad not in slips]
        if rest and (script.exposure.is_supabase or self._is_sure()):
            self._unread(rest)

    def _is_reviewed(self) -> bool:
        script = self.script
        return (
            script.is_sql and script.is_postgres and not script.is_template and not script.is_non_production
        )

    def _unread(self, statements: Sequence[Unparsed]) -> None:
        """Report the statements that no other database accepts, else the first one."""
        reported = statements[:1]
        severity: Severity | None = None
        if self.script.is_certainly_postgres:
            wrong = [statement for statement in statements[:_MOST] if not is_read_elsewhere(statement)]
            reported = wrong or reported
            severity = Severity.WARN if wrong or self.script.exposure.is_supabase else None
        for statement in reported:
            text = f"statement was not reviewed: PostgreSQL reports {statement.message}"
            self.report(self.script.locations.span_of_parse_error(statement), text, severity=severity)

    def _is_sure(self) -> bool:
        """Return True if a migration is certainly for PostgreSQL, and mostly parseable."""
        script = self.script
        read = sum(1 for statement in script.all_statements if statement.outer is None)
        if not migration_files.is_migration(script.path, script.options.migrations) or read < _READ * len(
            script.unparsed
        ):
            return False
        if not script.is_certainly_postgres:
            return False
        adjacent = migration_files.set_patterns(script.path)
        return shows_postgres(script.sql) or bool(
            script.source.project.files_with_word(POSTGRES_WORDS, adjacent)
        )
