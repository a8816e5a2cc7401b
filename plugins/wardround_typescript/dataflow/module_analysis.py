"""One module, and what was found in its functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from tree_sitter import Node

from wardround.checks.lazy import LazyPattern
from wardround_typescript.dataflow import sinks, sources
from wardround_typescript.dataflow.arguments import Given
from wardround_typescript.dataflow.domain import (
    BEHIND,
    CLEAN,
    FIELD,
    FIELDS_KNOWN,
    KEYS,
    PARAMETER,
    SinkKind,
    Value,
    all_of,
    parameter_of,
    sources_of,
    united,
)
from wardround_typescript.dataflow.function_analysis import FunctionFlow
from wardround_typescript.dataflow.scope import FUNCTIONS, ClassScope, ModuleScope, bare

if TYPE_CHECKING:
    from wardround_typescript.dataflow.modules import ScriptProgram

_DEEPEST_CALL = 40
_PROGRAM = LazyPattern(
    r"['\"](commander|yargs|cac|@commander-js/\S+|sade|oclif|@oclif/core|minimist|meow|citty)['\"]"
)
_SOCKETS = LazyPattern(
    r"socket\.io|['\"]ws['\"]|WebSocket|uWebSockets|@fastify/websocket|express-ws|sockjs|['\"]net['\"]"
    r"|node:net|\bio\.on\(\s*['\"]connection"
)
_UPLOADS = LazyPattern(
    r"multer|busboy|formidable|multiparty|@fastify/multipart|fastify-multipart|multipart|koa-body"
    r"|graphql-upload"
)
_QUERIES = LazyPattern(r"(Query|Mutation)\s*:\s*\{|@Resolver|resolvers")
_OLD_YAML = LazyPattern(r'"js-yaml"\s*:\s*"[~^]?[0-3]\.')
_RECORDS = LazyPattern(r"mongoose|sequelize|typeorm|[mM]odel|objection|bookshelf|waterline|entit(y|ies)", 2)
_MODELS = LazyPattern(r"models?/|[mM]odel['\"]")
_OTHER_STORES = LazyPattern(r"(?i)sequelize|typeorm|prisma|knex|objection|drizzle|Repository|mikro-orm")


class ModuleFlow:
    """One module, and what was found in its functions."""

    def __init__(self, program: ScriptProgram, scope: ModuleScope) -> None:
        self.program = program
        self.scope = scope
        self.returns: dict[int, Value] = {}
        self.shapes: dict[int, Mapping[str, Value]] = {}
        self._fields: dict[tuple[str, str], Value] = {}
        self._open: set[int] = set()
        self._depth = 0

    def run(self) -> None:
        """Walk the whole module."""
        with suppress(RecursionError):  # nested past what the interpreter itself can walk
            FunctionFlow(self, None).walk(self.scope.module.root.named_children)

    def enter(self) -> bool:
        self._depth += 1
        if self._depth > _DEEPEST_CALL:
            self._depth -= 1
            return False
        return True

    def leave(self) -> None:
        self._depth -= 1

    def finished(self, node: Node, returned: Value) -> Value:
        self.returns[node.id] = all_of([self.returns.get(node.id, CLEAN), returned])
        return returned

    def called(self, function: Node, given: Sequence[Given], at: Node, path: str) -> Value:
        """Hand values to the parameters of a function of this module; what it gives for them."""
        if function.id not in self.returns and function.id not in self._open:
            self._open.add(function.id)
            with suppress(RecursionError):
                FunctionFlow(self, None).run_function(function)
            self._open.discard(function.id)
        names = self._names(function)
        handed = self._handed(function, names, given)
        for name, value in handed.items():
            self.program.hand(name, value, at, path)
        return _put_in(self.returns.get(function.id, CLEAN), handed, names)

    def returned_fields(self, function: Node, given: Sequence[Given]) -> Mapping[str, Value]:
        """What the fields carry of what a function gives; empty where they are not written out."""
        shape = self.shapes.get(function.id)
        if not shape:
            return {}
        names = self._names(function)
        handed = self._handed(function, names, given)
        return {name: _put_in(value, handed, names) for name, value in shape.items()}

    def _handed(self, function: Node, names: Sequence[str], given: Sequence[Given]) -> dict[str, Value]:
        handed: dict[str, Value] = {}
        for index, one in enumerate(given):
            if one.value and names:
                self._hand(handed, self._taking(function, names, index, one.is_spread), one)
        return handed

    def _hand(self, handed: dict[str, Value], names: Sequence[str], one: Given) -> None:
        for name in names:
            whole = name if one.fields is None else name + FIELDS_KNOWN
            handed[whole] = united(handed.get(whole, CLEAN), one.value)
            for field, value in (one.fields or {}).items():
                handed[name + FIELD + field] = united(handed.get(name + FIELD + field, CLEAN), value)

    def _taking(self, function: Node, names: Sequence[str], index: int, is_spread: bool) -> Sequence[str]:
        """The parameters that take an argument: the one at its place, or a rest of them."""
        if is_spread:
            return names[index:] or names[-1:]
        if index < len(names):
            return names[index : index + 1]
        last = FunctionFlow(self, function).listed()[-1]
        is_rest = (last.child_by_field_name("pattern") or last).type == "rest_pattern"
        return names[-1:] if is_rest else ()

    @cached_property
    def public(self) -> Mapping[Node, str]:
        """The functions that other modules can call: exported ones, and methods of classes."""
        found: dict[Node, str] = {}
        for name in [*self.scope.exports, *self.scope.exported_names]:
            node = self.scope.exported(name)
            if node is not None and node.type in FUNCTIONS:
                found[node] = self.name_of(node) or name
        for one in self.scope.classes.values():
            found.update(
                {node: one.name if name == "constructor" else name for name, node in one.methods.items()}
            )
        return found

    def parameters_of(self, function: Node) -> list[str]:
        """The origins that stand for the parameters of a function."""
        return self._names(function)

    def _names(self, function: Node) -> list[str]:
        count = len(FunctionFlow(self, function).listed())
        return [f"{PARAMETER}{self.scope.module.path}:{function.start_byte}:{at}" for at in range(count)]

    def field(self, owner: ClassScope | None, name: str) -> Value:
        return self._fields.get((owner.name, name), CLEAN) if owner is not None else CLEAN

    def set_field(self, owner: ClassScope | None, name: str, value: Value) -> None:
        if owner is not None and value:
            self._fields[owner.name, name] = all_of([self._fields.get((owner.name, name), CLEAN), value])

    def is_named(self, function: Node) -> bool:
        """Whether calls elsewhere can say what its parameters are given."""
        return function.id in self._named

    def name_of(self, function: Node) -> str:
        return self._named.get(function.id, "")

    @cached_property
    def _named(self) -> Mapping[int, str]:
        found = {node.id: name for name, node in self.scope.functions.items()}
        for name, node in self.scope.exports.items():
            if node.type in FUNCTIONS:
                found.setdefault(node.id, name)
        for one in self.scope.classes.values():
            found.update({node.id: name for name, node in one.methods.items()})
        for value in self.scope.declared.values():
            core = bare(value) if value is not None else None
            for name, node in (
                _methods(self.scope, core) if core is not None and core.type == "object" else ()
            ):
                found.setdefault(node.id, name)
        return found

    def name_of_around(self, function: Node | None) -> str:
        """The name of the function that is walked; empty outside of all."""
        return self.name_of(function) if function is not None else ""

    def route_names(self, function: Node, name: str) -> Iterator[tuple[str, Value]]:
        return sources.route_parameters(self.scope.module, function, name)

    # What kind of module it is.

    def _holds(self, pattern: LazyPattern) -> bool:
        return pattern.search(self.scope.module.text) is not None

    @cached_property
    def is_program(self) -> bool:
        return self._holds(_PROGRAM)

    @cached_property
    def is_hapi(self) -> bool:
        return "@hapi/" in self.scope.module.text or "server.route(" in self.scope.module.text

    @cached_property
    def serves_sockets(self) -> bool:
        return self._holds(_SOCKETS)

    @cached_property
    def takes_uploads(self) -> bool:
        return self._holds(_UPLOADS)

    @cached_property
    def resolves_queries(self) -> bool:
        return self._holds(_QUERIES)

    @cached_property
    def reads_archives(self) -> bool:
        return self._holds(sinks.ARCHIVES)

    @cached_property
    def uses_mongo(self) -> bool:
        return self._holds(sinks.MONGO) or (self._holds(_MODELS) and not self._holds(_OTHER_STORES))

    @cached_property
    def builds_queries(self) -> bool:
        return self._holds(sinks.TYPEORM)

    @cached_property
    def keeps_records(self) -> bool:
        return self._holds(_RECORDS)

    @cached_property
    def writes_lines(self) -> bool:
        return "\\r\\n" in self.scope.module.text

    @cached_property
    def is_nitro(self) -> bool:
        return "defineEventHandler" in self.scope.module.text or "eventHandler" in self.scope.module.text

    @cached_property
    def has_unsafe_yaml(self) -> bool:
        text = self.program.project.read("package.json") or ""
        return _OLD_YAML.search(text) is not None or "DEFAULT_FULL_SCHEMA" in self.scope.module.text

    @cached_property
    def tests(self) -> Mapping[str, Node]:
        """Names that stand for the answer of a test: ``const isKnown = LIST.includes(x)``."""
        found = {}
        for name, value in self.scope.declared.items():
            core = bare(value) if value is not None else None
            if core is not None and core.type in {"call_expression", "binary_expression", "unary_expression"}:
                found[name] = core
        return found


def _methods(scope: ModuleScope, node: Node) -> Iterator[tuple[str, Node]]:
    """The (name, function) pairs of an object literal."""
    for one in node.named_children:
        name = one.child_by_field_name("name" if one.type == "method_definition" else "key")
        held = one if one.type == "method_definition" else one.child_by_field_name("value")
        if name is not None and held is not None and held.type in FUNCTIONS:
            yield scope.module.of(name).strip("'\"`"), held


def _put_in(returned: Value, handed: Mapping[str, Value], names: Sequence[str]) -> Value:
    """What a function returns, with what its parameters were handed in their place."""
    found: list[Value] = []
    for origin, left in returned.items():
        if parameter_of(origin) not in names:
            found.append({origin: left})
            continue
        for one, carried in all_of(handed.get(name, CLEAN) for name in sources_of(origin)).items():
            if origin.endswith(KEYS) and not carried & SinkKind.FIELDS:
                continue
            kept = carried & left
            for placed, behind in BEHIND.items():
                if left & placed and carried & behind:
                    kept |= placed
            if kept:
                found.append({one: kept})
    return all_of(found)
