"""SQ066: column types that do harm sooner or later."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, content, kinds, type_name
from wardround_sql.parsing.statements import Statement
from wardround_sql.queries.facts import typed_columns

_INTERNAL = (
    "is an internal number that a major upgrade gives anew, so pg_upgrade refuses the database; keep the name"
)
_WHY = {
    "money": "keeps no currency, and the number of its decimals is the server's locale; use numeric",
    "timetz": "has a zone and no day, so daylight saving cannot be known; use timestamptz",
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
    """A column has a type, or a default, that does not fit what it holds.

    ``money`` depends on the server's locale, ``time with time zone`` cannot know daylight saving, and most
    of the ``reg...`` types make a major upgrade impossible. A default of ``'now'`` is the moment the table
    was made, for every row. A key that counts up in 32 bits ends at 2,147,483,647, and changing it then
    rewrites the table while nobody can use it.
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
        if self.script.is_spare:
            return
        for found in typed_columns(self.script):
            if _LIST.search(found.column) and _TEXT.match(found.type):
                says = f"{found.column} keeps a list in a text, without keys; use a table, or an array"
                self.report(found.span, says)
        if not self.script.is_postgres:
            return
        for found in typed_columns(self.script):
            why = _WHY.get(found.type)
            if why and found.statement is not None and not _is_temporary(found.statement):
                self.report(found.span, f"{found.type} {why}")
        for statement in self.script.of("CreateStmt", "AlterTableStmt"):
            if not _is_temporary(statement):
                self._defaults(statement)
        if not self.script.is_generated:
            self._keys()

    def _defaults(self, statement: Statement) -> None:
        for one in statement.kinds("Constraint"):
            cast = content(one.get("raw_expr"), "TypeCast") or {"arg": one.get("raw_expr")}
            said = str((content(cast.get("arg"), "A_Const") or {}).get("sval", {}).get("sval", ""))
            dated = type_name(cast.get("typeName", {})).startswith(("timestamp", "date", "time"))
            if one.get("contype") == "CONSTR_DEFAULT" and said.lower().strip() in _NOW and dated:
                place = (content(cast.get("arg"), "A_Const") or {}).get("location")
                self.say(statement, f"'{said}' is read once, when the table is made; use now()", place)

    def _keys(self) -> None:
        """Keys that count up in fewer bits than a table may need."""
        for statement in self.script.of("CreateStmt"):
            if _is_temporary(statement) or statement.fragment.modelled:
                continue
            for column in _counted_keys(statement.node):
                self.say(
                    statement,
                    f"{column['colname']} runs out of numbers at 2 thousand million; "
                    "bigint GENERATED ALWAYS AS IDENTITY does not",
                    column.get("location"),
                )


def _is_temporary(statement: Statement) -> bool:
    return bool(statement.node.get("relation", {}).get("relpersistence") == "t")


def _counted_keys(node: Node) -> Iterator[Node]:
    """The columns that are the primary key and count up by themselves, in 32 bits or fewer."""
    columns = list(kinds(node.get("tableElts", []), "ColumnDef"))
    keys = {
        tuple(str(key.get("String", {}).get("sval", "")) for key in one.get("keys", []))
        for one in kinds(node.get("tableElts", []), "Constraint")
        if one.get("contype") == "CONSTR_PRIMARY"
    }
    for column in columns:
        said = {one.get("contype") for one in kinds(column.get("constraints", []), "Constraint")}
        is_key = "CONSTR_PRIMARY" in said or (column.get("colname", ""),) in keys
        kind = type_name(column.get("typeName", {}))
        if is_key and (kind in _COUNTED or (kind in _SMALL and "CONSTR_IDENTITY" in said)):
            yield column
