"""SQ200: ON CONFLICT names columns that no unique constraint is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround_sql.cases import invalid, valid
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.pg_nodes import Node, members
from wardround_sql.parsing.statements import Statement
from wardround_sql.schema.model import Name
from wardround_sql.schema.uniqueness import Uniques, part_of, uniques_of

_TABLE = "create table a (id int primary key, b int, c int, unique (b, c));"
_BUILT = LazyPattern(
    r"\b\w+\(\s*['\"`](?P<table>\w+)['\"`]\s*\)(?:\s*\.(?!onConflict)\w+\([^()]*(?:\([^()]*\)[^()]*)*\))*\s*"
    r"\.onConflict\(\s*(?P<knex>\[[^\[\]]*\]|['\"`][\w, ]+['\"`])\s*\)|"
    r"\.from\(\s*['\"`](?P<other>\w+)['\"`]\s*\)\s*\.upsert\((?:[^()]|\([^()]*\))*?\bonConflict:\s*"
    r"(?P<supabase>['\"`][\w, ]+['\"`])"
)
"""Knex's and Supabase's way to say it, where the columns are written there."""
_WORD = LazyPattern(r"\w+")
_FIRST = "db/migrations/0001_first.sql"


def _insert(conflict: str, *before: str) -> str:
    """An INSERT behind what was said before, its ON CONFLICT on a line of its own."""
    return "\n".join((*before, "insert into a (b, c) values (1, 2)", f"on conflict {conflict};", ""))


_UPSERT = _insert("(b) do update set c = 2")
_PLAIN = "create table a (b int, c int);"


def _code() -> str:
    """A query in Python."""
    return "\n".join(('SAVE_SQL = """', _UPSERT, '"""', "def save(cur):", "    cur.execute(SAVE_SQL)", ""))


class OnConflictWithoutUnique(SqlCheck):
    """ON CONFLICT names columns on which the table has no unique constraint or index.

    The columns must be exactly those of one: neither some of them nor more. A plain index is none, and one
    with a WHERE counts only if ON CONFLICT repeats it. Every such statement fails when it runs, whether or
    not there is a conflict. Name the columns of the constraint there is, or add the one that is meant first.
    """

    ID = "SQ200"
    NAME = "on-conflict-without-unique"
    READS = "code"
    WORDS = ("conflict",)
    TRIED_ON = "24 trees, five of them full of SQL: 7 hits in one, all of them right"

    VALID: ClassVar[Sequence[str | Valid]] = [
        valid(_insert("(c, b) do nothing", _TABLE)),
        valid(_insert("do nothing", _TABLE)),
        valid(_UPSERT),
        valid(_UPSERT, others={_FIRST: f"{_TABLE}\ncreate unique index on a (b);\n"}),
        valid(
            _insert(
                "(b) where c is null do nothing", _PLAIN, "create unique index i on a (b) where c is null;"
            )
        ),
        valid(_insert("(lower(b)) do nothing", _PLAIN, "create unique index i on a (lower(b));")),
        valid(_insert("(b) do nothing", "create table a (like z including all);")),
        Valid(
            "await supabase.from('a').upsert(rows, { onConflict: 'c,b' });\n",
            path="src/supabase.ts",
            others={_FIRST: _TABLE},
        ),
        valid(_insert("on constraint a_b_c_key do nothing", _TABLE)),
        Valid(
            _code(),
            path="app/q.py",
            others={
                "db/schema.sql": _PLAIN,
                "db/migrations/2.sql": "alter table a add constraint k unique (b);\n",
            },
        ),
        Valid(
            _code(),
            path="app/q.py",
            others={
                "db/schema.sql": _PLAIN,
                "app/models.py": "class A(B):\n    __tablename__ = 'a'\n    b = Column(unique=True)\n",
            },
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        invalid(_insert("(b) do nothing", _TABLE), 3, 1),
        invalid(_UPSERT, 2, 1, others={_FIRST: _TABLE}),
        invalid(
            "create table a (b int, c int);\ncreate index i on a (b);\ncreate function f() returns void "
            "language sql as $$\n  insert into a (b) values (1)\n  on conflict (b) do nothing;\n$$;\n",
            5,
            3,
        ),
        invalid(_insert("(b) do nothing", _PLAIN, "create unique index i on a (b) where c is null;"), 4, 1),
        invalid(_insert("on constraint a_b_key do nothing", _TABLE), 3, 1),
        Invalid(_code(), 3, 1, path="app/q.py", others={"db/schema/a.sql": _TABLE}),
        invalid(
            _insert(
                "(b) do nothing",
                "create table a (b int, constraint k unique (b), c int);",
                "alter table a drop constraint k, add constraint l unique (b, c);",
            ),
            4,
            1,
        ),
        invalid(
            _insert(
                "(b) do nothing returning id)\ninsert into z select id from one", _TABLE, "with one as ("
            ),
            4,
            1,
        ),
    ]

    def run(self) -> None:
        if self.script.is_spare or not self.script.is_postgres:
            return
        for statement in self.script.queries:
            own = [statement.node] if statement.kind == "InsertStmt" else []
            for node in [*own, *statement.kinds("InsertStmt")] if self._is_read(statement) else ():
                clause = node.get("onConflictClause", {})
                if clause.get("infer"):
                    self._insert(statement, node, clause)
        if not self.script.is_sql:
            self._built()

    def _built(self) -> None:
        """The same as query builders say it."""
        for found in _BUILT.finditer(self.source.text):
            columns = _WORD.findall(found["knex"] or found["supabase"])
            table = Name("public", found["table"] or found["other"])
            held = uniques_of(self.script, None, table) if columns else []
            if held and not any(_is_key(one, frozenset(columns), partial=False) for one in held):
                place = self.script.span_of(*found.span("knex" if found["knex"] else "supabase"))
                self.report(place, _says(table, columns, held))

    def _is_read(self, statement: Statement) -> bool:
        """Whether a statement is one that is looked at by itself, not by what stands in it."""
        return statement.kind not in ("CreateFunctionStmt", "DoStmt")

    def _insert(self, statement: Statement, node: Node, clause: Node) -> None:
        infer: Node = clause["infer"]
        table = self.script.name_of(node.get("relation", {}))
        found = uniques_of(self.script, statement, table)
        if not found or any(_matches(one, infer) for one in found):
            return
        name = infer.get("conname")
        if name:
            text = f"{table} has no constraint {name}, so this fails whenever it runs"
        else:
            elements = members(infer.get("indexElems"), "IndexElem")
            text = _says(table, [str(one.get("name") or "an expression") for one in elements], found)
        self.say(statement, text, clause.get("location"))


def _says(table: Name, columns: list[str], found: list[Uniques]) -> str:
    has = ", ".join(sorted({str(one) for one in found[0].known if one.whole})) or "nothing"
    wanted = ", ".join(columns)
    return f"{table} has no unique constraint on exactly ({wanted}), so this fails; unique is {has}"


def _matches(one: Uniques, infer: Node) -> bool:
    """Whether ON CONFLICT finds what it needs."""
    if infer.get("conname"):
        return any(known.name[:63] == infer["conname"] and known.constraint for known in one.known)
    wanted = frozenset(map(part_of, members(infer.get("indexElems"), "IndexElem")))
    return _is_key(one, wanted, partial="whereClause" in infer)


def _is_key(one: Uniques, wanted: frozenset[str], *, partial: bool) -> bool:
    return any(known.parts == wanted and (known.whole or partial) for known in one.known)
