"""Exports of a module."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import msgspec

from wardround.languages.script.syntax import Node, ScriptModule, inside, parse_script
from wardround.lazy import LazyPattern
from wardround_typescript.analysis.modules import Modules
from wardround_typescript.syntax.nodes import first_part, is_kind

_UNKNOWN = LazyPattern(
    r"\bmodule\.exports\b|\bexports\.\w|\bexports\[|(?m:^export\s*=)|Object\.assign\(exports"
    r"|@(?:typedef|callback|enum)\b"
)
"""Signs of exports without an ``export`` statement: CommonJS, and JSDoc types."""
_MOST_HOPS = 3
_MODULES_KEPT = 64
_WITHOUT_EXPORTS = (".vue", ".svelte", ".json")
"""Suffixes of modules whose exports are not written as such."""


class Exports(msgspec.Struct, frozen=True):
    """The exports of a module.

    Attributes:
        names: the exported names with their lines; ``default`` is one of them.
        stars: the modules that it re-exports completely.
        is_unknown: it may have exports without an ``export`` statement.
        has_error: the parser could not parse all of it.
    """

    names: Mapping[str, int]
    stars: Sequence[str]
    is_unknown: bool
    has_error: bool

    def may_have(self, name: str, text: str) -> bool:
        """Return True if the module may export a name that is not among its names."""
        if self.is_unknown or not (self.names or self.stars):
            return True
        return self.has_error and name in text


@lru_cache(maxsize=_MODULES_KEPT)
def exports_of(path: str, text: str) -> Exports:
    module = parse_script(path, text)
    names: dict[str, int] = {}
    stars: list[str] = []
    for statement in module.root.named_children:
        if statement.type != "export_statement":
            continue
        stars += _star_sources(module, statement)
        line = module.place(statement)[0]
        for name in _exported_names(module, statement):
            names.setdefault(name, line)
    return Exports(names, stars, _UNKNOWN.search(text) is not None, module.root.has_error)


def _star_sources(module: ScriptModule, statement: Node) -> Iterator[str]:
    """Yield the module of ``export * from "./a"``."""
    source = statement.child_by_field_name("source")
    if source is not None and _has_token(statement, "*"):
        yield unquote(module, source)


def _has_token(node: Node, token: str) -> bool:
    return any(part.type == token for part in node.children)


def _exported_names(module: ScriptModule, statement: Node) -> Iterator[str]:
    is_default = _has_token(statement, "default")
    if is_default:
        yield "default"
    for part in statement.named_children:
        match part.type:
            case "export_clause":
                yield from _specifier_names(module, part)
            case "namespace_export":
                yield from map(module.of, part.named_children)
            case _ if not is_default:
                yield from declared_names(module, part)


def _specifier_names(module: ScriptModule, clause: Node) -> Iterator[str]:
    """Yield the names of ``export { a, b as c }``."""
    for specifier in clause.named_children:
        name = specifier.child_by_field_name("alias") or specifier.child_by_field_name("name")
        if name is not None:
            yield module.of(name)


def declared_names(module: ScriptModule, node: Node) -> Iterator[str]:
    """Yield the names that a declaration binds."""
    match node.type:
        case "ambient_declaration":
            for declaration in node.named_children:
                yield from declared_names(module, declaration)
        case "lexical_declaration" | "variable_declaration":
            for declarator in node.named_children:
                yield from _bound_names(module, declarator.child_by_field_name("name"))
        case _:
            name = node.child_by_field_name("name")
            if name is not None:
                yield module.of(name)


def _bound_names(module: ScriptModule, pattern: Node | None) -> Iterator[str]:
    """Yield the names that a pattern binds."""
    if pattern is None:
        return
    match pattern.type:
        case "identifier" | "shorthand_property_identifier_pattern":
            yield module.of(pattern)
        case "pair_pattern":
            yield from _bound_names(module, pattern.child_by_field_name("value"))
        case "assignment_pattern" | "object_assignment_pattern":
            yield from _bound_names(module, pattern.child_by_field_name("left"))
        case _:
            for part in pattern.named_children:
                yield from _bound_names(module, part)


def unquote(module: ScriptModule, node: Node) -> str:
    return module.of(node)[1:-1]


def provides_name(path: str, name: str, modules: Modules, hops: int = _MOST_HOPS) -> bool | None:
    """Return True if a module exports a name, False if it does not, None if that is unknown."""
    text = modules.project.read(path)
    if text is None or path.endswith(_WITHOUT_EXPORTS):
        return None
    exports = exports_of(path, text)
    if name in exports.names:
        return True
    if path.endswith(".d.ts"):  # a declaration file may declare less than the script next to it exports
        return None
    if exports.may_have(name, text):
        return None
    if name == "default":  # export * omits the default export
        return False
    return _provided_by_stars(path, exports.stars, name, modules, hops)


def _provided_by_stars(
    path: str, stars: Iterable[str], name: str, modules: Modules, hops: int
) -> bool | None:
    is_uncertain = False
    for spec in stars:
        target = modules.resolve(path, spec)
        found = provides_name(target, name, modules, hops - 1) if target and hops else None
        if found:
            return True
        is_uncertain = is_uncertain or found is None
    return None if is_uncertain else False


def string_arguments(module: ScriptModule, names: Sequence[str]) -> Iterator[tuple[Node, str]]:
    """Yield the calls of some functions with one string literal: ``import("./a")``, ``require("./a")``."""
    for node in inside(module.root):
        if node.type != "call_expression" or _callee(module, node) not in names:
            continue
        first = first_part(node.child_by_field_name("arguments"))
        if is_kind(first, "string"):
            yield node, unquote(module, first)


def _callee(module: ScriptModule, call: Node) -> str:
    called = call.child_by_field_name("function")
    return module.of(called) if called is not None else ""
