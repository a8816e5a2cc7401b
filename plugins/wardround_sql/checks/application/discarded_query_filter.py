"""SQ059: discarded result of a query method."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck


class DiscardedQueryFilter(SqlCheck):
    """Discarded result of ``where()``, ``filter()`` or ``order_by()``.

    SQLAlchemy statements and Django querysets are immutable: these methods return a new one and leave the
    original unchanged, so the original runs, over all rows. Write ``stmt = stmt.where(...)``.
    """

    ID = "SQ059"
    NAME = "discarded-query-filter"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "narrowed-statement-not-kept"
    WORDS = ()

    CASE_PATH = "app/store.py"
    VALID = [
        code("""
            q = delete(Note)
            q = q.where(Note.id == 1)
            session.execute(q)
        """),
        code("""
            q = Note.objects.all()
            q.filter(a=1).delete()
        """),
    ]
    INVALID = [
        code("""
            q = delete(Note)
            «q.where(Note.id == 1)»
            session.execute(q)
        """),
        code("""
            def f(s):
                q = select(Note)
                if s:
                    «q.order_by(Note.id)»
                return s.scalars(q)
        """),
    ]

    def run(self) -> None:
        for item in () if self.script.is_non_production else self.script.discarded:
            text = f"the result of {item.call}() is discarded and {item.name} is unchanged; assign it"
            self.report(self.script.locations.span_of(item.start, item.end), text)
