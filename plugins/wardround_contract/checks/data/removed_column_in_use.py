from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from wardround.findings import Severity
from wardround.rules.cases import change
from wardround.rules.maturity import Maturity
from wardround_contract.analysis.orm_fields import removed_fields, uses_of_field
from wardround_contract.analysis.schema_removals import SchemaRemoval, schema_removals
from wardround_contract.analysis.schema_uses import SchemaUses
from wardround_contract.analysis.text_search import TextSearch
from wardround_contract.check import BrokenUseCheck


class RemovedColumnInUse(BrokenUseCheck):
    """A table, a view, a model or a column is dropped or renamed, and a query or a model still names it.

    The query fails once the migration has run. Change it in the same commit, or drop the column in a later
    release.

    Uses are statements of SQL files, SQL in strings that names the table and the column, references of dbt,
    object-relational mappings of the table, and queries that name a removed field of a model. Older
    migrations are history and do not count; neither does a column that the change adds again.
    """

    ID = "CT005"
    NAME = "removed-column-in-use"
    DEFECT_CLASS = "removed-column-in-use"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.WARN
    PATHS = (".sql", ".py", ".prisma")
    PREFILTER = "wardround_contract.prefilters:alters_a_schema"
    VALID = [
        change(
            {"migrations/2.sql": (None, "ALTER TABLE users DROP COLUMN nick;\n")},
            others={
                "migrations/1.sql": "CREATE TABLE users (id int, nick text);\n",
                "app.py": """
                QUERY = "SELECT id FROM users"
                """,
            },
        ),
        change(
            {
                "migrations/2.sql": (
                    None,
                    "ALTER TABLE users DROP COLUMN nick;\nALTER TABLE users ADD COLUMN nick int;\n",
                )
            },
            others={
                "app.py": """
                QUERY = "SELECT id, nick FROM users"
                """,
            },
        ),
    ]
    INVALID = [
        change(
            {"migrations/2.sql": (None, "«ALTER TABLE users DROP COLUMN nick;»\n")},
            others={
                "app.py": """
                QUERY = "SELECT id, nick FROM users"
                """,
            },
        ),
        change(
            {"models/orders.sql": ("«»select id from raw\n", None)},
            others={
                "models/report.sql": """
                select id from {{ ref('orders') }}
                """,
            },
        ),
    ]

    def run(self) -> None:
        search = TextSearch(self.change)
        for field in removed_fields(self.change):
            found = uses_of_field(field, search)
            if found:
                what = f"field `{field.model}.{field.name}` is removed"
                self.report_removed_definition(field.file, field.line, what, found, Severity.WARN)
        self._inspect(list(schema_removals(self.change)), SchemaUses(self.change, search))

    def _inspect(self, removals: Sequence[SchemaRemoval], uses: SchemaUses) -> None:
        reported: dict[tuple[str, str], list[SchemaRemoval]] = defaultdict(list)
        for removal in removals:
            key = removal.table, removal.column
            if key not in reported:
                self._report_removal(removal, uses)
            reported[key].append(removal)

    def _report_removal(self, removal: SchemaRemoval, uses: SchemaUses) -> None:
        found = uses.of(removal)
        if not found:
            return
        name = f"{removal.table}.{removal.column}" if removal.column else removal.table
        what = f"`{name}` is removed"
        if removal.is_at_head:
            self.report_changed_definition(removal.file, removal.line, what, found, Severity.WARN)
        else:
            self.report_removed_definition(removal.file, removal.line, what, found, Severity.WARN)
