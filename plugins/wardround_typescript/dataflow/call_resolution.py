"""Which function of the project a call calls."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tree_sitter import Node

from wardround.checks.lazy import LazyPattern
from wardround.languages.script.code import returned
from wardround_typescript.dataflow.module_analysis import ModuleFlow
from wardround_typescript.dataflow.scope import FUNCTIONS, ClassScope, bare
from wardround_typescript.dataflow.state import State

if TYPE_CHECKING:
    from wardround_typescript.dataflow.modules import ScriptProgram

_ENDINGS = (".ts", ".tsx", ".js", "/index.ts", "/index.js", "", ".mts", ".mjs", ".jsx", ".cjs", "/index.tsx")
_WRITTEN_ENDING = LazyPattern(r"\.([mc]?)jsx?$")
_MOST_HOPS = 2

Found = tuple[ModuleFlow, Node]


class ScriptCallResolver:
    """Finds callees in the modules a program knows, and in those it may load for one call."""

    def __init__(self, program: ScriptProgram) -> None:
        self._program = program
        self._paths: dict[tuple[str, str], str | None] = {}
        self._may_load = False

    def of(self, at: State, call: Node, callee: Node, may_load: bool) -> Found | None:
        """The function that is called, and its module; ``may_load`` where it is worth another file."""
        self._may_load = may_load
        return self._callee(at, call, callee)

    def getter(self, at: State, owner: Node, name: str) -> Found | None:
        """The function that computes a property, of an object whose class is known."""
        self._may_load = False
        found = self._method(at, bare(owner), name)
        is_read = found is not None and any(one.type == "get" for one in found[1].children)
        return found if is_read else None

    def _callee(self, at: State, call: Node, callee: Node) -> Found | None:
        """The function of the project that is called, and the module it is in."""
        flow = at.owner
        scope = flow.scope
        if callee.type == "identifier":
            return self._by_name(flow, scope.module.of(callee), call)
        if callee.type not in {"member_expression", "subscript_expression"}:
            return None
        owner, name = callee.child_by_field_name("object"), at.property_of(callee)
        if owner is None or name is None:
            return None
        owner = bare(owner)
        if name in {"call", "apply"} and owner.type in {"identifier", "member_expression"}:
            return self._callee(at, call, owner)
        if owner.type == "this":
            cls = scope.class_of(owner)
            method = cls.methods.get(name.lstrip("#")) if cls is not None else None
            return (flow, method) if method is not None else None
        return self._method(at, owner, name)

    def _by_name(self, flow: ModuleFlow, name: str, call: Node) -> Found | None:
        scope = flow.scope
        found = scope.functions.get(name)
        if found is None and name in scope.classes:
            found = scope.classes[name].methods.get("constructor")
        if found is not None:
            return flow, found
        imported = scope.imports.get(name)
        if imported is None:
            return None
        return self._exported(
            flow.scope.module.path, imported.module, imported.name, call.type == "new_expression"
        )

    def _exported(self, path: str, spec: str, name: str, is_new: bool = False, hops: int = 0) -> Found | None:
        target = self._found(path, spec)
        other = self._module(target) if target is not None else None
        if other is None:
            return None
        node = other.scope.exported("default" if name == "*" else name)
        if node is None:
            passed = other.scope.re_exports.get(name)
            if passed is not None and hops < _MOST_HOPS and target is not None:
                return self._exported(target, passed.module, passed.name, is_new, hops + 1)
            return None
        if node.type in FUNCTIONS:
            return other, node
        cls = next((one for one in other.scope.classes.values() if one.node.id == node.id), None)
        method = cls.methods.get("constructor") if cls is not None else None
        return (other, method) if method is not None else None

    def _method(self, at: State, owner: Node, name: str) -> Found | None:
        scope = at.owner.scope
        kind = self._type_of(at, owner)
        made = self._made_by(at, owner) if not kind else None
        if kind or made is not None:
            found = self._class(at.owner, kind) if made is None else made
            method = found[1].methods.get(name) if found is not None else None
            return (found[0], method) if found is not None and method is not None else None
        imported = scope.imports.get(scope.module.of(owner)) if owner.type == "identifier" else None
        if imported is not None and imported.name in {"*", "default"}:
            return self._exported(scope.module.path, imported.module, name)
        value = scope.resolved(owner) if owner.type == "identifier" else owner
        if value.type == "object":
            inner = scope.property(value, name)
            node = scope.resolved(inner) if inner is not None else None
            return (at.owner, node) if node is not None and node.type in FUNCTIONS else None
        return self._by_its_name(scope.module.of(owner).rpartition(".")[2], name)

    def _by_its_name(self, owner: str, name: str) -> Found | None:
        """``avatarStore.put()`` is a method of the class ``AvatarStore`` where one is known."""
        wanted = owner.lstrip("_#").lower()
        for flow in self._program.flows:
            for cls in flow.scope.classes.values() if flow is not None else ():
                if cls.name.lower() == wanted and name in cls.methods and flow is not None:
                    return flow, cls.methods[name]
        return None

    def _type_of(self, at: State, owner: Node) -> str:
        text = at.module.of(owner)
        if text.startswith("this.") and "." not in text[5:]:
            cls = at.scope.class_of(owner)
            return cls.types.get(text[5:].lstrip("#"), "") if cls is not None else ""
        if owner.type == "identifier":
            kind = at.types.get(text, "")
            if kind and kind != "trpc":
                return kind
            owner = at.scope.resolved(owner)
        if owner.type == "new_expression":
            made = owner.child_by_field_name("constructor")
            return at.module.of(made) if made is not None else ""
        return ""

    def _made_by(self, at: State, owner: Node) -> tuple[ModuleFlow, ClassScope] | None:
        """The class whose object a function of the project gives: ``makeStore().read(x)``."""
        call = at.scope.resolved(owner)
        callee = call.child_by_field_name("function") if call.type == "call_expression" else None
        found = self._callee(at, call, callee) if callee is not None and callee.type == "identifier" else None
        for given in returned(found[1]) if found is not None else ():
            made = bare(given).child_by_field_name("constructor")
            if bare(given).type == "new_expression" and made is not None and found is not None:
                return self._class(found[0], found[0].scope.module.of(made))
        return None

    def _class(self, flow: ModuleFlow, name: str) -> tuple[ModuleFlow, ClassScope] | None:
        if name in flow.scope.classes:
            return flow, flow.scope.classes[name]
        imported = flow.scope.imports.get(name)
        target = self._found(flow.scope.module.path, imported.module) if imported is not None else None
        other = self._module(target) if target is not None else None
        if other is None or imported is None:
            return None
        wanted = name if imported.name == "default" else imported.name
        cls = other.scope.classes.get(wanted) or (
            next(iter(other.scope.classes.values()), None) if imported.name == "default" else None
        )
        return (other, cls) if cls is not None else None

    def _found(self, path: str, spec: str) -> str | None:
        """The path of a module of the project, as another imports it."""
        if (path, spec) not in self._paths:
            self._paths[path, spec] = next(
                (one for one in _candidates(path, spec) if self._program.has(one)),
                None,
            )
        return self._paths[path, spec]

    def _module(self, path: str) -> ModuleFlow | None:
        return self._program.module(path) if self._may_load else self._program.loaded(path)


def _candidates(path: str, spec: str) -> Iterator[str]:
    if spec.startswith("."):
        stems = [posixpath.normpath(posixpath.join(posixpath.dirname(path), spec))]
    elif spec.startswith(("@/", "~/")):
        package = path.partition("/src/")[0] + "/src" if "/src/" in path else ""
        stems = [
            one
            for one in (
                f"{package}/{spec[2:]}" if package else "",
                f"src/{spec[2:]}",
                spec[2:],
                f"app/{spec[2:]}",
            )
            if one
        ]
    else:
        return
    for stem in stems:
        if stem.startswith(".."):
            continue
        typed = _WRITTEN_ENDING.sub(r".\1ts", stem)
        if typed != stem:
            yield from (typed, stem)
        if not stem.endswith((".json", ".css")):
            yield from (stem + ending for ending in _ENDINGS)
