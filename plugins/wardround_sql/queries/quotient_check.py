"""What the checks of shares have in common: a sum or a count by which something is divided."""

from __future__ import annotations

from wardround.checks.lazy import LazyPattern
from wardround_sql.check import SqlCheck


class QuotientCheck(SqlCheck):
    """A check that speaks about divisions by ``count(...)`` or ``sum(...)`` and nothing else."""

    WORDS = ("count", "sum")
    SIGN = LazyPattern(r"(?i)/\s*[(\s]*(?:(?:nullif|coalesce|cast)\s*\(\s*)?(?:count|sum)\w*\s*\(")
