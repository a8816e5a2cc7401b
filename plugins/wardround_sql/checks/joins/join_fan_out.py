"""SQ045: aggregate over rows that a join multiplies."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Severity, Span
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck


class JoinFanOut(SqlCheck):
    """Sum or count over rows that another join multiplies.

    Two one-to-many joins from the same table produce every combination of their rows, so each row of one is
    counted once per row of the other. Aggregate in a subquery first, then join.
    """

    ID = "SQ045"
    NAME = "join-fan-out"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "sum-over-repeated-rows"
    SEVERITY = Severity.INFO
    WORDS = ("sum(", "count(", "avg(", "sum (")

    VALID = [
        code("""
            select a.id, sum(b.x) from a join b on b.a_id = a.id group by a.id;
        """),
        code("""
            select b.a_id, sum(b.x) from b join a on a.id = b.a_id group by b.a_id;
        """),
    ]
    INVALID = [
        code("""
            select a.id, sum(«b.x») from a left join b on b.a_id = a.id
            left join c on c.a_id = a.id group by a.id;
        """),
        code("""
            select a.z, sum(«a.total») from a join b on b.a_id = a.id group by a.z;
        """),
    ]

    def run(self) -> None:
        if self.script.is_non_production or "join" not in self.script.sql.lower():
            return
        from wardround_sql.queries.fanout import multiplied_sums  # sqlglot is slow to import
        from wardround_sql.queries.windows import distinct_sums

        for fact in distinct_sums(self.script):
            text = (
                f"{fact.subject}(DISTINCT {fact.detail}) counts equal values of different rows "
                f"once; aggregate before the join{fact.note}"
            )
            self.report(fact.span, text, severity=Severity.WARN)

        for fact in multiplied_sums(self.script):
            text = (
                f"each row of {fact.subject} is counted once per row of {fact.detail}; "
                f"aggregate before the join{fact.note}"
            )
            self.report(fact.join if self._is_older(fact.span, fact.join) else fact.span, text)

    def _is_older(self, total: Span, join: Span) -> bool:
        """Return True if the sum existed before the change, and the join did not."""
        before, lines = self.source.base_text, self.source.lines
        if before is None:
            return False
        known = {line.strip().rstrip(",") for line in before.split("\n")}
        text = [lines[location.line - 1].strip().rstrip(",") for location in (total, join)]
        return text[0] in known and text[1] not in known
