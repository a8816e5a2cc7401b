from __future__ import annotations

import re

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.frontends.dbt import is_model

_SOURCE = LazyPattern(r"\{\{-?\s*(?P<call>source)\s*\(")
_DOWNSTREAM = LazyPattern(
    r"(?:^|/)(?:marts?|intermediate|reporting|reports)/|(?:^|/)(?:fct|dim|int|mart|rpt)_[^/]+\.sql$"
)
_STAGING = LazyPattern(r"(?:^|/)(?:staging|base|sources?|snapshots?)/|(?:^|/)(?:stg|base|src)_[^/]+\.sql$")
_REF = LazyPattern(r"\{\{-?\s*ref\s*\(\s*['\"](?:stg|base)_")
_COMMENT = LazyPattern(r"--[^\n]*+|\{#(?:[^#]|#(?!\}))*+#\}|/\*(?:[^*]|\*(?!/))*+\*/")
_NAMED = LazyPattern(
    r"(?i)\b(?:from|join)\s+(?P<name>(?:[\"`]?\w+[\"`]?\.){1,2}[\"`]?\w+[\"`]?)(?=[\s;,)]|\Z)(?!\s*\()"
)
_OTHER_FROM = LazyPattern(r"(?i)(?:\bdistinct|\b(?:extract|trim|substring|overlay)\s*\(\s*[\w' ]+)\s*$")


class MartBypassesStaging(SqlCheck):
    """Model downstream of staging that reads a raw table directly.

    The renaming, casting and filtering of the staging model are missing or duplicated, and a change of the
    source must be made in both models. Read the staging model through ``ref()``. A hard-coded table is not
    part of dbt's graph: it is not built first, and every environment reads production.
    """

    ID = "SQ085"
    NAME = "mart-bypasses-staging"
    DEFECT_CLASS = "dbt-raw-table-behind-staging"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    WORDS = ("{{",)

    CASE_PATH = "models/marts/fct_a.sql"
    VALID = [
        code(
            """
            select a from {{ source('x', 'y') }}
            """,
            path="models/staging/stg_a.sql",
        ),
        code("""
            select a from {{ ref('stg_a') }}
        """),
    ]
    INVALID = [
        code("""
            select a from {{ «source»('x', 'y') }}
        """),
        code(
            """
            select a.b from {{ ref('stg_a') }} a
            join {{ «source»('x', 'y') }} y using (id)
            """,
            path="models/orders.sql",
        ),
    ]

    def run(self) -> None:
        path, text = self.source.path, self.source.text
        if not is_model(path, text) or self.script.is_non_production:
            return
        code = _COMMENT.sub(lambda result: " " * len(result.group()), text)
        downstream = _DOWNSTREAM.search(path) is not None or _REF.search(code) is not None
        for match in _SOURCE.finditer(code) if downstream and not _STAGING.search(path) else ():
            location = self.script.locations.span_of(*match.span("call"))
            self.report(location, "model reads a raw table instead of its staging model; use ref()")
        for match in _NAMED.finditer(code):
            if _is_table(code, match):
                location = self.script.locations.span_of(*match.span("name"))
                self.report(location, f"{match['name']} is not in dbt's graph; use source() or ref()")


def _is_table(code: str, match: re.Match[str]) -> bool:
    """Return True if a dotted name after FROM is a table, not a column, array or catalog."""
    first = match["name"].split(".")[0].strip('"`')
    if first.lower() in ("information_schema", "pg_catalog") or _OTHER_FROM.search(
        code[: match.start()][-60:]
    ):
        return False
    name = re.escape(first)
    return (
        re.search(rf"(?i)(?:\}}\}}|\b(?:from|join|,)\s+\S+)\s+(?:as\s+)?{name}\b|\b{name}\s+as\s*\(", code)
        is None
    )
