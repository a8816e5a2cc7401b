"""SQ018: foreign key without an index."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround_sql.check import SqlCheck
from wardround_sql.schema.model import Name


class UnindexedForeignKey(SqlCheck):
    """Foreign key whose columns have no index.

    PostgreSQL indexes the referenced columns, not the referencing ones, so each DELETE or key change in the
    referenced table, and every join, scans this table. Create an index that begins with these columns.
    """

    ID = "SQ018"
    NAME = "unindexed-foreign-key"
    PLANE = Plane.PERF
    SEVERITY = Severity.INFO
    WORDS = ("references",)

    VALID = [
        code("""
            create table a (b_id int references b (id));
            create index on a (b_id);
        """),
        code("""
            create table a (b_id int primary key references b (id));
        """),
    ]
    INVALID = [
        code("""
            create table a (
              id int primary key,
              b_id int «references» b (id)
            );
        """),
        code("""
            alter table a add «constraint» k foreign key (b_id) references b (id) not valid;
        """),
    ]

    def run(self) -> None:
        schema = self.script.set_schema
        for key in (key for foreign_key in schema.foreign_keys.values() for key in foreign_key):
            if not self.is_here(key.statement) or not key.columns or self.script.is_non_production:
                continue
            table = schema.tables.get(key.table)
            if not self.script.is_sql and not self._is_own(key.table, key.columns):
                continue  # an earlier migration may have created the index
            if table is None or table.partial or schema.is_indexed(key.table, key.columns):
                continue
            columns = ", ".join(key.columns)
            text = (
                f"foreign key ({columns}) of {key.table} to {key.target} has no index, so deletes in "
                f"{key.target} scan {key.table}; add one"
            )
            self.report_at(key.statement, text, key.location)

    def _is_own(self, name: Name, columns: tuple[str, ...]) -> bool:
        """Return True if the file creates the table, or the columns."""
        table = self.script.own_schema.tables.get(name)
        return table is not None and (table.created is not None or set(columns) <= set(table.columns))
