"""Schema that a set of statements produces: tables, policies, indexes, views and functions."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property

from msgspec import Struct, field

from wardround.lazy import LazyPattern
from wardround_sql.parsing.pg_nodes import (
    Node,
    content,
)
from wardround_sql.parsing.statements import Statement
from wardround_sql.schema.routines import Routines

ENABLES_RLS = LazyPattern(r"enable\s+row\s+level\s+security", re.IGNORECASE)
_MAKES_POLICY = LazyPattern(r"create\s+policy", re.IGNORECASE)
_CATALOG = LazyPattern(
    r"\bpg_(?:tables|class|event_trigger_ddl_commands)\b|\binformation_schema\b", re.IGNORECASE
)
_WORD = LazyPattern(r"\w+")
_CLIENTS = ("anon", "authenticated")
PRIVILEGES = frozenset({"select", "insert", "update", "delete"})


class Name(Struct, frozen=True, order=True):
    """Name of a table, view or function, with its schema."""

    schema: str
    name: str

    def __str__(self) -> str:
        return self.name if self.schema == "public" else f"{self.schema}.{self.name}"


class Column(Struct):
    name: str
    type: str
    required: bool = False
    unique: bool = False
    sizes: tuple[int, ...] = ()
    """Length, or precision and scale, if the type has them."""


class ForeignKey(Struct, eq=False):
    """Reference to another table, and its location."""

    table: Name
    columns: tuple[str, ...]
    target: Name
    statement: Statement
    location: int | None


class Table(Struct):
    """Table if the statements define it.

    Attributes:
        created: the statement that creates it; None if it existed before.
        rls: whether row-level security is enabled; None if no statement sets it.
    """

    name: Name
    created: Statement | None = None
    columns: dict[str, Column] = field(default_factory=dict)
    rls: bool | None = None
    keys: list[tuple[str, ...]] = field(default_factory=list)
    partial: bool = False


class Policy(Struct):
    """Policy; ``using`` and ``check`` are the statements whose USING and WITH CHECK are effective."""

    name: str
    table: Name
    command: str
    roles: tuple[str, ...]
    permissive: bool
    statement: Statement
    using: Statement
    check: Statement


class TableIndex(Struct, eq=False):
    """Index.

    Attributes:
        shape: all properties that distinguish it from other indexes of the same table.
        whole: True if it finds every value of its columns; it may exclude rows by other columns, such as a
            soft-delete flag, or rows with NULL.
    """

    name: str
    table: Name
    columns: tuple[str, ...]
    shape: str
    whole: bool
    statement: Statement


class Schema(Struct, dict=True):
    """State after all statements, in the order of files. Cached properties are valid after the last one.

    Attributes:
        indexes: by table, in order.
        foreign_keys: by referencing table.
        guarded: tables with a BEFORE UPDATE trigger that does more than set a timestamp.
        made: every name under which a table was created or renamed, including dropped tables.
        moved: old names of tables and views, and the new ones.
        shut: by table, the roles whose privileges were all revoked, and to which none was granted since.
        revoked: by table, the roles whose SELECT or ALL was revoked.
        withheld: by table, pairs of a role and a privilege that was revoked and not granted again for the
            table.
        closed: schemas and roles; objects created there from now on are shut.
        pins_all: whether a loop sets the search path of functions.
        loops: texts of blocks that build statements and run them.
    """

    tables: dict[Name, Table] = field(default_factory=dict)
    policies: dict[tuple[Name, str], Policy] = field(default_factory=dict)
    indexes: dict[Name, dict[TableIndex, None]] = field(default_factory=lambda: defaultdict(dict))
    foreign_keys: dict[Name, dict[ForeignKey, None]] = field(default_factory=lambda: defaultdict(dict))
    secured_views: set[Name] = field(default_factory=set)
    routines: Routines = field(default_factory=Routines)
    revoked: dict[Name, set[str]] = field(default_factory=lambda: defaultdict(set))
    shut: dict[Name, set[str]] = field(default_factory=lambda: defaultdict(set))
    dropped: set[Name] = field(default_factory=set)
    made: set[Name] = field(default_factory=set)
    guarded: set[Name] = field(default_factory=set)
    moved: dict[Name, Name] = field(default_factory=dict)
    withheld: dict[Name, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    closed: set[tuple[str, str]] = field(default_factory=set)
    loops: list[str] = field(default_factory=list)
    pins_all: bool = False

    def is_enabled_by_loop(self, table: Name) -> bool:
        """Return True if a block with dynamic SQL may enable row-level security for a table."""
        return self._enabling_loops.may_be_about(table)

    def has_policy_by_loop(self, table: Name) -> bool:
        """Return True if a block with dynamic SQL may create a policy for a table."""
        return self._making_policies.may_be_about(table)

    @cached_property
    def _enabling_loops(self) -> _Loops:
        return _Loops.of(self.loops, ENABLES_RLS)

    @cached_property
    def _making_policies(self) -> _Loops:
        return _Loops.of(self.loops, _MAKES_POLICY)

    @cached_property
    def _policies_by_table(self) -> dict[Name, list[Policy]]:
        result: dict[Name, list[Policy]] = {}
        for policy in self.policies.values():
            result.setdefault(policy.table, []).append(policy)
        return result

    @cached_property
    def _policies_by_maker(self) -> dict[Statement, Policy]:
        return {policy.statement: policy for policy in reversed(self.policies.values())}

    @cached_property
    def _tables_by_maker(self) -> dict[Statement, Table]:
        return {table.created: table for table in reversed(self.tables.values()) if table.created is not None}

    def policies_of(self, table: Name) -> list[Policy]:
        """Return the policies of a table, in the order of creation."""
        return self._policies_by_table.get(table, [])

    def policy_created_by(self, statement: Statement) -> Policy | None:
        """Return the policy that a statement creates, if it still exists in the end."""
        return self._policies_by_maker.get(statement)

    def made_by(self, statement: Statement) -> Table | None:
        """Return the table that a statement creates, under its final name."""
        return self._tables_by_maker.get(statement)

    def has_no_privileges(self, name: Name) -> bool:
        """Return True if clients have no privilege on a table or view."""
        return all(role in self.shut.get(name, ()) for role in _CLIENTS)

    def is_inaccessible(self, name: Name) -> bool:
        """Return True if clients can neither read nor change a table."""
        barred = all(self.is_withheld(name, role, right) for role in _CLIENTS for right in PRIVILEGES)
        return self.has_no_privileges(name) or (barred and self.is_unreadable(name))

    def is_withheld(self, name: Name, role: str, right: str) -> bool:
        """Return True if a privilege was revoked from a role, and not granted again for the entire table."""
        return (role, right) in self.withheld.get(name, ())

    def is_unreadable(self, name: Name) -> bool:
        """Return True if clients cannot read a table or view."""
        return all(role in self.revoked.get(name, ()) for role in _CLIENTS)

    def policy(self, statement: Statement, table: Name) -> Policy | None:
        """Return the policy that a statement creates or alters, if it still exists in the end."""
        known = self.policies.get((self.moved.get(table, table), statement.node.get("policy_name", "")))
        if known is None and statement.kind == "CreatePolicyStmt":
            known = self.policy_created_by(statement)
        made_here = statement.kind == "CreatePolicyStmt"
        return None if known is None or (made_here and known.statement is not statement) else known

    def table(self, name: Name) -> Table:
        return self.tables.setdefault(name, Table(name))

    def is_indexed(self, table: Name, columns: tuple[str, ...]) -> bool:
        """Return True if an index or key begins with these columns, in any order."""
        expected = set(columns)
        keys = self.tables[table].keys if table in self.tables else []
        result = [index.columns for index in self.indexes.get(table, ()) if index.whole]
        return any(set(item[: len(columns)]) == expected for item in (*keys, *result))


class _Loops(Struct, frozen=True):
    """Blocks that build statements of one kind and run them.

    Attributes:
        text: the concatenated blocks.
        words: their words, in lower case.
        ask: whether one of them queries the catalog, so that any table may be affected.
    """

    text: str
    words: frozenset[str]
    ask: bool

    @classmethod
    def of(cls, loops: list[str], expected: LazyPattern) -> _Loops:
        text = "\n".join(loop for loop in loops if expected.search(loop))
        return cls(text, frozenset(_WORD.findall(text.lower())), _CATALOG.search(text) is not None)

    def may_be_about(self, table: Name) -> bool:
        name = table.name
        if self.ask or not self.text:
            return self.ask
        if name.isascii() and _WORD.fullmatch(name):
            return name.lower() in self.words
        return re.search(rf"\b{re.escape(name)}\b", self.text, re.IGNORECASE) is not None


def sizes_of(typed: Node) -> tuple[int, ...]:
    """Return the numbers in the parentheses of a TypeName."""
    result = [(content(typmod, "A_Const") or {}).get("ival", {}) for typmod in typed.get("typmods", [])]
    return tuple(int(item.get("ival", 0)) for item in result)


def name_of(relation: Node, default: str = "public") -> Name:
    """Return the name of a RangeVar."""
    return Name(relation.get("schemaname") or default, relation.get("relname", ""))


def name_of_parts(parts: list[str], default: str = "public") -> Name:
    """Return the name of an object from its parts."""
    return Name(parts[-2] if len(parts) > 1 else default, parts[-1] if parts else "")


def roles_of(nodes: object) -> tuple[str, ...]:
    """Return the names of roles; PUBLIC is ``public``."""
    result = []
    for node in nodes if isinstance(nodes, list) else ():
        role = content(node, "RoleSpec") or {}
        kind = role.get("roletype", "")
        result.append("public" if kind == "ROLESPEC_PUBLIC" else role.get("rolename", kind.lower()))
    return tuple(result)
