"""SQ085: a dbt model that reads past the staging models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_sql.check import SqlCheck
from wardround_sql.frontends.dbt import is_model

_SOURCE = LazyPattern(r"\{\{-?\s*(?P<call>source)\s*\(")
_LATE = LazyPattern(
    r"(?:^|/)(?:marts?|intermediate|reporting|reports)/|(?:^|/)(?:fct|dim|int|mart|rpt)_[^/]+\.sql$"
)
_EARLY = LazyPattern(r"(?:^|/)(?:staging|base|sources?|snapshots?)/|(?:^|/)(?:stg|base|src)_[^/]+\.sql$")
_REF = LazyPattern(r"\{\{-?\s*ref\s*\(\s*['\"](?:stg|base)_")
_COMMENT = LazyPattern(r"--[^\n]*+|\{#(?:[^#]|#(?!\}))*+#\}|/\*(?:[^*]|\*(?!/))*+\*/")
_NAMED = LazyPattern(
    r"(?i)\b(?:from|join)\s+(?P<name>(?:[\"`]?\w+[\"`]?\.){1,2}[\"`]?\w+[\"`]?)(?=[\s;,)]|\Z)(?!\s*\()"
)
_OTHER_FROM = LazyPattern(r"(?i)(?:\bdistinct|\b(?:extract|trim|substring|overlay)\s*\(\s*[\w' ]+)\s*$")
_MART = "models/marts/fct_a.sql"


class MartBypassesStaging(SqlCheck):
    """A model behind staging reads a raw table itself.

    What staging does to the table, its names, types and deleted rows, is missing here or done twice, and a
    change of the source has to be followed in both places. Read the staging model by ``ref()``. A table
    named outright is not in dbt's graph at all: it is not built first, and reads production from every
    environment.
    """

    ID = "SQ085"
    NAME = "mart-bypasses-staging"
    DEFECT_CLASS = "dbt-raw-table-behind-staging"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    WORDS = ("{{",)
    TRIED_ON = (
        "mattermost and meltano: 107 hits, 95 of them in a project without staging "
        "models; mended: 12, all right"
    )

    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid("select a from {{ source('x', 'y') }}\n", path="models/staging/stg_a.sql"),
        Valid("select a from {{ ref('stg_a') }}\n", path=_MART),
        Valid(
            "{{ config(materialized='table') }}\nwith b as (select 1)\nselect a from b, lateral c.d(x)\n",
            path=_MART,
        ),
        Valid(
            "{{ config(tags='a') }}\nselect extract(year from x.at), a is distinct from x.b\nfrom {{ "
            "ref('x') }} as x\n"
            "cross join x.items\n",
            path=_MART,
        ),
        Valid("-- from raw.shop.orders {{ source('a', 'b') }}\nselect a from {{ ref('b') }}\n", path=_MART),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid("select a from {{ source('x', 'y') }}\n", line=1, column=18, path=_MART),
        Invalid(
            "select a.b from {{ ref('stg_a') }} a\njoin {{ source('x', 'y') }} y using (id)\n",
            line=2,
            column=9,
            path="models/orders.sql",
        ),
        Invalid(
            "{{ config(tags='a') }}\nselect a from raw.shop.orders\n",
            line=2,
            column=15,
            path="models/staging/stg_a.sql",
        ),
    ]

    def run(self) -> None:
        path, text = self.source.path, self.source.text
        if not is_model(path, text) or self.script.is_spare:
            return
        code = _COMMENT.sub(lambda found: " " * len(found.group()), text)
        late = _LATE.search(path) is not None or _REF.search(code) is not None
        for found in _SOURCE.finditer(code) if late and not _EARLY.search(path) else ():
            place = self.script.span_of(*found.span("call"))
            self.report(place, "a raw table is read past its staging model; use ref()")
        for found in _NAMED.finditer(code):
            if _is_table(code, found):
                place = self.script.span_of(*found.span("name"))
                self.report(place, f"{found['name']} is not in dbt's graph; use source() or ref()")


def _is_table(code: str, found: re.Match[str]) -> bool:
    """Whether a dotted name behind FROM is a table, and no column, array or catalogue."""
    first = found["name"].split(".")[0].strip('"`')
    if first.lower() in ("information_schema", "pg_catalog") or _OTHER_FROM.search(
        code[: found.start()][-60:]
    ):
        return False
    name = re.escape(first)
    return (
        re.search(rf"(?i)(?:\}}\}}|\b(?:from|join|,)\s+\S+)\s+(?:as\s+)?{name}\b|\b{name}\s+as\s*\(", code)
        is None
    )
