"""Construction of a schema from statements, applied in order."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import product

from msgspec.structs import replace

from wardround.lazy import LazyPattern
from wardround_sql.parsing.pg_nodes import (
    Node,
    column_name,
    content,
    is_true,
    items,
    kinds,
    members,
    option,
    strip_locations,
    texts,
    type_name,
    unwrap,
)
from wardround_sql.parsing.statements import Statement
from wardround_sql.schema.model import (
    ENABLES_RLS,
    PRIVILEGES,
    Column,
    ForeignKey,
    Name,
    Policy,
    Schema,
    Table,
    TableIndex,
    name_of,
    name_of_parts,
    roles_of,
    sizes_of,
)

_PINS = LazyPattern(
    r"alter\s+(?:function|routine|procedure)\b.*\bset\s+search_path", re.IGNORECASE | re.DOTALL
)
_MOVABLE = ("OBJECT_TABLE", "OBJECT_VIEW", "OBJECT_MATVIEW", "OBJECT_FOREIGN_TABLE")
_BEFORE = 2
"""libpg_query's bit of BEFORE triggers."""
_UPDATE = 16


def _leaves_out_values(where: object, columns: tuple[str, ...]) -> bool:
    """Return True if the condition of a partial index excludes values of one of its columns."""
    junction = content(where, "BoolExpr")
    if junction and junction.get("boolop") == "AND_EXPR":
        return any(_leaves_out_values(part, columns) for part in junction["args"])
    test = content(where, "NullTest")
    if test is not None and test.get("nulltesttype") == "IS_NOT_NULL":
        return False
    return any(
        name in columns
        for reference in kinds(where, "ColumnRef")
        for name in column_name({"ColumnRef": reference})[-1:]
    )


def build(statements: Iterable[Statement], default: str = "public") -> Schema:
    """Apply statements in order; rollback sections are skipped."""
    builder = _SchemaBuilder(Schema(), default)
    for statement in statements:
        if not statement.down:
            builder.apply(statement)
    return builder.schema


