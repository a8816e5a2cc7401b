"""What a set of statements leaves behind: tables, policies, indexes, views and functions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from wardround_sql.nodes import (
    Node,
    content,
    is_true,
    items,
    kinds,
    option,
    text_of,
    texts,
    type_name,
    unwrapped,
    without_places,
)
from wardround_sql.statements import Statement

_ENABLES_ALL = re.compile(r"enable\s+row\s+level\s+security", re.IGNORECASE)
_MOVABLE = ("OBJECT_TABLE", "OBJECT_VIEW")
_BEFORE = 2
"""How libpg_query writes that a trigger is fired before."""
_UPDATE = 16
_DYNAMIC = frozenset({"DoStmt", "CreateFunctionStmt"})


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """The name of a table, view or function, with its schema."""

    schema: str
    name: str

    def __str__(self) -> str:
        return self.name if self.schema == "public" else f"{self.schema}.{self.name}"


@dataclass(slots=True)
class Column:
    name: str
    type: str
    required: bool = False
    unique: bool = False


@dataclass(slots=True)
class ForeignKey:
    """A reference to another table, and where it is written down."""

    table: Name
    columns: tuple[str, ...]
    target: Name
    statement: Statement
    location: int | None


@dataclass(slots=True)
class Table:
    """A table as far as the statements tell.

    Attributes:
        created: the statement that makes it; None if it was there before.
        rls: whether row-level security is on; None if nothing was said.
    """

    name: Name
    created: Statement | None = None
    columns: dict[str, Column] = field(default_factory=dict)
    rls: bool | None = None
    keys: list[tuple[str, ...]] = field(default_factory=list)
    partial: bool = False


@dataclass(slots=True)
class Policy:
    name: str
    table: Name
    command: str
    roles: tuple[str, ...]
    permissive: bool
    statement: Statement


@dataclass(slots=True)
class Index:
    """An index; ``shape`` is everything that makes it differ from another on the same table."""

    name: str
    table: Name
    columns: tuple[str, ...]
    shape: str
    whole: bool
    statement: Statement


@dataclass(slots=True)
class Schema:
    """The state after all statements, in the order of files.

    Attributes:
        guarded: tables with a trigger that sees a row before it is updated, and does more than note the time.
        made: every name under which a table was made or came to be, also of one that is gone since.
        moved: old names of tables and views, and the new ones.
        shut: tables and roles: everything was taken from the role, and nothing given since.
    """

    tables: dict[Name, Table] = field(default_factory=dict)
    policies: dict[tuple[Name, str], Policy] = field(default_factory=dict)
    indexes: list[Index] = field(default_factory=list)
    foreign_keys: list[ForeignKey] = field(default_factory=list)
    secured_views: set[Name] = field(default_factory=set)
    pinned_functions: set[Name] = field(default_factory=set)
    revoked: set[tuple[Name, str]] = field(default_factory=set)
    shut: set[tuple[Name, str]] = field(default_factory=set)
    dropped: set[Name] = field(default_factory=set)
    made: set[Name] = field(default_factory=set)
    guarded: set[Name] = field(default_factory=set)
    moved: dict[Name, Name] = field(default_factory=dict)
    enables_all: bool = False

    def table(self, name: Name) -> Table:
        return self.tables.setdefault(name, Table(name))

    def is_indexed(self, table: Name, columns: tuple[str, ...]) -> bool:
        """Whether an index or key begins with these columns, in any order."""
        wanted = set(columns)
        keys = self.tables[table].keys if table in self.tables else []
        found = [index.columns for index in self.indexes if index.table == table and index.whole]
        return any(set(one[: len(columns)]) == wanted for one in (*keys, *found))


def name_of(relation: Node, default: str = "public") -> Name:
    """The name of a RangeVar."""
    return Name(relation.get("schemaname") or default, relation.get("relname", ""))


def dotted(parts: list[str], default: str = "public") -> Name:
    """The name of an object given as its parts."""
    return Name(parts[-2] if len(parts) > 1 else default, parts[-1] if parts else "")


def roles_of(nodes: object) -> tuple[str, ...]:
    """The names of roles; PUBLIC is ``public``."""
    found = []
    for node in nodes if isinstance(nodes, list) else ():
        role = content(node, "RoleSpec") or {}
        kind = role.get("roletype", "")
        found.append("public" if kind == "ROLESPEC_PUBLIC" else role.get("rolename", kind.lower()))
    return tuple(found)


def build(statements: Iterable[Statement], default: str = "public") -> Schema:
    """Apply statements one after another; what takes migrations back is left out."""
    maker = _Maker(Schema(), default)
    for statement in statements:
        if not statement.down:
            maker.apply(statement)
    return maker.schema


class _Maker:
    def __init__(self, schema: Schema, default: str) -> None:
        self.schema = schema
        self.default = default

    def apply(self, statement: Statement) -> None:
        inside_function = statement.outer is not None and statement.outer.kind != "DoStmt"
        apply = None if inside_function else getattr(self, f"_{statement.kind}", None)
        if apply is not None:
            apply(statement, statement.node)
        elif statement.kind in _DYNAMIC and _ENABLES_ALL.search(statement.text):
            self.schema.enables_all = self.schema.enables_all or "execute" in statement.text.lower()

    def _name(self, relation: object) -> Name:
        return name_of(relation if isinstance(relation, dict) else {}, self.default)

    def _DoStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        if _ENABLES_ALL.search(statement.text) and "execute" in statement.text.lower():
            self.schema.enables_all = True

    def _CreateStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        name = self._name(node.get("relation"))
        table = self.schema.table(name)
        if table.created is None or name in self.schema.dropped:
            table.created = statement
        self.schema.dropped.discard(name)
        self.schema.made.add(name)
        table.partial = table.partial or "inhRelations" in node
        for element in node.get("tableElts", []):
            kind, inside = unwrapped(element)
            if kind == "ColumnDef":
                self._column(table, inside, statement)
            elif kind == "Constraint":
                self._constraint(table, inside, statement)
            else:
                table.partial = True

    def _CreateTableAsStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        if node.get("objtype") == "OBJECT_TABLE":
            table = self.schema.table(self._name(node.get("into", {}).get("rel")))
            table.created, table.partial = table.created or statement, True
            self.schema.made.add(table.name)

    def _column(self, table: Table, node: Node, statement: Statement) -> None:
        column = Column(node.get("colname", ""), type_name(node.get("typeName", {})))
        table.columns[column.name] = column
        for one in kinds(node.get("constraints", []), "Constraint"):
            kind = one.get("contype")
            column.required |= kind in ("CONSTR_NOTNULL", "CONSTR_PRIMARY")
            column.unique |= kind in ("CONSTR_PRIMARY", "CONSTR_UNIQUE")
            if kind in ("CONSTR_PRIMARY", "CONSTR_UNIQUE"):
                table.keys.append((column.name,))
            elif kind == "CONSTR_FOREIGN":
                self._foreign_key(table, (column.name,), one, statement)

    def _constraint(self, table: Table, node: Node, statement: Statement) -> None:
        kind = node.get("contype")
        if kind in ("CONSTR_PRIMARY", "CONSTR_UNIQUE") and node.get("keys"):
            columns = tuple(texts(node["keys"]))
            table.keys.append(columns)
            for name in columns if kind == "CONSTR_PRIMARY" else ():
                if name in table.columns:
                    table.columns[name].required = True
        elif kind in ("CONSTR_PRIMARY", "CONSTR_UNIQUE"):
            table.partial = True
        elif kind == "CONSTR_FOREIGN":
            self._foreign_key(table, tuple(texts(node.get("fk_attrs"))), node, statement)

    def _foreign_key(self, table: Table, columns: tuple[str, ...], node: Node, statement: Statement) -> None:
        target = self._name(node.get("pktable"))
        self.schema.foreign_keys.append(
            ForeignKey(table.name, columns, target, statement, node.get("location"))
        )

    def _AlterTableStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        name = self._name(node.get("relation"))
        self._view_options(name, node)
        if node.get("objtype") != "OBJECT_TABLE":
            return
        table = self.schema.table(name)
        for command in kinds(node.get("cmds", []), "AlterTableCmd"):
            self._command(table, command, statement)

    def _command(self, table: Table, command: Node, statement: Statement) -> None:
        kind = command.get("subtype")
        definition = command.get("def")
        if kind in ("AT_EnableRowSecurity", "AT_DisableRowSecurity"):
            table.rls = kind == "AT_EnableRowSecurity"
        elif kind == "AT_AddColumn":
            self._column(table, content(definition, "ColumnDef") or {}, statement)
        elif kind == "AT_AddConstraint":
            self._constraint(table, content(definition, "Constraint") or {}, statement)
        elif kind in ("AT_SetNotNull", "AT_DropNotNull") and command.get("name") in table.columns:
            table.columns[command["name"]].required = kind == "AT_SetNotNull"
        elif kind == "AT_AlterColumnType" and command.get("name") in table.columns:
            typed = (content(definition, "ColumnDef") or {}).get("typeName", {})
            table.columns[command["name"]].type = type_name(typed)
        elif kind == "AT_DropColumn":
            self._drop_column(table, command.get("name", ""))

    def _drop_column(self, table: Table, column: str) -> None:
        table.columns.pop(column, None)
        keys = self.schema.foreign_keys
        self.schema.foreign_keys = [k for k in keys if k.table != table.name or column not in k.columns]

    def _view_options(self, name: Name, node: Node) -> None:
        for command in kinds(node.get("cmds", []), "AlterTableCmd"):
            said = sets_option(command, "security_invoker")
            if said is not None:
                self._secure(name, said)

    def _secure(self, view: Name, secured: bool) -> None:
        views = self.schema.secured_views
        (views.add if secured else views.discard)(view)

    def _ViewStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        """A view that is replaced keeps none of its options."""
        name = self._name(node.get("view"))
        self.schema.moved.pop(name, None)
        self._secure(name, is_true(option(node.get("options"), "security_invoker")))

    def _CreateTrigStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        called = "".join(texts(node.get("funcname"))[-1:]).lower()
        is_stamp = any(word in called for word in ("updated", "moddatetime", "timestamp"))
        if node.get("timing") == _BEFORE and node.get("events", 0) & _UPDATE and not is_stamp:
            self.schema.guarded.add(self._name(node.get("relation")))

    def _CreatePolicyStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        table = self._name(node.get("table"))
        policy = Policy(
            name=node.get("policy_name", ""),
            table=table,
            command=node.get("cmd_name", "all"),
            roles=roles_of(node.get("roles")) or ("public",),
            permissive=node.get("permissive") is True,
            statement=statement,
        )
        self.schema.policies[table, policy.name] = policy

    def _IndexStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        table = self._name(node.get("relation"))
        elements = [content(one, "IndexElem") or {} for one in node.get("indexParams", [])]
        columns = tuple(str(element.get("name", "")) for element in elements)
        self.schema.indexes.append(
            Index(node.get("idxname", ""), table, columns, _shape(node), "whereClause" not in node, statement)
        )

    def _DropStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        kind = node.get("removeType")
        for one in node.get("objects", []):
            parts = texts(items(one))
            if kind == "OBJECT_POLICY" and len(parts) > 1:
                self.schema.policies.pop((dotted(parts[:-1], self.default), parts[-1]), None)
            elif kind in ("OBJECT_TABLE", "OBJECT_VIEW", "OBJECT_MATVIEW", "OBJECT_FOREIGN_TABLE"):
                self._drop_relation(dotted(parts, self.default))
            elif kind == "OBJECT_INDEX":
                gone = parts[-1] if parts else ""
                self.schema.indexes = [i for i in self.schema.indexes if i.name != gone or not gone]

    def _drop_relation(self, name: Name) -> None:
        schema = self.schema
        schema.tables.pop(name, None)
        schema.dropped.add(name)
        schema.secured_views.discard(name)
        schema.revoked = {one for one in schema.revoked if one[0] != name}
        schema.shut = {one for one in schema.shut if one[0] != name}
        schema.indexes = [index for index in schema.indexes if index.table != name]
        schema.foreign_keys = [key for key in schema.foreign_keys if key.table != name]
        schema.policies = {key: policy for key, policy in schema.policies.items() if key[0] != name}

    def _RenameStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        if node.get("renameType") in _MOVABLE:
            old = self._name(node.get("relation"))
            self._move(old, Name(old.schema, node.get("newname", "")))

    def _AlterObjectSchemaStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        if node.get("objectType") in _MOVABLE:
            old = self._name(node.get("relation"))
            self._move(old, Name(node.get("newschema", ""), old.name))

    def _move(self, old: Name, new: Name) -> None:
        """A table or view with another name keeps what was said about it."""
        schema = self.schema
        if old in schema.tables:
            schema.tables[new] = table = schema.tables.pop(old)
            table.name = new
            if table.created is not None:
                schema.made.add(new)
        for policy in [one for one in schema.policies.values() if one.table == old]:
            schema.policies[new, policy.name] = replace(schema.policies.pop((old, policy.name)), table=new)
        for index in (one for one in schema.indexes if one.table == old):
            index.table = new
        for key in schema.foreign_keys:
            key.table, key.target = (new if one == old else one for one in (key.table, key.target))
        for names in (schema.secured_views, schema.guarded):
            if old in names:
                names.remove(old)
                names.add(new)
        schema.revoked = {(new if name == old else name, role) for name, role in schema.revoked}
        schema.shut = {(new if name == old else name, role) for name, role in schema.shut}
        schema.dropped.discard(new)
        schema.moved.pop(new, None)
        schema.moved[old] = new

    def _AlterFunctionStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        parts = texts(node.get("func", {}).get("objname"))
        for action in kinds(node.get("actions", []), "VariableSetStmt"):
            if action.get("name") == "search_path":
                self.schema.pinned_functions.add(dotted(parts, self.default))

    def _GrantStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        self._shut(node)
        if node.get("is_grant") or ("privileges" in node and len(node["privileges"]) > 2):
            return
        for role in roles_of(node.get("grantees")):
            for one in node.get("objects", []):
                kind, inside = unwrapped(one)
                if kind == "RangeVar":
                    self.schema.revoked.add((self._name(inside), role))
                elif kind == "String":
                    self.schema.revoked.add((Name(text_of(one), "*"), role))

    def _shut(self, node: Node) -> None:
        """Keep account of the roles that have no right at all to a table."""
        if node.get("objtype") != "OBJECT_TABLE" or node.get("grant_option"):
            return
        names = [self._name(one) for one in kinds(node.get("objects", []), "RangeVar")]
        pairs = {(name, role) for name in names for role in roles_of(node.get("grantees"))}
        if node.get("is_grant"):
            self.schema.shut -= pairs
        elif "privileges" not in node:
            self.schema.shut |= pairs


def sets_option(command: Node, name: str) -> bool | None:
    """What a part of ALTER says about an option: whether it is on from here; None if nothing is said."""
    given = option(items(command.get("def")), name)
    if given is None or command.get("subtype") not in ("AT_SetRelOptions", "AT_ResetRelOptions"):
        return None
    return command["subtype"] == "AT_SetRelOptions" and is_true(given)


def _shape(node: Node) -> str:
    """What an index is, without its name and places."""
    kept = (
        "indexParams",
        "indexIncludingParams",
        "whereClause",
        "unique",
        "accessMethod",
        "nulls_not_distinct",
    )
    return repr([(key, without_places(node.get(key))) for key in kept])
