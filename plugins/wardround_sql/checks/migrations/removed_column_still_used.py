"""SQ061: removed or renamed dbt column that another model selects."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.frontends.dbt import SelectList, is_model, listed, select_list, span
from wardround_sql.project.migration_files import is_non_production

_MOST = 40
"""Maximum number of models to read."""


class RemovedColumnStillUsed(SqlCheck):
    """Column removed from a dbt model, or renamed, that another model still selects.

    The other model fails at its next run, and so does every model built on it. Change both in one commit, or
    keep the old name until all readers have moved.
    """

    ID = "SQ061"
    NAME = "removed-column-still-used"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.CONTRACT
    DEFECT_CLASS = "used-column-gone"
    WORDS = ("{{",)

    CASE_PATH = "models/stg_orders.sql"
    VALID = [
        code(
            """
            select id from {{ source('shop', 'orders') }}
            """,
            base="""
            select id, total from {{ source('shop', 'orders') }}
            """,
            others={
                "models/fct_orders.sql": """
                select id from {{ ref('stg_orders') }}
                """,
            },
        ),
        code(
            """
            select id from {{ source('shop', 'orders') }}
            """,
            base="""
            select id, total from {{ source('shop', 'orders') }}
            """,
            others={
                "models/fct_orders.sql": """
                select id, total from {{ ref('stg_other') }}
                """,
            },
        ),
    ]
    INVALID = [
        code(
            """
            «select» id from {{ source('shop', 'orders') }}
            """,
            base="""
            select id, total from {{ source('shop', 'orders') }}
            """,
            others={
                "models/fct_orders.sql": """
                select total from {{ ref('stg_orders') }}
                """,
            },
        ),
        code(
            """
            «select» id from {{ source('shop', 'orders') }}
            """,
            base="""
            select id, total from {{ source('shop', 'orders') }}
            """,
            others={
                "models/fct_orders.sql": """
                select o.id, o.total from {{ ref('stg_orders') }} as o join {{ ref('b') }} b on b.id = o.id
                """,
            },
        ),
    ]

    def run(self) -> None:
        base, text = self.source.base_text, self.source.text
        if base is None or base == text or not is_model(self.source.path, text):
            return
        old, new = select_list(base), select_list(text)
        if old is None or new is None:
            return
        removed = [name for name in old.names if name not in new.names]
        for path, used in self._readers(removed) if removed else ():
            self.report(
                span(text, *_replacement(old, new, used[0])),
                f"{path} still selects {listed(used)}, which this change removes; change both",
            )
            return

    def _readers(self, dropped: list[str]) -> Iterator[tuple[str, list[str]]]:
        """Yield the models that reference this one and use a removed column."""
        name = self.source.path.rsplit("/", 1)[-1].removesuffix(".sql")
        project = self.source.project
        refers = re.compile(
            rf"ref\(\s*['\"]{re.escape(name)}['\"]\s*\)\s*\}}\}}\s*(?:(?:as\s+)?(\w+))?", re.I
        )
        for path in project.files_with_word((name,), ("*.sql",))[:_MOST]:
            reported = project.read(path) or ""
            if path != self.source.path and not is_non_production(path):
                for reference in refers.finditer(reported):
                    used = [item for item in dropped if _names(reported, reference, item)]
                    if used:
                        yield path, used


_AROUND = re.compile(r"\bjoin\b", re.I)


def _replacement(old: SelectList, new: SelectList, column: str) -> tuple[int, int]:
    """Return the location of the new column in place of a removed one, else of SELECT."""
    position = old.names.index(column)
    if position < len(new.names) and new.names[position] not in old.names:
        return new.columns[position].start, new.columns[position].start + 1
    return new.select, new.select + len("select")


def _names(text: str, reference: re.Match[str], column: str) -> bool:
    """Return True if the query around a reference uses a column of it."""
    start = max(text.rfind("select", 0, reference.start()), text.rfind("SELECT", 0, reference.start()))
    end = text.find("\n)", reference.end())
    body = text[start : end if end >= 0 else len(text)]
    alias = reference[1] if reference[1] and reference[1].lower() not in _WORDS else ""
    if _AROUND.search(body):
        return bool(alias) and re.search(rf"\b{alias}\.{re.escape(column)}\b", body, re.I) is not None
    return re.search(rf"(?<![\w.'])(?<!as ){re.escape(column)}\b(?!\s*\()", body, re.I) is not None


_WORDS = frozenset(
    {"where", "group", "order", "left", "join", "inner", "on", "limit", "union", "having", "qualify"}
)
