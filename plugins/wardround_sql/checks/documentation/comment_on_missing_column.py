"""SQ025: COMMENT ON a column that does not exist."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, kinds, text_of
from wardround_sql.parsing.statements import Statement
from wardround_sql.schema.model import Name

_UNCERTAIN = ("inhRelations", "ofTypename", "partbound", "if_not_exists")
"""Clauses that make the columns of a new table uncertain."""


class CommentOnMissingColumn(SqlCheck):
    """COMMENT ON a column that earlier statements of the file dropped, renamed or never created.

    The statement fails, and the rest of the file is not executed. Use the current name of the column.
    """

    ID = "SQ025"
    NAME = "comment-on-missing-column"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.WARN
    WORDS = ("comment on column", "comment  on", "comment\n")
    VALID = [
        code("""
            create table t (a int);
            comment on column t.a is 'x';
        """),
        code("""
            comment on column t.b is 'x';
            alter table t drop column b;
        """),
    ]
    INVALID = [
        code("""
            create table t (a int);
            «comment on column t.b is 'in cents'»;
        """),
        code("""
            alter table s.t rename column b to c;
            «comment on column s.t.b is 'in cents'»;
        """),
    ]

    def run(self) -> None:
        tables: dict[Name, set[str]] = {}
        removed: dict[tuple[Name, str], str] = {}
        for statement in self.script.statements:
            if statement.outer is None and self.is_here(statement):
                self._step(statement, tables, removed)

    def _step(
        self, statement: Statement, tables: dict[Name, set[str]], removed: dict[tuple[Name, str], str]
    ) -> None:
        node = statement.node
        if statement.kind == "CreateStmt":
            self._create(node, tables)
        elif statement.kind == "AlterTableStmt":
            self._alter(node, tables, removed)
        elif statement.kind == "RenameStmt" and node.get("relation"):
            self._rename(node, tables, removed)
        elif statement.kind == "CommentStmt" and node.get("objtype") == "OBJECT_COLUMN":
            self._comment(statement, tables, removed)

    def _create(self, node: Node, tables: dict[Name, set[str]]) -> None:
        name, parts = self.script.name_of(node["relation"]), node.get("tableElts", [])
        tables.pop(name, None)
        if not any(node.get(key) for key in _UNCERTAIN) and not list(kinds(parts, "TableLikeClause")):
            tables[name] = {column.get("colname", "") for column in kinds(parts, "ColumnDef")}

    def _alter(self, node: Node, tables: dict[Name, set[str]], removed: dict[tuple[Name, str], str]) -> None:
        name = self.script.name_of(node["relation"])
        for command in kinds(node.get("cmds", []), "AlterTableCmd"):
            if command.get("subtype") == "AT_DropColumn":
                tables.get(name, set()).discard(command.get("name", ""))
                removed[name, command.get("name", "")] = "drops it"
            elif command.get("subtype") == "AT_AddColumn":
                for column in kinds([command.get("def", {})], "ColumnDef"):
                    tables.get(name, set()).add(column.get("colname", ""))
                    removed.pop((name, column.get("colname", "")), None)
            elif command.get("subtype") in ("AT_AddInherit", "AT_AttachPartition"):
                tables.pop(name, None)

    def _rename(self, node: Node, tables: dict[Name, set[str]], removed: dict[tuple[Name, str], str]) -> None:
        name, new = self.script.name_of(node["relation"]), node.get("newname", "")
        if node.get("renameType") == "OBJECT_COLUMN":
            old = node.get("subname", "")
            tables.get(name, set()).discard(old)
            tables.get(name, set()).add(new)
            removed.pop((name, new), None)
            removed[name, old] = f'renames it to "{new}"'
        else:
            tables.pop(name, None)
            for key in [key for key in removed if key[0] == name]:
                del removed[key]

    def _comment(
        self, statement: Statement, tables: dict[Name, set[str]], removed: dict[tuple[Name, str], str]
    ) -> None:
        parts = [text_of(item) for item in statement.node.get("object", {}).get("List", {}).get("items", [])]
        if len(parts) not in (2, 3):
            return
        relation: Node = {"relname": parts[-2], **({"schemaname": parts[0]} if len(parts) == 3 else {})}
        name, column = self.script.name_of(relation), parts[-1]
        reason = removed.get((name, column))
        if reason is None and column not in tables.get(name, {column}):
            reason = "creates the table without it"
        if reason:
            self.report_at(statement, f'column "{column}" does not exist: this file {reason}')
