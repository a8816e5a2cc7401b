from __future__ import annotations

from functools import cached_property

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, content, type_name
from wardround_sql.parsing.statements import Statement
from wardround_sql.project import migration_files
from wardround_sql.queries.facts import old_type, type_changes
from wardround_sql.schema.builder import build
from wardround_sql.schema.model import Name, Schema, sizes_of

_LENGTH = LazyPattern(r"^(?P<name>n?varchar|nvarchar2|varchar2)\((?P<length>\d+)\)")
_BYTE = 255
"""Maximum length of a MySQL string whose length is stored in one byte."""
_TEXTS = frozenset({"text", "varchar", "bpchar", "citext"})


class TypeChangeRewritesTable(SqlCheck):
    """Column type change that rewrites the table and its indexes.

    The table cannot be read or written during the rewrite. Add a new column, fill it in batches, deploy code
    that uses it, then drop the old one. A longer text type needs no rewrite and is not reported.
    """

    ID = "SQ023"
    NAME = "type-change-rewrites-table"
    SEVERITY = Severity.INFO
    PLANE = Plane.PERF
    DEFECT_CLASS = "column-type-rewrite"
    WORDS = ("type", "modify", "change", "alter column")

    VALID = [
        code("""
            alter table notes alter column a type text;
        """),
        code("""
            alter table notes alter column a type varchar;
        """),
    ]
    INVALID = [
        code("""
            alter table notes alter column a type «bigint»;
        """),
        code("""
            alter table notes
              alter column a set data type «int» using a::int;
        """),
    ]

    def run(self) -> None:
        if not self.script.is_postgres:
            self._other_dialects()
        for statement, command in self.script.commands("AT_AlterColumnType"):
            table = self.script.name_of(statement.node.get("relation", {}))
            typed = (content(command.get("def"), "ColumnDef") or {}).get("typeName", {})
            if self.script.is_new(table) or not self.script.migrates(statement):
                continue
            column = str(command.get("name", ""))
            if not (self._is_wider(column, table, typed) or self._is_read_as_utc(statement, typed)):
                text = (
                    f"changing {column} to {type_name(typed)} rewrites {table} and blocks all access "
                    "meanwhile; add a new column instead"
                )
                self.report_at(statement, text, typed.get("location"))

    def _other_dialects(self) -> None:
        """Report MySQL and SQL Server, if another file of the set declares the old type."""
        if not migration_files.is_migration(
            self.source.path, self.script.options.migrations
        ) or migration_files.is_down(self.source.path):
            return
        for change in type_changes(self.script):
            old = old_type(self.script, change.table, change.column)
            if old is None or (_is_stored_alike(old, change.type) and not change.recoded):
                continue
            text = (
                f"changing {change.column} from {old} to {change.type} copies {change.table} and blocks "
                f"writes meanwhile; add a new column instead{change.note}"
            )
            self.report(change.span, text)

    def _is_wider(self, column: str, table: Name, typed: Node) -> bool:
        """Return True if the old values have the same stored form under the new type."""
        known = self._schema_before.tables.get(table)
        declared = known.columns.get(column) if known else None
        new = type_name(typed)
        old = declared.type if declared is not None else ""
        if declared is not None and old == new and _is_longer(declared.sizes, sizes_of(typed)):
            return True
        is_unlimited = "typmods" not in typed
        match new:
            case "text":
                return old in ("", *_TEXTS)
            case "varchar" if is_unlimited:
                return old in ("", *_TEXTS)
            case "citext":
                return old in ("text", "varchar")
        return old == new and is_unlimited

    def _is_read_as_utc(self, statement: Statement, typed: Node) -> bool:
        """Return True if a timestamp gets the time zone UTC of the session, which changes no stored value."""
        if type_name(typed) != "timestamptz":
            return False
        settings = [
            setting
            for setting in self.script.of("VariableSetStmt")
            if setting.offset < statement.offset and str(setting.node.get("name", "")).lower() == "timezone"
        ]
        return bool(settings) and "utc" in settings[-1].text.lower()

    @cached_property
    def _schema_before(self) -> Schema:
        """Schema without the type changes of this file."""
        others = [s for s in self.script.set_statements if s.path != self.source.path]
        return build(others, self.script.default_schema)


def _is_longer(old: tuple[int, ...], new: tuple[int, ...]) -> bool:
    """Return True if a limit only increases: a longer text, or more digits with the same scale."""
    if not old or len(old) != len(new):
        return bool(old) and not new
    return new[0] >= old[0] and new[1:] == old[1:]


def _is_stored_alike(old: str, new: str) -> bool:
    """Return True if MySQL and SQL Server keep the stored values: the same type, or a longer text."""
    if old == new:
        return True
    previous, current = _LENGTH.match(old), _LENGTH.match(new)
    if previous is None or current is None or previous["name"] != current["name"]:
        return False
    short, long = int(previous["length"]), int(current["length"])
    return long >= short and (short > _BYTE) == (long > _BYTE)
