from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.frontends.dbt import join_names, model_change, span


class RemovedColumnInDocs(SqlCheck):
    """Column that the change removed from a dbt model, and that its properties file still documents.

    Readers of the documentation query a column that does not exist, and its tests fail. Change the properties
    file in the same commit.
    """

    ID = "SQ050"
    NAME = "removed-column-in-docs"
    DEFECT_CLASS = "documented-column-gone"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.WARN
    WORDS = ("{{",)
    CASE_PATH = "models/orders.sql"
    VALID = [
        code(
            """
            select id from {{ ref('raw') }}
            """,
            base="""
            select id, note from {{ ref('raw') }}
            """,
            others={
                "models/schema.yml": """
                models:
                  - name: orders
                    columns:
                      - name: id
                      - name: Total
                        description: in cents
                """,
            },
        ),
        code(
            """
            select id, * from {{ ref('raw') }}
            """,
            base="""
            select id, total from {{ ref('raw') }}
            """,
            others={
                "models/schema.yml": """
                models:
                  - name: orders
                    columns:
                      - name: id
                      - name: Total
                        description: in cents
                """,
            },
        ),
    ]
    INVALID = [
        code(
            """
            «select» id from {{ ref('raw') }}
            """,
            base="""
            select id, total from {{ ref('raw') }}
            """,
            others={
                "models/schema.yml": """
                models:
                  - name: orders
                    columns:
                      - name: id
                      - name: Total
                        description: in cents
                """,
            },
        ),
        code(
            """
            «select» id, {{ cents('x') }} as amount from {{ ref('raw') }}
            union all select 1, 2 from b
            """,
            base="""
            select id, {{ cents('x') }} as total from {{ ref('raw') }}
            union all select 1, 2 from b
            """,
            others={
                "models/schema.yml": """
                models:
                  - name: orders
                    columns:
                      - name: id
                      - name: Total
                        description: in cents
                """,
            },
        ),
    ]

    def run(self) -> None:
        change = model_change(self.source)
        removed = change.removed_columns() if change else []
        if change is None or not removed:
            return
        current = removed[0][1] if len(removed) == 1 else None
        became = (
            f'renames it to "{current}"' if current else f"removes {'it' if len(removed) == 1 else 'them'}"
        )
        words = join_names([name for name, _ in removed])
        location = span(self.source.text, change.new.select, change.new.select + len("select"))
        self.report(location, f"{change.documented.path} documents {words}, but this change {became}")
