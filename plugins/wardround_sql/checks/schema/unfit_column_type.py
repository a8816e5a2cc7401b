from __future__ import annotations

from collections.abc import Iterator

from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, content, kinds, type_name
from wardround_sql.parsing.statements import Statement
from wardround_sql.queries.facts import typed_columns

_INTERNAL = (
    "is an internal number that a major upgrade reassigns, so pg_upgrade rejects the database; store the name"
)
_WHY = {
    "money": "stores no currency, and the server's locale determines its decimals; use numeric",
    "timetz": "has a zone and no date, so its daylight saving is undefined; use timestamptz",
    "regcollation": _INTERNAL,
    "regconfig": _INTERNAL,
    "regdictionary": _INTERNAL,
    "regnamespace": _INTERNAL,
    "regoper": _INTERNAL,
    "regoperator": _INTERNAL,
    "regproc": _INTERNAL,
    "regprocedure": _INTERNAL,
}
_LIST = LazyPattern(r"(?i)[a-z]_(?:ids|id_list|csv)$")
_TEXT = LazyPattern(r"(?i)(?:text|n?varchar|character varying|mediumtext|longtext|bpchar|char)\b(?!\[)")
_NOW = frozenset({"now", "today", "tomorrow", "yesterday"})
_COUNTED = frozenset({"serial", "serial4", "smallserial", "serial2"})
_SMALL = frozenset({"int4", "int", "integer", "int2", "smallint"})


class UnfitColumnType(SqlCheck):
    """Column type or default that does not fit the column's values.

    ``money`` depends on the server's locale, ``time with time zone`` cannot handle daylight saving, and most
    of the ``reg...`` types block a major upgrade. A default of ``'now'`` is evaluated once, when the table is
    created. A 32-bit sequential key is exhausted at 2,147,483,647, and widening it then rewrites the table
    under a lock.
    """

    ID = "SQ066"
    NAME = "unfit-column-type"
    SEVERITY = Severity.INFO
    WORDS = (
        "_ids",
        "id_list",
        "_csv",
        "money",
        "timetz",
        "time",
        "reg",
        "'now",
        "'today",
        "serial",
        "identity",
    )

    VALID = [
        code("""
            create table a (id bigserial primary key, price numeric(12, 2), at timestamptz default now());
        """),
        code("""
            create table a (id bigint generated always as identity primary key, t regclass, u regtype);
        """),
    ]
    INVALID = [
        code("""
            create table a (id uuid primary key, tag_ids «text» not null);
        """),
        code("""
            CREATE TABLE `a` («`»tag_ids` VARCHAR(255)) ENGINE=InnoDB;
        """),
    ]

    def run(self) -> None:
        if self.script.is_non_production:
            return
        for fact in typed_columns(self.script):
            if _LIST.search(fact.column) and _TEXT.match(fact.type):
                message = (
                    f"{fact.column} stores a list as text, without foreign keys; use a table or an array"
                )
                self.report(fact.span, message)
        if self.script.is_postgres:
            self._check_postgres()

    def _check_postgres(self) -> None:
        for fact in typed_columns(self.script):
            why = _WHY.get(fact.type)
            if why and fact.statement is not None and not _is_temporary(fact.statement):
                self.report(fact.span, f"{fact.type} {why}")
        for statement in self.script.of("CreateStmt", "AlterTableStmt"):
            if not _is_temporary(statement):
                self._defaults(statement)
        if not self.script.is_generated:
            self._keys()

    def _defaults(self, statement: Statement) -> None:
        for constraint in statement.kinds("Constraint"):
            cast = content(constraint.get("raw_expr"), "TypeCast") or {"arg": constraint.get("raw_expr")}
            text = str((content(cast.get("arg"), "A_Const") or {}).get("sval", {}).get("sval", ""))
            dated = type_name(cast.get("typeName", {})).startswith(("timestamp", "date", "time"))
            if constraint.get("contype") == "CONSTR_DEFAULT" and text.lower().strip() in _NOW and dated:
                location = (content(cast.get("arg"), "A_Const") or {}).get("location")
                self.report_at(
                    statement, f"'{text}' is evaluated once, when the table is created; use now()", location
                )

    def _keys(self) -> None:
        """Report sequential keys with fewer bits than a table may need."""
        for statement in self.script.of("CreateStmt"):
            if _is_temporary(statement) or statement.fragment.modelled:
                continue
            for column in _counted_keys(statement.node):
                self.report_at(
                    statement,
                    f"{column['colname']} is exhausted at 2,147,483,647; "
                    "use bigint GENERATED ALWAYS AS IDENTITY",
                    column.get("location"),
                )


def _is_temporary(statement: Statement) -> bool:
    return bool(statement.node.get("relation", {}).get("relpersistence") == "t")


def _counted_keys(node: Node) -> Iterator[Node]:
    """Yield the sequential primary key columns of at most 32 bits."""
    keys = set(_primary_keys(node))
    for column in list(kinds(node.get("tableElts", []), "ColumnDef")):
        constraints = {
            constraint.get("contype") for constraint in kinds(column.get("constraints", []), "Constraint")
        }
        is_key = "CONSTR_PRIMARY" in constraints or (column.get("colname", ""),) in keys
        kind = type_name(column.get("typeName", {}))
        if is_key and (kind in _COUNTED or (kind in _SMALL and "CONSTR_IDENTITY" in constraints)):
            yield column


def _primary_keys(node: Node) -> Iterator[tuple[str, ...]]:
    for constraint in kinds(node.get("tableElts", []), "Constraint"):
        if constraint.get("contype") == "CONSTR_PRIMARY":
            keys = constraint.get("keys", [])
            yield tuple(str(key.get("String", {}).get("sval", "")) for key in keys)