class _SchemaBuilder:
    def __init__(self, schema: Schema, default: str) -> None:
        self.schema = schema
        self.default = default
        self._named_indexes: dict[str, dict[TableIndex, None]] = defaultdict(dict)
        self._named_policies: dict[Name, dict[str, None]] = defaultdict(dict)
        self._pointing: dict[Name, list[ForeignKey]] = defaultdict(list)
        self._relations: dict[str, set[Name]] = defaultdict(set)

    def apply(self, statement: Statement) -> None:
        inside_function = statement.outer is not None and statement.outer.kind != "DoStmt"
        apply = None if inside_function else getattr(self, f"_{statement.kind}", None)
        if apply is not None:
            apply(statement, statement.node)

    def _name(self, relation: object) -> Name:
        return name_of(relation if isinstance(relation, dict) else {}, self.default)

    def _DoStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        if "execute" in statement.text.lower():
            self.schema.loops.append(statement.text)
            self.schema.pins_all = self.schema.pins_all or _PINS.search(statement.text) is not None

    def _CreateFunctionStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        self.schema.routines.create(statement, self.default)
        if ENABLES_RLS.search(statement.text) and "execute" in statement.text.lower():
            self.schema.loops.append(statement.text)

    def _new_relation(self, name: Name) -> None:
        """Apply the default privileges of the schema to a new object."""
        schema = self.schema
        self._relations[name.schema].add(name)
        closed = {role for where, role in schema.closed if where == name.schema}
        if closed:
            schema.shut[name] |= closed
            schema.revoked[name] |= closed

    def _CreateStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        name = self._name(node.get("relation"))
        table = self.schema.table(name)
        if table.created is None or name in self.schema.dropped:
            table.created = statement
        self.schema.dropped.discard(name)
        self.schema.made.add(name)
        self._new_relation(name)
        table.partial = table.partial or "inhRelations" in node
        for element in node.get("tableElts", []):
            kind, inside = unwrap(element)
            if kind == "ColumnDef":
                self._column(table, inside, statement)
            elif kind == "Constraint":
                self._add_constraint(table, inside, statement)
            else:
                table.partial = True

    def _CreateTableAsStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        name = self._name(node.get("into", {}).get("rel"))
        self._new_relation(name)
        if node.get("objtype") == "OBJECT_TABLE":
            self._add_table_of_query(name, statement)

    def _SelectStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        if "intoClause" in node:
            name = self._name(node["intoClause"].get("rel"))
            self._new_relation(name)
            self._add_table_of_query(name, statement)

    def _add_table_of_query(self, name: Name, statement: Statement) -> None:
        table = self.schema.table(name)
        table.created, table.partial = table.created or statement, True
        self.schema.made.add(name)

    def _CreateForeignTableStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        self._new_relation(self._name(node.get("base", {}).get("relation")))

    def _column(self, table: Table, node: Node, statement: Statement) -> None:
        typed = node.get("typeName", {})
        column = Column(node.get("colname", ""), type_name(typed), sizes=sizes_of(typed))
        table.columns[column.name] = column
        for constraint in members(node.get("constraints"), "Constraint"):
            kind = constraint.get("contype")
            column.required |= kind in ("CONSTR_NOTNULL", "CONSTR_PRIMARY")
            column.unique |= kind in ("CONSTR_PRIMARY", "CONSTR_UNIQUE")
            if kind in ("CONSTR_PRIMARY", "CONSTR_UNIQUE"):
                table.keys.append((column.name,))
            elif kind == "CONSTR_FOREIGN":
                self._foreign_key(table, (column.name,), constraint, statement)

    def _add_constraint(self, table: Table, node: Node, statement: Statement) -> None:
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
        key = ForeignKey(table.name, columns, target, statement, node.get("location"))
        self.schema.foreign_keys[table.name][key] = None
        self._pointing[target].append(key)

    def _AlterTableStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        name = self._name(node.get("relation"))
        self._view_options(name, node)
        if node.get("objtype") != "OBJECT_TABLE":
            return
        table = self.schema.table(name)
        for command in members(node.get("cmds"), "AlterTableCmd"):
            self._command(table, command, statement)

    def _command(self, table: Table, command: Node, statement: Statement) -> None:
        kind = command.get("subtype")
        definition = command.get("def")
        if kind in ("AT_EnableRowSecurity", "AT_DisableRowSecurity"):
            table.rls = kind == "AT_EnableRowSecurity"
        elif kind == "AT_AddColumn":
            self._column(table, content(definition, "ColumnDef") or {}, statement)
        elif kind == "AT_AddConstraint":
            self._add_constraint(table, content(definition, "Constraint") or {}, statement)
        elif kind == "AT_DropColumn":
            self._drop_column(table, command.get("name", ""))
        elif command.get("name") in table.columns:
            _alter_column(table.columns[command["name"]], command)

    def _drop_column(self, table: Table, column: str) -> None:
        table.columns.pop(column, None)
        keys = self.schema.foreign_keys[table.name]
        for key in [item for item in keys if column in item.columns]:
            del keys[key]

    def _view_options(self, name: Name, node: Node) -> None:
        for command in members(node.get("cmds"), "AlterTableCmd"):
            text = sets_option(command, "security_invoker")
            if text is not None:
                self._secure(name, text)

    def _secure(self, view: Name, secured: bool) -> None:
        views = self.schema.secured_views
        (views.add if secured else views.discard)(view)

    def _ViewStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        """Reset the options of a replaced view."""
        name = self._name(node.get("view"))
        self.schema.moved.pop(name, None)
        if name not in self._relations[name.schema]:
            self._new_relation(name)
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
            using=statement,
            check=statement,
        )
        self._add_policy(policy)

    def _add_policy(self, policy: Policy) -> None:
        self.schema.policies[policy.table, policy.name] = policy
        self._named_policies[policy.table][policy.name] = None

    def _take_policy(self, table: Name, name: str) -> Policy | None:
        self._named_policies[table].pop(name, None)
        return self.schema.policies.pop((table, name), None)

    def _AlterPolicyStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        known = self.schema.policies.get((self._name(node.get("table")), node.get("policy_name", "")))
        if known is not None:
            known.roles = roles_of(node.get("roles")) or known.roles
            known.using = statement if "qual" in node else known.using
            known.check = statement if "with_check" in node else known.check

    def _IndexStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        table = self._name(node.get("relation"))
        elements = [content(indexParam, "IndexElem") or {} for indexParam in node.get("indexParams", [])]
        columns = tuple(str(element.get("name", "")) for element in elements)
        name, is_whole = node.get("idxname", ""), not _leaves_out_values(node.get("whereClause"), columns)
        index = TableIndex(name, table, columns, _shape(node), is_whole, statement)
        self.schema.indexes[table][index] = self._named_indexes[name][index] = None

    def _DropStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        kind = node.get("removeType")
        if kind in ("OBJECT_FUNCTION", "OBJECT_PROCEDURE", "OBJECT_ROUTINE"):
            self.schema.routines.drop(node.get("objects", []), self.default)
        for object in node.get("objects", []):
            parts = texts(items(object))
            if kind == "OBJECT_POLICY" and len(parts) > 1:
                self._take_policy(name_of_parts(parts[:-1], self.default), parts[-1])
            elif kind in ("OBJECT_TABLE", "OBJECT_VIEW", "OBJECT_MATVIEW", "OBJECT_FOREIGN_TABLE"):
                self._drop_relation(name_of_parts(parts, self.default))
            elif kind == "OBJECT_INDEX":
                removed = parts[-1] if parts else ""
                for index in self._named_indexes.pop(removed, ()) if removed else ():
                    del self.schema.indexes[index.table][index]

    def _drop_relation(self, name: Name) -> None:
        schema = self.schema
        schema.tables.pop(name, None)
        schema.dropped.add(name)
        schema.secured_views.discard(name)
        self._relations[name.schema].discard(name)
        for roles in (schema.revoked, schema.shut, schema.withheld):
            roles.pop(name, None)
        for index in schema.indexes.pop(name, ()):
            del self._named_indexes[index.name][index]
        schema.foreign_keys.pop(name, None)
        for policy in self._named_policies.pop(name, ()):
            del schema.policies[name, policy]

    def _RenameStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        if node.get("renameType") in _MOVABLE:
            old = self._name(node.get("relation"))
            self._move(old, Name(old.schema, node.get("newname", "")))
        elif node.get("renameType") == "OBJECT_POLICY":
            table, name = self._name(node.get("relation")), node.get("newname", "")
            known = self._take_policy(table, node.get("subname", ""))
            if known is not None:
                self.schema.policies[table, name] = known
                self._named_policies[table][name] = None

    def _AlterObjectSchemaStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        if node.get("objectType") in _MOVABLE:
            old = self._name(node.get("relation"))
            self._move(old, Name(node.get("newschema", ""), old.name))
        elif node.get("objectType") in ("OBJECT_FUNCTION", "OBJECT_PROCEDURE", "OBJECT_ROUTINE"):
            self.schema.routines.move(node.get("object", {}), self.default, node.get("newschema", ""))

    def _move(self, old: Name, new: Name) -> None:
        """Transfer the state of a renamed table or view."""
        schema = self.schema
        if old in schema.tables:
            schema.tables[new] = table = schema.tables.pop(old)
            table.name = new
            if table.created is not None:
                schema.made.add(new)
        for name in self._named_policies.pop(old, ()):
            schema.policies[new, name] = replace(schema.policies.pop((old, name)), table=new)
            self._named_policies[new][name] = None
        for index in schema.indexes.pop(old, ()):
            index.table = new
            schema.indexes[new][index] = None
        self._move_keys(old, new)
        for names in (schema.secured_views, schema.guarded):
            if old in names:
                names.remove(old)
                names.add(new)
        for roles in (schema.revoked, schema.shut):
            roles[new] |= roles.pop(old, set())
        schema.withheld[new] |= schema.withheld.pop(old, set())
        schema.dropped.discard(new)
        schema.moved.pop(new, None)
        schema.moved[old] = new

    def _move_keys(self, old: Name, new: Name) -> None:
        """Rename a table in the foreign keys from and to it."""
        for key in self.schema.foreign_keys.pop(old, ()):
            key.table = new
            self.schema.foreign_keys[new][key] = None
        for key in self._pointing.pop(old, ()):
            key.target = new
            self._pointing[new].append(key)

    def _AlterFunctionStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        self.schema.routines.alter(statement, self.default)

    def _GrantStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        """Track the roles without any privilege on a table, or without SELECT."""
        if node.get("objtype") != "OBJECT_TABLE" or node.get("grant_option"):
            return
        roles = set(roles_of(node.get("grantees")))
        pairs = set(product(roles, _table_privileges(node)))
        privileges = [item.get("priv_name", "") for item in members(node.get("privileges"), "AccessPriv")]
        readers = roles if not privileges or "select" in privileges else set[str]()
        for name in self._granted_names(node):
            if node.get("is_grant"):
                self._give(name, pairs, roles, readers)
            else:
                self._withhold(name, pairs, roles if not privileges else set(), readers)

    def _give(self, name: Name, about: set[tuple[str, str]], roles: set[str], readers: set[str]) -> None:
        schema = self.schema
        schema.withheld[name] -= about
        schema.shut[name] -= roles
        schema.revoked[name] -= readers

    def _withhold(self, name: Name, about: set[tuple[str, str]], roles: set[str], readers: set[str]) -> None:
        schema = self.schema
        schema.withheld[name] |= about
        schema.shut[name] |= roles
        schema.revoked[name] |= readers

    def _granted_names(self, node: Node) -> set[Name]:
        """Yield the known tables and views of a grant."""
        if node.get("targtype") == "ACL_TARGET_ALL_IN_SCHEMA":
            return {name for schema in texts(node.get("objects")) for name in self._relations[schema]}
        return {self._name(relation) for relation in kinds(node.get("objects", []), "RangeVar")}

    def _AlterDefaultPrivilegesStmt(self, statement: Statement, node: Node) -> None:  # noqa: N802
        action: Node = node.get("action", {})
        some = action.get("privileges") and not action.get("is_grant")
        if action.get("objtype") != "OBJECT_TABLE" or some:
            return
        named = texts(items(option(node.get("options"), "schemas")))
        pairs = {(where, role) for where in named for role in roles_of(action.get("grantees"))}
        closed = self.schema.closed
        self.schema.closed = closed - pairs if action.get("is_grant") else closed | pairs


