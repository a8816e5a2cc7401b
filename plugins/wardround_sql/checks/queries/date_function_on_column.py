from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck


class DateFunctionOnColumn(SqlCheck):
    """Date function on a column in a condition, which prevents the use of an index on the column.

    The function is computed for every row of the table. Compare the column itself with both bounds: ``at >=
    day AND at < day + interval '1 day'``.
    """

    ID = "SQ071"
    NAME = "date-function-on-column"
    SIGN = LazyPattern(
        r"(?i)\b(?:date|year|month|day|strftime|to_char|date_trunc|extract|date_format|convert|trunc)\s*\(|::\s*date\b|"
        r"\bas\s+date\s*\)"
    )
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    WORDS = ("date", "year", "month", "day", "strftime", "to_char", "trunc")

    VALID = [
        code("""
            select date(at) from t where at >= '2024-01-01' and at < '2024-01-02';
        """),
        code("""
            select a from t where at >= date_trunc('day', now());
        """),
    ]
    INVALID = [
        code("""
            select a from t where «date»(at) = $1;
        """),
        code("""
            select a from t where b = 1 and «at»::date = current_date;
        """),
    ]

    def run(self) -> None:
        if self.script.is_non_production:
            return
        from wardround_sql.queries.conditions import dates_of_columns  # sqlglot is slow to import

        for fact in dates_of_columns(self.script):
            self.report(
                fact.span,
                f"date function prevents the use of an index on {fact.subject}; "
                "compare the column with both "
                f"bounds{fact.note}",
            )
