"""SQ045: a sum of rows that another join repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity, Span
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck


class JoinFanOut(SqlCheck):
    """A sum or count runs over rows that another join repeats.

    Two tables with many rows for one of a third, joined side by side, come out in every combination; and
    each row
    of the one comes out as often as it has rows in the other. Sum up in a subquery first, then join.
    """

    ID = "SQ045"
    NAME = "join-fan-out"
    DEFECT_CLASS = "sum-over-repeated-rows"
    SEVERITY = Severity.INFO
    WORDS = ("sum(", "count(", "avg(", "sum (")
    TRIED_ON = "24 trees: one hit, not certain; 24 more with the wider look: none: a note"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid("select a.id, sum(b.x) from a join b on b.a_id = a.id group by a.id;\n"),
        valid(
            "select a.id, count(distinct b.id), count(distinct c.id) from a join b on b.a_id = a.id "
            "join c on c.a_id = a.id group by a.id;\n"
        ),
        valid("select b.a_id, sum(b.x) from b join a on a.id = b.a_id group by b.a_id;\n"),
        valid(
            "select a.id, sum(b.x) from a join b on b.a_id = a.id\n"
            "left join c on c.a_id = a.id and c.kind = 'home' group by a.id;\n"
        ),
        valid(
            "select orders.id, sum(o.x) from orders join users using (user_id) join lines o "
            "using (order_id) group by orders.id;\n"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid(
            "select a.id, sum(b.x) from a left join b on b.a_id = a.id\nleft join c on c.a_id "
            "= a.id group by a.id;\n",
            1,
            18,
        ),
        invalid("select a.z, sum(a.total) from a join b on b.a_id = a.id group by a.z;\n", 1, 17),
        invalid(
            "SELECT a.id, COUNT(b.id) FROM a LEFT JOIN b ON b.a_id = a.id LEFT JOIN c ON c.a_id "
            "= a.id GROUP BY a.id;\n",
            1,
            20,
            "mysql/q.sql",
        ),
        invalid(
            "select a.id, count(distinct b.id), sum(b.x), count(distinct c.id) from a\n"
            "left join b on b.a_id = a.id and b.status = 'paid'\n"
            "left join c on c.a_id = a.id group by a.id;\n",
            1,
            40,
        ),
        invalid(
            "select a.id, sum(b.x) from a join b on b.tenant_id = a.tenant_id and b.a_id = a.id\n"
            "join c on c.a_id = a.id and c.tenant_id = a.tenant_id group by a.id;\n",
            1,
            18,
        ),
        invalid(
            "select users.name, sum(o.x) filter (where o.y > 1) from users left join orders o "
            "using (user_id)\nleft join visits v using (user_id) group by users.name;\n",
            1,
            24,
        ),
        Invalid(
            "select a.id,\n  sum(b.x),\n  count(distinct c.id)\nfrom a join b on b.a_id = a.id\n"
            "left join c on c.a_id = a.id\ngroup by a.id;\n",
            line=5,
            column=11,
            path="app/q.sql",
            base="select a.id,\n  sum(b.x)\nfrom a join b on b.a_id = a.id\ngroup by a.id;\n",
        ),
    ]

    def run(self) -> None:
        if self.script.is_spare or "join" not in self.script.sql.lower():
            return
        from wardround_sql.queries.fanout import multiplied_sums  # sqlglot is slow to import
        from wardround_sql.queries.windows import distinct_sums

        for found in distinct_sums(self.script):
            text = (
                f"{found.subject}(DISTINCT {found.detail}) takes equal values of different rows "
                f"once{found.note}"
            )
            self.report(found.span, text, severity=Severity.WARN)

        for found in multiplied_sums(self.script):
            text = f"each row of {found.subject} counts once for each row of {found.detail}{found.note}"
            self.report(found.join if self._is_older(found.span, found.join) else found.span, text)

    def _is_older(self, total: Span, join: Span) -> bool:
        """Whether the sum was there before the change, and the join was not."""
        before, lines = self.source.base_text, self.source.lines
        if before is None:
            return False
        known = {line.strip().rstrip(",") for line in before.split("\n")}
        said = [lines[place.line - 1].strip().rstrip(",") for place in (total, join)]
        return said[0] in known and said[1] not in known
