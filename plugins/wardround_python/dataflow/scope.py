"""What is known at one point of a walk through a function."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from wardround.languages.python.module import FunctionNode, last_name
from wardround.languages.python.tree import walk
from wardround.semantics.dataflow.domain import PARAMETER, REQUEST, join, without
from wardround_python.dataflow import sanitizers, sources
from wardround_python.dataflow.domain import (
    ALL,
    CLEAN,
    ENCODED,
    MODEL,
    UPLOAD,
    Place,
    SinkKind,
    Summary,
    Value,
)
from wardround_python.dataflow.expression_shapes import constant_text, key_of
from wardround_python.dataflow.known_value import Held, Known, KnownEntry
from wardround_python.dataflow.state import OUTSIDE, State

if TYPE_CHECKING:
    from wardround_python.dataflow.analysis import ModuleFlow
    from wardround_python.dataflow.classes import Instance

FROM_REQUEST: Value = {REQUEST: ALL}
FROM_HOST: Value = {REQUEST: SinkKind.HOST}
_KEPT = SinkKind.REDIRECT | SinkKind.URL | SinkKind.SQL | SinkKind.SHELL | SinkKind.CODE
FROM_PATH: Value = {
    REQUEST: SinkKind.HTML
    | SinkKind.TEMPLATE
    | SinkKind.SHELL
    | SinkKind.CODE
    | SinkKind.SQL
    | SinkKind.LDAP
    | SinkKind.XPATH
}
FROM_SENDER: Value = {REQUEST: ALL & ~(SinkKind.REDIRECT | SinkKind.URL | SinkKind.FIELDS | SinkKind.LOG)}
FROM_UPLOAD: Value = {
    UPLOAD: SinkKind.OBJECTS | SinkKind.CODE | SinkKind.TEMPLATE | SinkKind.SQL | SinkKind.SHELL
}

FROM_MODEL: Value = {
    MODEL: SinkKind.SQL | SinkKind.SHELL | SinkKind.CODE | SinkKind.TEMPLATE | SinkKind.OBJECTS
}

Clears = Mapping[str, SinkKind]


class Entered(NamedTuple):
    """Where a function is walked for one call of it alone.

    Attributes:
        call: the outermost call, in the module whose walk this is.
        teller: who is told of what is found.
        around: the functions that are being walked so, the outermost first.
    """

    call: ast.expr
    teller: ModuleFlow
    around: tuple[FunctionNode, ...]


@lru_cache(maxsize=1024)
def _expression(key: str) -> ast.expr | None:
    """The expression behind the text of a key."""
    try:
        return ast.parse(key, mode="eval").body
    except SyntaxError:
        return None


class Scope(ABC):
    """The state of one walk through one function, or through the statements of the module itself."""

    def __init__(self, owner: ModuleFlow, function: FunctionNode | None) -> None:
        self._owner = owner
        self._module = owner.module
        self._function = function
        self._values = State()
        self._made_of: dict[str, frozenset[str]] = {}
        self._tests: dict[str, tuple[ast.expr, frozenset[str]]] = {}
        self._record_ids: dict[str, frozenset[str]] = {}
        self._summary = Summary()
        self._depth = 0
        self._loops = 0
        self._tries = 0
        self._left = 0
        self._jumped: list[State] = []
        self._instances: dict[str, Instance] = {}
        self._fresh: dict[ast.Call, Instance | None] = {}
        self._walked_into: ast.Call | None = None
        self._answers: dict[ast.expr, Known] = {}
        self._pieces_given: list[KnownEntry] = []
        self._raised: Value = CLEAN
        self._where = owner.modules.stretch()
        self._entered: Entered | None = None
        self._returned: tuple[Known | None] | None = None
        self._class = owner.class_around(function) if function is not None else None
        self._in_view = function is not None and sources.is_view_method(owner.module, function)
        self._is_page_route = function is not None and (
            (sources.is_route(function) and self._answers_pages()) or sources.says_page(function)
        )

    @abstractmethod
    def value(self, node: ast.expr) -> Value:
        """What an expression carries; calls in it that reach a sink are noted on the way."""

    @abstractmethod
    def walk(self, body: Iterable[ast.stmt]) -> bool:
        """Walk statements; answers whether control leaves there."""

    @abstractmethod
    def _note_known(self, known: Known | None) -> None:
        """What is certain of the answer, as far as every ``return`` gives the same."""

    @abstractmethod
    def _instance(self, node: ast.expr) -> Instance | None:
        """The object an expression stands for, where its class is one of the project."""

    def _reach(self, danger: SinkKind, node: ast.expr, value: Value) -> None:
        self._reach_at((danger, node, self._module.path), value, None)

    def _reach_at(self, place: Place, value: Value, call: ast.expr | None) -> None:
        danger, node, path = place
        for origin, left in value.items():
            if not left & danger or origin.startswith(ENCODED):
                continue
            if origin.startswith(PARAMETER):
                self._summary.reaches.setdefault(origin.removeprefix(PARAMETER), {})[place] = None
            elif self._entered is not None:
                self._entered.teller.hit(danger, node, path, origin, call or self._entered.call)
            else:
                self._owner.hit(danger, node, path, origin, call)

    def _set(self, key: str, value: Value) -> None:
        """Give a name or attribute a value; what a method leaves in attributes, others will find there."""
        self._values[key] = value
        self._values.known.pop(key, None)
        for told in [one for one, (_, asked) in self._tests.items() if one == key or key in asked]:
            del self._tests[told]
        for told in [one for one, ids in self._record_ids.items() if one == key or key in ids]:
            del self._record_ids[told]
        if value and key.startswith("self.") and self._class is not None:
            name = key.removeprefix("self.").partition(".")[0].partition("[")[0]
            self._summary.stores[name] = join(self._summary.stores.get(name, CLEAN), value)
        elif value and self._function is not None and key in self._owner.nested.free(self._function):
            name = OUTSIDE + key
            self._summary.stores[name] = join(self._summary.stores.get(name, CLEAN), value)

    def _remember(self, key: str, value: Value) -> None:
        """Keep what goes into a session, or into a cookie, for whoever reads it later."""
        if value:
            name = f"session.{key}"
            self._summary.stores[name] = join(self._summary.stores.get(name, CLEAN), value)
        elif value and self._function is not None and key in self._owner.nested.free(self._function):
            name = OUTSIDE + key
            self._summary.stores[name] = join(self._summary.stores.get(name, CLEAN), value)

    def _remembered(self, key: str) -> Value:
        """What a session holds under a key, as far as this module puts it there."""
        return {f"{PARAMETER}session.{key}": _KEPT}

    def _add(self, key: str, value: Value) -> None:
        """Put something into what a name or attribute stands for."""
        known = self._values.known.get(key)
        self._set(key, join(self._known(key), value))
        if isinstance(known, Held):
            self._values.known[key] = known

    def _stretch(self) -> int:
        """Go on in code that need not run whenever the code before does; gives where that was."""
        before, self._where = self._where, self._owner.modules.stretch()
        return before

    def _makers(self, node: ast.expr) -> frozenset[str]:
        if isinstance(node, ast.Call):
            return frozenset({self._module.dotted(node.func) or ""})
        key = key_of(node)
        return self._owner.makers.get(key, frozenset()) if key is not None else frozenset()

    def _clear(self, cleared: Clears) -> None:
        parts = [key for key in self._values if not key.isidentifier()] if cleared else []
        for key, gone in cleared.items():
            for one in (
                key,
                *(part for part in parts if part.startswith((key + ".", key + "["))),
            ):
                self._values[one] = without(self._known(one), gone)

    def _known(self, key: str) -> Value:
        if key in self._values:
            return self._values[key]
        expression = _expression(key)
        return self.value(expression) if expression is not None else CLEAN

    def _keys(self, node: ast.expr) -> Iterable[str]:
        """The names by which the value of an expression is known, and those it was made of."""
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
            if node.func.attr not in sanitizers.KEEPING_METHODS:
                return ()
            node = node.func.value
        if isinstance(node, ast.Call) and last_name(node.func) in {
            "str",
            "repr",
            "Path",
            "realpath",
            "abspath",
        }:
            return self._keys(node.args[0]) if node.args else ()
        if isinstance(node, ast.NamedExpr):
            node = node.target
        if isinstance(node, ast.Await):
            return self._keys(node.value)
        key = key_of(node)
        if key is None:
            return ()
        found = [key]
        for one in found:
            found += sorted(self._made_of.get(one, frozenset()).difference(found))
            if len(found) > 20:
                break
        return [one for one in found if one not in {"request", "req", "self", "self.request"}]

    def _names(self, node: ast.expr) -> frozenset[str]:
        return frozenset(
            part.id for part in walk(node) if isinstance(part, ast.Name) and self._values.get(part.id)
        )

    def _text_of(self, node: ast.expr) -> str | None:
        """The text of a constant, or of a name that stands for one in this module."""
        if isinstance(node, ast.Name):
            return self._module.top_texts.get(node.id)
        return constant_text(node)

    def _answers_pages(self) -> bool:
        return not self._module.packages.isdisjoint({"flask", "quart", "bottle"})
