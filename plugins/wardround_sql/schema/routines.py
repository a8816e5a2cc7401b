"""Functions and procedures that a set of statements produces: their privileges and search paths."""

from __future__ import annotations

from msgspec import Struct, field

from wardround_sql.parsing.pg_nodes import Node, content, is_true, kinds, option, texts, type_name
from wardround_sql.parsing.statements import Statement

_INPUTS = ("FUNC_PARAM_DEFAULT", "FUNC_PARAM_IN", "FUNC_PARAM_INOUT", "FUNC_PARAM_VARIADIC")
_SETS = ("VAR_SET_VALUE", "VAR_SET_CURRENT")


class Routine(Struct, eq=False):
    """One overload of a function.

    Attributes:
        types: types of the inputs, without their schemas.
        made: the statement that last defined it; None if it existed before.
        definer: whether it runs as its owner.
        open_by: the statement since which it does so with the caller's search path; None if it does not.
        removed: whether it was dropped or replaced.
        pinned: True if it sets its own search path; None if a statement that could not be parsed sets it.
    """

    schema: str
    name: str
    types: tuple[str, ...]
    made: Statement | None = None
    definer: bool | None = None
    pinned: bool | None = None
    open_by: Statement | None = None
    removed: bool = False

    def note(self, statement: Statement) -> None:
        """Record the statement that opened it, the first since it was last closed."""
        is_open = self.definer and self.pinned is False
        self.open_by = (self.open_by or statement) if is_open else None


class Routines(Struct):
    """All overloads by name, and those that each statement concerns."""

    named: dict[tuple[str, str], list[Routine]] = field(default_factory=dict)
    about: dict[Statement, list[Routine]] = field(default_factory=dict)

    def definers(self) -> set[tuple[str, str]]:
        """Return schema and name of the functions that run as their owner."""
        return {
            (item.schema, item.name)
            for entries in self.named.values()
            for item in entries
            if item.definer and not item.removed
        }

    def made_by(self, statement: Statement) -> Routine | None:
        """Return the routine that a statement defines, if no later statement replaces or drops it."""
        result = self.about.get(statement, [])
        return next((item for item in result if item.made is statement and not item.removed), None)

    def opened_by(self, statement: Statement) -> Routine | None:
        """Return the routine that a statement lets run as its owner with the caller's search path."""
        result = self.about.get(statement, [])
        return next((item for item in result if item.open_by is statement and not item.removed), None)

    def create(self, statement: Statement, default: str) -> None:
        """Add a function; a replaced one keeps none of its settings."""
        node = statement.node
        schema, name = _parts(node.get("funcname"), default)
        arguments = list(kinds(node.get("parameters", []), "FunctionParameter"))
        types = tuple(_last(item.get("argType", {})) for item in arguments if item.get("mode") in _INPUTS)
        options = node.get("options", [])
        self._remove([entry for entry in self.named.get((schema, name), []) if entry.types == types])
        routine = Routine(schema, name, types, statement, pinned=_sets_path(options) is True)
        routine.definer = is_true(option(options, "security"))
        routine.note(statement)
        self.named.setdefault((schema, name), []).append(routine)
        self.about[statement] = [routine]

    def alter(self, statement: Statement, default: str) -> None:
        actions = statement.node.get("actions", [])
        message = _sets_path(actions)
        security = option(actions, "security")
        intended = self.about[statement] = self._overloads(statement.node.get("func", {}), default)
        for item in intended:
            item.pinned = item.pinned if message is None else message
            item.definer = item.definer if security is None else is_true(security)
            item.note(statement)

    def drop(self, objects: list[Node], default: str) -> None:
        for node in objects:
            self._remove(self._overloads(content(node, "ObjectWithArgs") or {}, default))

    def move(self, node: Node, default: str, schema: str) -> None:
        for item in self._overloads(content(node, "ObjectWithArgs") or {}, default):
            self.named[item.schema, item.name].remove(item)
            item.schema = schema
            self.named.setdefault((schema, item.name), []).append(item)

    def _remove(self, routines: list[Routine]) -> None:
        for routine in routines:
            routine.removed = True
            self.named[routine.schema, routine.name].remove(routine)

    def _overloads(self, function: Node, default: str) -> list[Routine]:
        """Return the overloads that a name with arguments denotes: one, or all without arguments."""
        named = self.named.get(_parts(function.get("objname"), default), [])
        if function.get("args_unspecified") or len(named) == 1:
            return list(named)
        types = tuple(_last(content(objarg, "TypeName") or {}) for objarg in function.get("objargs", []))
        return [item for item in named if item.types == types]


def _parts(names: object, default: str) -> tuple[str, str]:
    parts = texts(names)
    return (parts[-2] if len(parts) > 1 else default), (parts[-1] if parts else "")


def _last(node: Node) -> str:
    return type_name(node).rpartition(".")[2]


def _sets_path(options: object) -> bool | None:
    """Return True if settings set a search path, False if they reset it; None if neither."""
    text = None
    for node in kinds(options, "VariableSetStmt"):
        if node.get("kind") == "VAR_RESET_ALL":
            text = False
        elif node.get("name") == "search_path":
            text = node.get("kind") in _SETS
    return text
