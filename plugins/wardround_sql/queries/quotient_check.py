"""Base class of checks on divisions by a sum or a count."""

from __future__ import annotations

from wardround.lazy import LazyPattern
from wardround_sql.check import SqlCheck


class QuotientCheck(SqlCheck):
    """Check on divisions by ``count(...)`` or ``sum(...)``."""

    WORDS = ("count", "sum")
    SIGN = LazyPattern(r"(?i)/\s*[(\s]*(?:(?:nullif|coalesce|cast)\s*\(\s*)?(?:count|sum)\w*\s*\(")
