"""Unique columns of a table, from all SQL of the project that concerns it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Set

from msgspec import Struct, field

from wardround.lazy import LazyPattern
from wardround_sql.document import SqlDocument
from wardround_sql.parsing.pg_nodes import Node, content, items, members, strip_locations, texts, unwrap
from wardround_sql.parsing.statements import Statement, parsed_about
from wardround_sql.project import migration_files
from wardround_sql.schema.model import Name

_MOST = 120
"""Number of SQL files above which reading them for one table takes too long."""
_CODE = ("*.py", "*.ts", "*.js", "*.mjs", "*.cjs", "*.rb", "*.prisma", "*.go", "*.php", "*.java", "*.rs")
_MODELS = LazyPattern(
    r"(?i)pgTable|create_?table|__tablename__|@Entity|\bTable\(|tableName|class Meta|sequelize|"
    r"create_?index|add_?index|createUnique|"
    r"addConstraint|migrations\.|\bmodel \w+ \{|create\s+(?:table|unique)|alter\s+table"
)
_KEYS = ("CONSTR_PRIMARY", "CONSTR_UNIQUE")


class Unique(Struct, frozen=True):
    """Columns and expressions that are unique together.

    Attributes:
        whole: True if they are unique over all rows, not only over those of a condition.
        constraint: whether it is a constraint with this name, and not only an index.
    """

    parts: frozenset[str]
    name: str
    whole: bool = True
    constraint: bool = True

    def __str__(self) -> str:
        return "(" + ", ".join(sorted(self.parts)) + ")"

    def depends_on(self, name: object, *, is_column: bool) -> bool:
        """Return True if it goes with a dropped column, or is the dropped constraint."""
        return name in self.parts if is_column else self.constraint and self.name == name


class Uniques(Struct):
    """Unique constraints and indexes of a table in one set of files.

    Attributes:
        made: whether the table is created there.
        unsure: whether a statement may add an unknown one.
    """

    table: str
    made: bool = False
    unsure: bool = False
    known: list[Unique] = field(default_factory=list)

    def apply(self, statement: Statement) -> None:
        node = statement.node
        if statement.kind == "DropStmt":
            self._drop(node)
        elif statement.kind in ("DoStmt", "CreateFunctionStmt"):
            words = statement.text.lower()
            self.unsure |= "execute" in words and "unique" in words and self.table.lower() in words
        elif statement.kind == "CreateTableAsStmt":
            if node.get("into", {}).get("rel", {}).get("relname") == self.table:
                self._begin()
        elif node.get("relation", {}).get("relname") == self.table:
            self._add_table_of_node(statement.kind, node)

    def _begin(self) -> None:
        self.made, self.known = True, []

    def _add_table_of_node(self, kind: str, node: Node) -> None:
        if kind == "CreateStmt":
            self._create(node)
        elif kind == "IndexStmt" and node.get("unique"):
            parts = frozenset(map(index_column, members(node.get("indexParams"), "IndexElem")))
            self.known.append(
                Unique(parts, node.get("idxname", ""), "whereClause" not in node, constraint=False)
            )
        elif kind == "AlterTableStmt":
            for command in members(node.get("cmds"), "AlterTableCmd"):
                self._command(command)
        elif kind == "RenameStmt":
            self.unsure = True

    def _create(self, node: Node) -> None:
        if not (self.made and node.get("if_not_exists")):
            self._begin()
        self.unsure |= "inhRelations" in node or "partbound" in node or "ofTypename" in node
        for element in node.get("tableElts", []):
            kind, inside = unwrap(element)
            if kind == "ColumnDef":
                self._column(inside)
            elif kind == "Constraint":
                self._add_constraint(inside)
            else:
                self.unsure = True

    def _column(self, node: Node) -> None:
        name = str(node.get("colname", ""))
        for constraint in members(node.get("constraints"), "Constraint"):
            if constraint.get("contype") in _KEYS:
                self._add_columns((name,), constraint)

    def _add_constraint(self, node: Node) -> None:
        if node.get("contype") not in _KEYS:
            return
        if node.get("indexname"):
            known = next((item for item in self.known if item.name == node["indexname"]), None)
            if known is None:
                self.unsure = True
            else:
                self.known.append(Unique(known.parts, node.get("conname") or known.name))
        else:
            self._add_columns(tuple(texts(node.get("keys"))), node)

    def _add_columns(self, columns: tuple[str, ...], node: Node) -> None:
        kind = "pkey" if node.get("contype") == "CONSTR_PRIMARY" else "_".join((*columns, "key"))
        self.known.append(Unique(frozenset(columns), node.get("conname") or f"{self.table}_{kind}"))

    def _command(self, command: Node) -> None:
        kind, definition, name = command.get("subtype"), command.get("def"), command.get("name")
        if kind == "AT_AddColumn":
            self._column(content(definition, "ColumnDef") or {})
        elif kind == "AT_AddConstraint":
            self._add_constraint(content(definition, "Constraint") or {})
        elif kind in ("AT_DropConstraint", "AT_DropColumn"):
            is_column = kind == "AT_DropColumn"
            self.known = [key for key in self.known if not key.depends_on(name, is_column=is_column)]

    def _drop(self, node: Node) -> None:
        if node.get("removeType") == "OBJECT_INDEX":
            removed = {texts(items(object))[-1] for object in node.get("objects", []) if texts(items(object))}
            self.known = [item for item in self.known if item.constraint or item.name not in removed]


def index_column(element: Node) -> str:
    """Return a column or expression of an index in comparable form."""
    return str(element.get("name") or strip_locations(element.get("expr")))


def uniques_of(script: SqlDocument, statement: Statement | None, table: Name) -> list[Uniques]:
    """Return the unique columns of a table by set of files; empty if no set creates it or it is uncertain."""
    paths = script.source.project.files_with_word((table.name,), ("*.sql",))
    if len(paths) > _MOST:
        return []
    runs_once = statement is not None and statement.outer is None and statement.fragment.migrates
    sets = _uniques_after_each_set(script, table, {*paths, script.path}, runs_once=runs_once)
    results = sorted(sets, key=lambda uniques: not uniques.made)
    if not results or not results[0].made:
        return []
    if any(uniques.unsure for uniques in results) or _declares_unique(script, table):
        return []
    return results


def _uniques_after_each_set(
    script: SqlDocument, table: Name, paths: Set[str], *, runs_once: bool
) -> Collection[Uniques]:
    """Return the unique columns after each set of files.

    Args:
        runs_once: whether the statement runs before the later migrations of its set.
    """
    sets: dict[str, Uniques] = {}
    root = migration_files.set_root(script.path) if script.is_sql else ""
    for path in sorted(paths, key=migration_files.order):
        if runs_once and _is_later(path, script.path, root):
            continue
        own = root if path == script.path else migration_files.set_root(path)
        uniques = sets.setdefault(own, Uniques(table.name))
        for change in _statements_about(script, path, table):
            uniques.apply(change)
    return sets.values()


def _is_later(path: str, current: str, root: str) -> bool:
    """Return True if a file of the same set runs after the current one."""
    is_same_set = bool(current) and migration_files.set_root(path) == root
    return is_same_set and migration_files.order(path) > migration_files.order(current)


def _statements_about(script: SqlDocument, path: str, table: Name) -> Iterable[Statement]:
    if path == script.path:
        return [statement for statement in script.all_statements if not statement.down]
    if migration_files.is_down(path) or migration_files.is_non_production(path):
        return ()
    text = script.source.project.read(path)
    return parsed_about(text, path, (table.name,)) if text is not None else ()


def _declares_unique(script: SqlDocument, table: Name) -> bool:
    """Return True if code that creates tables declares something of this one as unique."""
    return any(_MODELS.search(text) for text in _statements_naming(script, table.name))


def _statements_naming(script: SqlDocument, name: str) -> Iterator[str]:
    project = script.source.project
    about = set(project.files_with_word((name,), _CODE))
    unique = about and project.files_with_word(("unique", "Unique", "UNIQUE"), _CODE)
    for path in unique or ():
        if (
            path in about
            and not path.endswith(migration_files.SUFFIXES)
            and not migration_files.is_non_production(path)
        ):
            yield project.read(path) or ""
