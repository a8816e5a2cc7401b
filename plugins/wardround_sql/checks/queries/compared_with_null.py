from __future__ import annotations

from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.queries.facts import null_comparisons


class ComparedWithNull(SqlCheck):
    """Comparison with NULL, which is never true.

    ``x = NULL`` and ``x <> NULL`` are unknown for any x, so no row matches, and neither does ``x NOT IN (1,
    NULL)``. Write ``IS NULL``, ``IS NOT NULL`` or ``IS DISTINCT FROM``.
    """

    ID = "SQ037"
    NAME = "compared-with-null"
    DEFECT_CLASS = "compared-with-null"
    WORDS = ("null",)

    VALID = [
        code("""
            update notes set a = null where b is null;
        """),
        code(
            """
            UPDATE `notes` SET `a` = NULL WHERE `b` IS NULL;
            """,
            path="mysql/q.sql",
        ),
    ]
    INVALID = [
        code("""
            select a from notes where «b» = null;
        """),
        code("""
            update notes set a = null where «b» <> null;
        """),
    ]

    def run(self) -> None:
        for fact in null_comparisons(self.script):
            if fact.listed:
                text = f"NULL in the list: NOT IN matches no row, and IN ignores it; remove it{fact.note}"
            else:
                text = (
                    f"{fact.column} is compared with NULL, which is never true; "
                    f"write IS NULL or IS NOT NULL{fact.note}"
                )
            self.report(fact.span, text)
