"""SQ040: a statement that is no Postgres."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Severity
from wardround_sql import places
from wardround_sql.cases import api_invalid, invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.dialects import POSTGRES_WORDS, shows_postgres

_READ = 1
"""Statements that parse for each that does not."""


class UnparsedStatement(SqlCheck):
    """A statement is not what Postgres reads, so the migration fails there and nothing was said about it.

    Said only where the file is surely for Postgres: it or a migration beside it has what hardly another
    database reads, and most of its statements parse. If it is for another database all the same, set
    ``dialect`` below ``[tool.wardround.sql]``.
    """

    ID = "SQ040"
    NAME = "unparsed-sql"
    DEFECT_CLASS = "syntax-error"
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "3,715 files of sqlfluff, dbt and squawk bring no crash; how often a hit on real changes is right is "
        "not known, as the rule was changed after the one that was read"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select 1;\n\\connect other\nselect :id, @x, ?;\n"),
        valid("CREATE TABLE `x` (id INT AUTO_INCREMENT) ENGINE=InnoDB;\nSELEC 1;\n"),
        valid(
            "{{ config(materialized='table') }}\nselect * from {{ ref('a') }} {% if x %} limit {% endif %}\n",
            "models/a.sql",
        ),
        valid("copy t from stdin;\n1\tselec\n\\.\nselect 1;\n"),
        valid("select 1;\nselect 2;\nselec 1;\n"),
        valid("select a::int;\nselect top from x qualify 1;\n", "queries/report.sql"),
        valid("select a::int;\nselec 1;\nselec 2;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("select a::int;\nselect 1;\nselec 1;\n", 3, 1),
        api_invalid("create taable notes (id int);\n", 1, 8),
        invalid(
            "create table t (a int);\nalter table notes ad column a int;\n",
            2,
            19,
            others={"db/migrations/0001_a.sql": "create table notes (at timestamptz, b jsonb);\n"},
        ),
    ]

    def run(self) -> None:
        script = self.script
        if not script.is_sql or not script.is_postgres or script.is_template or script.is_spare:
            return
        supabase = script.exposure.is_supabase
        if not script.unparsed or not (supabase or self._is_sure()):
            return
        bad = script.unparsed[0]
        text = f"this statement was not reviewed: Postgres says {bad.message}"
        severity = Severity.WARN if supabase and script.surely_postgres else None
        self.report(script.span_of_unparsed(bad), text, severity=severity)

    def _is_sure(self) -> bool:
        """Whether a migration is for Postgres beyond doubt, and readable but for a few statements."""
        script = self.script
        read = sum(1 for statement in script.everything if statement.outer is None)
        if not places.is_migration(script.path, script.options.migrations) or read < _READ * len(
            script.unparsed
        ):
            return False
        if not script.surely_postgres:
            return False
        beside = places.set_patterns(script.path)
        return shows_postgres(script.sql) or bool(
            script.source.project.files_with_word(POSTGRES_WORDS, beside)
        )
