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
        types: of its inputs, without their schemas.
        made: the statement that last defined it; None if it existed before.
        definer: whether it runs as its owner.
        open_by: the statement since which it does so with the caller's search path; None if it does not.
        gone: whether it was dropped or replaced.
        pinned: whether it has a search path of its own; None if a statement that was not read sets it.
    """

    schema: str
    name: str
    types: tuple[str, ...]
    made: Statement | None = None
    definer: bool | None = None
    pinned: bool | None = None
    open_by: Statement | None = None
    gone: bool = False

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
            (one.schema, one.name)
            for held in self.named.values()
            for one in held
            if one.definer and not one.gone
        }

    def made_by(self, statement: Statement) -> Routine | None:
        """Return the routine that a statement defines, if no later statement replaces or drops it."""
        found = self.about.get(statement, [])
        return next((one for one in found if one.made is statement and not one.gone), None)

    def opened_by(self, statement: Statement) -> Routine | None:
        """Return the routine that a statement lets run as its owner with the caller's search path."""
        found = self.about.get(statement, [])
        return next((one for one in found if one.open_by is statement and not one.gone), None)

    def create(self, statement: Statement, default: str) -> None:
        """Add a function; a replaced one keeps none of its settings."""
        node = statement.node
        schema, name = _parts(node.get("funcname"), default)
        given = list(kinds(node.get("parameters", []), "FunctionParameter"))
        types = tuple(_last(one.get("argType", {})) for one in given if one.get("mode") in _INPUTS)
        options = node.get("options", [])
        self._remove([one for one in self.named.get((schema, name), []) if one.types == types])
        routine = Routine(schema, name, types, statement, pinned=_sets_path(options) is True)
        routine.definer = is_true(option(options, "security"))
        routine.note(statement)
        self.named.setdefault((schema, name), []).append(routine)
        self.about[statement] = [routine]

    def alter(self, statement: Statement, default: str) -> None:
        actions = statement.node.get("actions", [])
        says = _sets_path(actions)
        security = option(actions, "security")
        meant = self.about[statement] = self._meant(statement.node.get("func", {}), default)
        for one in meant:
            one.pinned = one.pinned if says is None else says
            one.definer = one.definer if security is None else is_true(security)
            one.note(statement)

    def drop(self, objects: list[Node], default: str) -> None:
        for node in objects:
            self._remove(self._meant(content(node, "ObjectWithArgs") or {}, default))

    def move(self, node: Node, default: str, schema: str) -> None:
        for one in self._meant(content(node, "ObjectWithArgs") or {}, default):
            self.named[one.schema, one.name].remove(one)
            one.schema = schema
            self.named.setdefault((schema, one.name), []).append(one)

    def _remove(self, routines: list[Routine]) -> None:
        for one in routines:
            one.gone = True
            self.named[one.schema, one.name].remove(one)

    def _meant(self, function: Node, default: str) -> list[Routine]:
        """Return the overloads that a name with arguments denotes: one, or all without arguments."""
        named = self.named.get(_parts(function.get("objname"), default), [])
        if function.get("args_unspecified") or len(named) == 1:
            return list(named)
        types = tuple(_last(content(one, "TypeName") or {}) for one in function.get("objargs", []))
        return [one for one in named if one.types == types]


def _parts(names: object, default: str) -> tuple[str, str]:
    parts = texts(names)
    return (parts[-2] if len(parts) > 1 else default), (parts[-1] if parts else "")


def _last(node: Node) -> str:
    return type_name(node).rpartition(".")[2]


def _sets_path(options: object) -> bool | None:
    """Return True if settings set a search path, False if they reset it; None if neither."""
    said = None
    for one in kinds(options, "VariableSetStmt"):
        if one.get("kind") == "VAR_RESET_ALL":
            said = False
        elif one.get("name") == "search_path":
            said = one.get("kind") in _SETS
    return said
