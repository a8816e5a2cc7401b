"""What a set of statements leaves behind of functions and procedures: whose rights, and which search path."""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from wardround_sql.nodes import Node, content, is_true, kinds, option, texts, type_name
from wardround_sql.statements import Statement

_INPUTS = ("FUNC_PARAM_DEFAULT", "FUNC_PARAM_IN", "FUNC_PARAM_INOUT", "FUNC_PARAM_VARIADIC")
_SETS = ("VAR_SET_VALUE", "VAR_SET_CURRENT")


class Routine(Struct, eq=False):
    """One overload of a function.

    Attributes:
        types: of its inputs, without their schemas.
        made: the statement that last wrote it; None if it was there before.
        definer: whether it runs as its owner.
        open_by: the statement since which it does so by the caller's search path; None if it does not.
        pinned: whether it has a search path of its own; None if that was said where nobody looked.
    """

    schema: str
    name: str
    types: tuple[str, ...]
    made: Statement | None = None
    definer: bool | None = None
    pinned: bool | None = None
    open_by: Statement | None = None

    def note(self, statement: Statement) -> None:
        """Remember the statement that opened it, the first of those since it last was closed."""
        is_open = self.definer and self.pinned is False
        self.open_by = (self.open_by or statement) if is_open else None


class Routines(Struct):
    """All overloads, in the order in which they were first named."""

    known: list[Routine] = field(default_factory=list)

    def made_by(self, statement: Statement) -> Routine | None:
        """The routine a statement makes, if no later statement writes or drops it."""
        return next((one for one in self.known if one.made is statement), None)

    def opened_by(self, statement: Statement) -> Routine | None:
        """The routine that runs as its owner, by the caller's search path, since a statement."""
        return next((one for one in self.known if one.open_by is statement), None)

    def create(self, statement: Statement, default: str) -> None:
        """A function that is replaced keeps none of its settings."""
        node = statement.node
        schema, name = _parts(node.get("funcname"), default)
        given = list(kinds(node.get("parameters", []), "FunctionParameter"))
        types = tuple(_last(one.get("argType", {})) for one in given if one.get("mode") in _INPUTS)
        options = node.get("options", [])
        routine = Routine(schema, name, types, statement, pinned=_sets_path(options) is True)
        routine.definer = is_true(option(options, "security"))
        routine.note(statement)
        self.known = [one for one in self.known if (one.schema, one.name, one.types) != (schema, name, types)]
        self.known.append(routine)

    def alter(self, statement: Statement, default: str) -> None:
        actions = statement.node.get("actions", [])
        says = _sets_path(actions)
        security = option(actions, "security")
        for one in self._meant(statement.node.get("func", {}), default):
            one.pinned = one.pinned if says is None else says
            one.definer = one.definer if security is None else is_true(security)
            one.note(statement)

    def drop(self, objects: list[Node], default: str) -> None:
        for node in objects:
            gone = self._meant(content(node, "ObjectWithArgs") or {}, default)
            self.known = [one for one in self.known if one not in gone]

    def move(self, node: Node, default: str, schema: str) -> None:
        for one in self._meant(content(node, "ObjectWithArgs") or {}, default):
            moved = replace(one, schema=schema)
            self.known[self.known.index(one)] = moved

    def _meant(self, function: Node, default: str) -> list[Routine]:
        """The overloads a name with arguments stands for: one, unless no arguments are given."""
        schema, name = _parts(function.get("objname"), default)
        named = [one for one in self.known if (one.schema, one.name) == (schema, name)]
        if function.get("args_unspecified") or len(named) == 1:
            return named
        types = tuple(_last(content(one, "TypeName") or {}) for one in function.get("objargs", []))
        return [one for one in named if one.types == types]


def _parts(names: object, default: str) -> tuple[str, str]:
    parts = texts(names)
    return (parts[-2] if len(parts) > 1 else default), (parts[-1] if parts else "")


def _last(node: Node) -> str:
    return type_name(node).rpartition(".")[2]


def _sets_path(options: object) -> bool | None:
    """Whether settings leave a search path behind; None if they say nothing about it."""
    said = None
    for one in kinds(options, "VariableSetStmt"):
        if one.get("kind") == "VAR_RESET_ALL":
            said = False
        elif one.get("name") == "search_path":
            said = one.get("kind") in _SETS
    return said
