"""The resolution of calls to functions of the project."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from tree_sitter import Node

from wardround.languages.script.code import returned_expressions
from wardround.lazy import LazyPattern
from wardround.semantics.dataflow.domain import PARAMETER
from wardround_typescript.dataflow.arguments import Argument
from wardround_typescript.dataflow.declarations import ClassScope
from wardround_typescript.dataflow.domain import Taint
from wardround_typescript.dataflow.nodes import FUNCTIONS, bare, field_text
from wardround_typescript.dataflow.scope import ModuleScope
from wardround_typescript.dataflow.state import FlowState
from wardround_typescript.syntax.nodes import is_kind

_SUFFIXES = (".ts", ".tsx", ".js", "/index.ts", "/index.js", "", ".mts", ".mjs", ".jsx", ".cjs", "/index.tsx")
_SCRIPT_SUFFIX = LazyPattern(r"\.([mc]?)jsx?$")
_MAX_HOPS = 2


class AnalysedModule(Protocol):
    """A module whose functions can be called."""

    @property
    def scope(self) -> ModuleScope:
        """The declarations of the module."""

    def call(self, function: Node, arguments: Sequence[Argument], at: Node, path: str) -> Taint:
        """Return the result of a function; ``at`` is the call, in the module at ``path``."""

    def returned_fields(self, function: Node, arguments: Sequence[Argument]) -> Mapping[str, Taint]:
        """Return the values of the fields of the result; empty where they are unknown."""


class AnalysedProgram(Protocol):
    """The modules in which callees are resolved."""

    @property
    def modules(self) -> Sequence[AnalysedModule]:
        """The analysed modules, in the order in which they were requested."""

    def module(self, path: str) -> AnalysedModule | None:
        """Analyse the module at a path; None if it cannot be analysed."""

    def analysed_module(self, path: str) -> AnalysedModule | None:
        """Return a module that is already analysed."""

    def exists(self, path: str) -> bool:
        """Return True if the project has a module at a path."""

    def is_main(self, module: AnalysedModule) -> bool:
        """Return True for the module that was analysed first."""


class Callee(NamedTuple):
    """A function of the project that a call resolves to."""

    module: AnalysedModule
    function: Node

    def call(self, arguments: Sequence[Argument], at: Node, path: str) -> Taint:
        """Return the result of a call, at a node of the module at ``path``."""
        return self.module.call(self.function, arguments, at, path)

    def returned_fields(self, arguments: Sequence[Argument]) -> Mapping[str, Taint]:
        """Return the values of the fields of the result; empty where they are unknown."""
        return self.module.returned_fields(self.function, arguments)


class CallTargets:
    """The callees of the calls of one module."""

    __slots__ = ("_module", "_resolver")

    def __init__(self, resolver: CallResolver, module: AnalysedModule) -> None:
        self._resolver = resolver
        self._module = module

    def callee(self, state: FlowState, call: Node, callee: Node, values: Sequence[Taint]) -> Callee | None:
        """The function of the project that is called; another module is analysed only for a tainted value."""
        is_tainted = any(not origin.startswith(PARAMETER) for value in values for origin in value)
        return self._resolver.callee(self._module, state, call, callee, may_load=is_tainted)

    def read_getter(self, state: FlowState, owner: Node, name: str) -> Taint | None:
        """Return the value of a property that a getter computes; None for any other property."""
        getter = self._resolver.getter(self._module, state, owner, name)
        return getter.call((), owner, state.module.path) if getter is not None else None


class CallResolver:
    """Finds callees in the analysed modules, and in modules that it may load for one call."""

    def __init__(self, program: AnalysedProgram) -> None:
        self._program = program
        self._paths: dict[tuple[str, str], str | None] = {}
        self._may_load = False

    def callee(
        self, module: AnalysedModule, state: FlowState, call: Node, callee: Node, *, may_load: bool
    ) -> Callee | None:
        """Return the function of the project that is called.

        ``may_load``: another module may be analysed if the call is in the main module.
        """
        self._may_load = may_load and self._program.is_main(module)
        return self._callee(module, state, call, callee)

    def getter(self, module: AnalysedModule, state: FlowState, owner: Node, name: str) -> Callee | None:
        """Return the getter of a property of an object whose class is known."""
        self._may_load = False
        found = self._method(module, state, bare(owner), name)
        if found is None:
            return None
        return found if any(part.type == "get" for part in found.function.children) else None

    def _callee(self, module: AnalysedModule, state: FlowState, call: Node, callee: Node) -> Callee | None:
        scope = module.scope
        if callee.type == "identifier":
            return self._function(module, scope.module.of(callee), call)
        if callee.type not in {"member_expression", "subscript_expression"}:
            return None
        owner, name = callee.child_by_field_name("object"), state.property_name(callee)
        if owner is None or name is None:
            return None
        owner = bare(owner)
        if name in {"call", "apply"} and owner.type in {"identifier", "member_expression"}:
            return self._callee(module, state, call, owner)
        if owner.type == "this":
            return _method_of(module, scope.class_of(owner), name.lstrip("#"))
        return self._method(module, state, owner, name)

    def _function(self, module: AnalysedModule, name: str, call: Node) -> Callee | None:
        scope = module.scope
        found = scope.functions.get(name)
        if found is None and name in scope.classes:
            found = scope.classes[name].methods.get("constructor")
        if found is not None:
            return Callee(module, found)
        imported = scope.imports.get(name)
        if imported is None:
            return None
        return self._resolve_export(scope.module.path, imported.module, imported.name)

    def _resolve_export(self, path: str, spec: str, name: str, hops: int = 0) -> Callee | None:
        """Return the function that the module at ``path`` imports under a name."""
        target = self._path_of(path, spec)
        module = self._module(target) if target is not None else None
        if module is None or target is None:
            return None
        node = module.scope.find_export("default" if name == "*" else name)
        if node is not None:
            return _callable(module, node)
        forwarded = module.scope.re_exports.get(name)
        if forwarded is None or hops >= _MAX_HOPS:
            return None
        return self._resolve_export(target, forwarded.module, forwarded.name, hops + 1)

    def _method(self, module: AnalysedModule, state: FlowState, owner: Node, name: str) -> Callee | None:
        scope = module.scope
        type_name = self._type_of(state, owner)
        found = self._class(module, type_name) if type_name else self._returned_class(module, state, owner)
        if type_name or found is not None:
            return _method_of(found[0], found[1], name) if found is not None else None
        is_name = owner.type == "identifier"
        imported = scope.imports.get(scope.module.of(owner)) if is_name else None
        if imported is not None and imported.name in {"*", "default"}:
            return self._resolve_export(scope.module.path, imported.module, name)
        literal = scope.resolve(owner) if is_name else owner
        if literal.type == "object":
            return _function_property(module, literal, name)
        return self._method_by_name(scope.module.of(owner).rpartition(".")[2], name)

    def _method_by_name(self, owner: str, name: str) -> Callee | None:
        """``avatarStore.put()`` is a method of the class ``AvatarStore`` where one is known."""
        class_name = owner.lstrip("_#").lower()
        for module in self._program.modules:
            for known in module.scope.classes.values():
                if known.name.lower() == class_name and name in known.methods:
                    return Callee(module, known.methods[name])
        return None

    def _type_of(self, state: FlowState, owner: Node) -> str:
        """Return the name of the class of an object; empty if it is unknown."""
        text = state.module.of(owner)
        if text.startswith("this.") and "." not in text[5:]:
            around = state.scope.class_of(owner)
            return around.types.get(text[5:].lstrip("#"), "") if around is not None else ""
        if owner.type == "identifier":
            declared = state.types.get(text, "")
            if declared not in {"", "trpc"}:
                return declared
            owner = state.scope.resolve(owner)
        return _created_class(state.scope, owner)

    def _returned_class(
        self, module: AnalysedModule, state: FlowState, owner: Node
    ) -> tuple[AnalysedModule, ClassScope] | None:
        """Return the class of the object that a function of the project returns: ``makeStore().read(x)``."""
        call = state.scope.resolve(owner)
        callee = call.child_by_field_name("function") if call.type == "call_expression" else None
        if not is_kind(callee, "identifier"):
            return None
        found = self._callee(module, state, call, callee)
        if found is None:
            return None
        scope = found.module.scope
        created = (_created_class(scope, bare(value)) for value in returned_expressions(found.function))
        name = next(filter(None, created), "")
        return self._class(found.module, name) if name else None

    def _class(self, module: AnalysedModule, name: str) -> tuple[AnalysedModule, ClassScope] | None:
        """Return the class of a name, of the module or imported by it."""
        if name in module.scope.classes:
            return module, module.scope.classes[name]
        imported = module.scope.imports.get(name)
        if imported is None:
            return None
        target = self._path_of(module.scope.module.path, imported.module)
        other = self._module(target) if target is not None else None
        if other is None:
            return None
        is_default = imported.name == "default"
        found = other.scope.classes.get(name if is_default else imported.name)
        if found is None and is_default:
            found = next(iter(other.scope.classes.values()), None)
        return (other, found) if found is not None else None

    def _path_of(self, path: str, spec: str) -> str | None:
        """Return the path of a module of the project, as the module at ``path`` imports it."""
        if (path, spec) not in self._paths:
            found = filter(self._program.exists, _candidates(path, spec))
            self._paths[path, spec] = next(found, None)
        return self._paths[path, spec]

    def _module(self, path: str) -> AnalysedModule | None:
        return self._program.module(path) if self._may_load else self._program.analysed_module(path)


def _callable(module: AnalysedModule, node: Node) -> Callee | None:
    """Return the function that an exported value is, or the constructor of a class."""
    if node.type in FUNCTIONS:
        return Callee(module, node)
    owners = module.scope.classes.values()
    owner = next((owner for owner in owners if owner.node.id == node.id), None)
    return _method_of(module, owner, "constructor")


def _created_class(scope: ModuleScope, value: Node) -> str:
    """Return the name of the class in ``new Store()``; empty for other expressions."""
    return field_text(scope.module, value, "constructor") if value.type == "new_expression" else ""


def _method_of(module: AnalysedModule, owner: ClassScope | None, name: str) -> Callee | None:
    method = owner.methods.get(name) if owner is not None else None
    return Callee(module, method) if method is not None else None


def _candidates(path: str, spec: str) -> Iterator[str]:
    """Yield the paths at which an imported module may be, in the order of their preference."""
    for stem in _stems(path, spec):
        if stem.startswith(".."):
            continue
        typed = _SCRIPT_SUFFIX.sub(r".\1ts", stem)
        if typed != stem:
            yield from (typed, stem)
        if not stem.endswith((".json", ".css")):
            yield from (stem + suffix for suffix in _SUFFIXES)


def _stems(path: str, spec: str) -> Iterator[str]:
    if spec.startswith("."):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(path), spec))
    elif spec.startswith(("@/", "~/")):
        if "/src/" in path:
            yield f"{path.partition('/src/')[0]}/src/{spec[2:]}"
        yield f"src/{spec[2:]}"
        if spec[2:]:
            yield spec[2:]
        yield f"app/{spec[2:]}"


def _function_property(module: AnalysedModule, literal: Node, name: str) -> Callee | None:
    scope = module.scope
    value = scope.property(literal, name)
    node = scope.resolve(value) if value is not None else None
    return Callee(module, node) if node is not None and node.type in FUNCTIONS else None
