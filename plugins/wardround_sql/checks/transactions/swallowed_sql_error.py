"""SQ068: an error that nobody hears of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.masking import masked_fragments, span_in

_DROPPED = LazyPattern(
    r"(?i)\bwhen\s+others\s+then\s+null\s*;(?=\s*(?:end|when)\b)|\bbegin\s+catch\s*;?\s*end\s+catch\b|"
    r"\bhandler\s+for\s+sqlexception\s+begin\s+end\b"
)


class SwallowedSqlError(SqlCheck):
    """Whatever goes wrong in the block is caught, and nothing is done about it.

    ``WHEN OTHERS`` also catches what nobody thought of: a missing table, a full disk, a cancelled query.
    The block is undone, the caller goes on as if it had worked. Name the condition that is meant (``WHEN
    unique_violation``), and log or raise the rest.
    """

    ID = "SQ068"
    NAME = "swallowed-sql-error"
    WORDS = ("others", "catch", "sqlexception")
    TRIED_ON = "3 trees: 32 hits, 6 read, all right"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid(
            "do $$ begin create type a as enum ('b'); exception when duplicate_object then null; end $$;\n"
        ),
        valid("do $$ begin perform f(); exception when others then raise notice 'x'; end $$;\n"),
        valid("BEGIN TRY EXEC dbo.p; END TRY BEGIN CATCH THROW; END CATCH;\nGO\n"),
        valid("-- when others then null; end\nselect 1;\n"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid("do $$\nbegin\n  perform f();\nexception\n  when others then\n    null;\nend $$;\n", 5, 3),
        invalid(
            "CREATE PROCEDURE dbo.p AS\nBEGIN TRY EXEC dbo.q; END TRY\nBEGIN CATCH\nEND CATCH;\nGO\n", 3, 1
        ),
        invalid(
            "CREATE OR REPLACE PROCEDURE p(a IN VARCHAR2) AS\nBEGIN\n  q(a);\n"
            "EXCEPTION WHEN OTHERS THEN NULL;\nEND p;\n/\n",
            4,
            11,
        ),
        invalid(
            "CREATE PROCEDURE p()\nBEGIN\n  DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END;\n"
            "  UPDATE `a` SET b = 1 WHERE c = 2;\nEND\n",
            3,
            20,
        ),
    ]

    def run(self) -> None:
        if self.script.is_spare:
            return
        for fragment, code in masked_fragments(self.script):
            for found in _DROPPED.finditer(code):
                place = span_in(self.script, fragment, *found.span())
                self.report(place, "every error is caught here and dropped; name the one that is meant")