def _table_privileges(node: Node) -> set[str] | frozenset[str]:
    """Return the privileges of a grant on entire tables, not on some columns."""
    privileges = list(members(node.get("privileges"), "AccessPriv"))
    if not privileges:
        return PRIVILEGES
    return {privilege.get("priv_name", "") for privilege in privileges if "cols" not in privilege}


def sets_option(command: Node, name: str) -> bool | None:
    """Return the value that an ALTER command sets an option to; None if it does not set it."""
    argument = option(items(command.get("def")), name)
    if argument is None or command.get("subtype") not in ("AT_SetRelOptions", "AT_ResetRelOptions"):
        return None
    return command["subtype"] == "AT_SetRelOptions" and is_true(argument)


def _alter_column(column: Column, command: Node) -> None:
    kind = command.get("subtype")
    if kind in ("AT_SetNotNull", "AT_DropNotNull"):
        column.required = kind == "AT_SetNotNull"
    elif kind == "AT_AlterColumnType":
        typed = (content(command.get("def"), "ColumnDef") or {}).get("typeName", {})
        column.type, column.sizes = type_name(typed), sizes_of(typed)


def _shape(node: Node) -> str:
    """Return the properties of an index, without its name and locations."""
    properties = (
        "indexParams",
        "indexIncludingParams",
        "whereClause",
        "unique",
        "accessMethod",
        "nulls_not_distinct",
    )
    return repr([(key, strip_locations(node.get(key))) for key in properties])
