from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.frontends.dbt import join_names, model_change, span


class ColumnUndocumented(SqlCheck):
    """New column of a dbt model that its properties file does not describe, although it describes the others.

    The properties file appears to be complete, so readers do not find the new column. Describe it in the same
    commit. Not reported where more than one in ten of the other columns has no description.
    """

    ID = "SQ051"
    NAME = "column-undocumented"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    WORDS = ("{{",)
    CASE_PATH = "models/orders.sql"
    VALID = [
        code(
            """
            select id, total from {{ ref('raw') }}
            """,
            base="""
            select id from {{ ref('raw') }}
            """,
            others={
                "models/schema.yml": """
                models:
                  - name: orders
                    columns:
                      - {name: id, description: of the order}
                      - {name: total, description: in cents}
                  - name: others
                    columns:
                      - {name: note, description: as typed}
                """,
            },
        ),
        code(
            """
            select id, amount from {{ ref('raw') }}
            """,
            base="""
            select id, total from {{ ref('raw') }}
            """,
            others={
                "models/schema.yml": """
                models:
                  - name: orders
                    columns:
                      - {name: id, description: of the order}
                      - {name: total, description: in cents}
                  - name: others
                    columns:
                      - {name: note, description: as typed}
                """,
            },
        ),
    ]
    INVALID = [
        code(
            """
            select id, total, «note» from {{ ref('raw') }}
            """,
            base="""
            select id, total from {{ ref('raw') }}
            """,
            others={
                "models/schema.yml": """
                models:
                  - name: orders
                    columns:
                      - {name: id, description: of the order}
                      - {name: total, description: in cents}
                  - name: others
                    columns:
                      - {name: note, description: as typed}
                """,
            },
        ),
        code(
            """
            select id, total,
              max(a, b) as «"Note"»
            from {{ ref('raw') }}
            """,
            base="""
            select id, total from {{ ref('raw') }}
            """,
            others={
                "models/schema.yml": """
                models:
                  - name: orders
                    columns:
                      - {name: id, description: of the order}
                      - {name: total, description: in cents}
                  - name: others
                    columns:
                      - {name: note, description: as typed}
                """,
            },
        ),
    ]

    def run(self) -> None:
        change = model_change(self.source)
        columns = change.undocumented_columns() if change else []
        if change is None or not columns:
            return
        location = span(self.source.text, columns[0].start, columns[0].end)
        words = join_names([column.name for column in columns])
        where = change.documented.path
        self.report(
            location,
            f"this change adds {words}, but {where} describes only the other columns; describe it there",
        )
