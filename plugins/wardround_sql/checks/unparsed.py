"""SQ040: a statement that is no Postgres."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Severity
from wardround_sql.cases import api_invalid, invalid, valid
from wardround_sql.check import SqlCheck


class UnparsedStatement(SqlCheck):
    """A statement is not what Postgres reads, so nothing was said about it.

    Where the file is certainly for Postgres, the migration fails there. Elsewhere it may be of another
    dialect: set ``dialect`` below ``[tool.wardround.sql]``.
    """

    ID = "SQ040"
    NAME = "unparsed-sql"
    DEFECT_CLASS = "syntax-error"
    SEVERITY = Severity.INFO
    TRIED_ON = "a fetched checkout: 1 read, right; 3,715 files of sqlfluff, dbt and squawk bring no crash"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select 1;\n\\connect other\nselect :id, @x, ?;\n"),
        valid("CREATE TABLE `x` (id INT AUTO_INCREMENT) ENGINE=InnoDB;\nSELEC 1;\n"),
        valid(
            "{{ config(materialized='table') }}\nselect * from {{ ref('a') }} {% if x %} limit {% endif %}\n",
            "models/a.sql",
        ),
        valid("copy t from stdin;\n1\tselec\n\\.\nselect 1;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("select 1;\nselec 1;\nselec 2;\n", 2, 1),
        api_invalid("create taable notes (id int);\n", 1, 8),
        invalid("alter table notes ad column a int;\n", 1, 19),
    ]

    def run(self) -> None:
        script = self.script
        if not script.is_sql or not script.is_postgres or script.is_template or script.is_spare:
            return
        certain = script.surely_postgres and script.exposure.is_supabase
        for bad in script.unparsed[:1]:
            text = f"this statement was not reviewed: Postgres says {bad.message}"
            self.report(script.span_of_unparsed(bad), text, severity=Severity.WARN if certain else None)
