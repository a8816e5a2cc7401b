from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.schema.model import ForeignKey, Name


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
        if self.script.is_non_production:
            return
        keys = self.script.set_schema.foreign_keys.values()
        for key in (key for table_keys in keys for key in table_keys):
            if self.is_here(key.statement) and self._lacks_index(key):
                columns = ", ".join(key.columns)
                text = (
                    f"foreign key ({columns}) of {key.table} to {key.target} has no index, so deletes in "
                    f"{key.target} scan {key.table}; add one"
                )
                self.report_at(key.statement, text, key.location)

    def _lacks_index(self, key: ForeignKey) -> bool:
        if not key.columns:
            return False
        if not self.script.is_sql and not self._is_created_here(key.table, key.columns):
            return False  # an earlier migration may have created the index
        schema = self.script.set_schema
        table = schema.tables.get(key.table)
        return table is not None and not table.partial and not schema.is_indexed(key.table, key.columns)

    def _is_created_here(self, name: Name, columns: tuple[str, ...]) -> bool:
        """Return True if the file creates the table, or the columns."""
        table = self.script.own_schema.tables.get(name)
        return table is not None and (table.created is not None or set(columns) <= set(table.columns))
