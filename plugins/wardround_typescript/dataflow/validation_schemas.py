"""The labels of values that pass a schema of zod, yup, joi or valibot."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

from tree_sitter import Node

from wardround.lazy import LazyPattern
from wardround_typescript.dataflow.domain import INCOMING, NOTHING, TEXT, SinkKind
from wardround_typescript.dataflow.scope import ModuleScope
from wardround_typescript.syntax.nodes import child, is_kind, parts

_DEEPEST = 6
_LIBRARIES = LazyPattern(r"^(z|zod|yup|Joi|joi|v|t|Type|s|S|y|vine|schema|coerce|rt)$")
_KINDS: dict[str, SinkKind] = {
    **dict.fromkeys(("string", "text", "template", "templateLiteral"), TEXT),
    **dict.fromkeys(
        ["number", "int", "float", "boolean", "bool", "bigint", "date", "enum", "nativeEnum", "literal",
        "picklist", "uuid", "cuid", "cuid2", "ulid", "int32", "null", "undefined", "integer", "isoDate",
        "positive", "email", "guid", "nanoid", "Enum", "Literal", "Number", "Boolean", "Integer", "void",
        "never", "symbol"],
        NOTHING,
    ),
    **dict.fromkeys(["any", "unknown", "record", "map", "looseObject", "json", "instanceof", "custom",
    "mixed", "Any", "Unknown", "Record"], INCOMING),
    "url": SinkKind.URL | SinkKind.REDIRECT,
    "uri": SinkKind.URL | SinkKind.REDIRECT,
    "String": TEXT,
}  # fmt: skip
_HARMLESS = frozenset(
    [
        "uuid",
        "cuid",
        "cuid2",
        "ulid",
        "regex",
        "datetime",
        "date",
        "email",
        "ip",
        "ipv4",
        "cidr",
        "nanoid",
        "oneOf",
        "valid",
        "enum",
        "refine",
        "superRefine",
        "alphanum",
        "hex",
        "guid",
        "isoDate",
        "pattern",
        "matches",
        "matching",
        "token",
        "slug",
        "creditCard",
        "emoji",
        "int",
        "positive",
        "nonnegative",
        "number",
        "lowercase",
        "numeric",
        "base64url",
        "hexadecimal",
        "alphanumeric",
        "isIn",
        "check",
        "test",
        "includes",
    ]
)
_LOOSE = frozenset({"passthrough", "loose", "catchall", "unknown", "pattern_"})
PARSES = frozenset({"parse", "parseAsync", "validateSync", "validate", "cast", "decode", "assert",
"validateAsync", "attempt", "safeParse",
                    "safeParseAsync"})  # fmt: skip
SAFE = frozenset({"safeParse", "safeParseAsync"})
"""Parse methods whose result holds the parsed value under ``data``."""
NAMED_SCHEMA = LazyPattern(
    r"(?i)schema$|dto$|validator$|^(z|zod|v|joi|yup)\w*|shape$|input$|body$|params$|query$|form$|settings$"
)
_SHAPES = frozenset({"object", "strictObject", "extend", "merge", "keys", "Object", "shape"})
"""Methods whose arguments declare fields."""


def chain(node: Node) -> Iterator[tuple[str, Node, Node]]:
    """Yield the (method, call, receiver) of ``a.b(x).c(y)``, outermost first."""
    while node.type == "call_expression":
        function = node.child_by_field_name("function")
        if not is_kind(function, "member_expression"):
            return
        name, owner = child(function, "property"), child(function, "object")
        if name is None or owner is None or name.text is None:
            return
        yield name.text.decode("utf-8", "replace"), node, owner
        node = owner


def remaining_dangers(scope: ModuleScope, node: Node, depth: int = 0) -> SinkKind:
    """Return the dangers that values accepted by a schema may have; for an unknown schema those of any
    string.
    """
    if depth > _DEEPEST:
        return TEXT
    match node.type:
        case "identifier":
            value = scope.constant(scope.module.of(node))
            return remaining_dangers(scope, value, depth + 1) if value is not None else TEXT
        case "object":
            return _unite(remaining_dangers(scope, value, depth + 1) for _, value in pairs(scope, node))
    methods = list(chain(node))
    if not methods:
        return TEXT
    names = [name for name, _, _ in methods]
    _, call, owner = methods[-1]
    if _is_library(scope, owner):
        return _dangers_left_by_library(scope, call, names, depth)
    return _dangers_left_by_name(scope, owner, names, depth)


def _is_library(scope: ModuleScope, owner: Node) -> bool:
    return _LIBRARIES.search(scope.module.of(owner).rpartition(".")[2]) is not None


def _dangers_left_by_library(scope: ModuleScope, call: Node, names: Sequence[str], depth: int) -> SinkKind:
    known = _dangers_left_by_methods(names)
    if known is not None:
        return known
    return _unite(remaining_dangers(scope, schema, depth + 1) for schema in _inner(call))


def _dangers_left_by_name(scope: ModuleScope, schema: Node, names: Sequence[str], depth: int) -> SinkKind:
    """Return the dangers left by the methods of a schema that has a name."""
    if schema.type != "identifier":
        return TEXT
    if not _LOOSE.isdisjoint(names):
        return INCOMING
    return remaining_dangers(scope, schema, depth + 1) if _HARMLESS.isdisjoint(names) else NOTHING


def _dangers_left_by_methods(names: Sequence[str]) -> SinkKind | None:
    """Return the dangers that the methods of a schema leave, its base last; None if its fields determine
    them.
    """
    if _LOOSE.intersection(names):
        return INCOMING
    if _HARMLESS.intersection(names[:-1]):
        return NOTHING
    if {"url", "uri"}.intersection(names[:-1]):
        return SinkKind.URL | SinkKind.REDIRECT
    return _KINDS.get(names[-1])


def is_loose(scope: ModuleScope, node: Node) -> bool:
    """Return True if a schema accepts keys that it does not declare."""
    value = scope.constant(scope.module.of(node)) if node.type == "identifier" else node
    return value is not None and any(name in _LOOSE for name, _, _ in chain(value))


def _inner(call: Node) -> list[Node]:
    """Return the schemas among the arguments of a method, or in a list."""
    found = []
    for argument in parts(child(call, "arguments")):
        match argument.type:
            case "array":
                found += argument.named_children
            case "object" | "call_expression" | "identifier":
                found.append(argument)
    return found


def fields(scope: ModuleScope, node: Node, depth: int = 0) -> Mapping[str, SinkKind]:
    """Return the dangers left in each field of an object's schema; empty where the fields are unknown."""
    if depth > _DEEPEST:
        return {}
    if node.type == "identifier":
        value = scope.constant(scope.module.of(node))
        return fields(scope, value, depth + 1) if value is not None else {}
    methods = list(chain(node))
    if any(name in _LOOSE for name, _, _ in methods):
        return {}
    found: dict[str, SinkKind] = {}
    for name, call, owner in reversed(methods):
        if name in _SHAPES:
            found.update(_declared_fields(scope, call, depth))
        if owner.type == "identifier" and not _LIBRARIES.search(scope.module.of(owner)):
            found = {**fields(scope, owner, depth + 1), **found}
    return found


def _declared_fields(scope: ModuleScope, call: Node, depth: int) -> Iterator[tuple[str, SinkKind]]:
    for shape in _inner(call):
        for key, value in pairs(scope, shape):
            yield key, remaining_dangers(scope, value, depth + 1)


def pairs(scope: ModuleScope, node: Node) -> Iterator[tuple[str, Node]]:
    """Yield the (key, value) of an object literal whose keys can be read."""
    for entry in node.named_children if node.type == "object" else ():
        yield from pair(scope, entry)


def pair(scope: ModuleScope, node: Node) -> Iterator[tuple[str, Node]]:
    """Yield the (key, value) of one entry of an object literal, if its key is constant."""
    match node.type:
        case "pair":
            key, value = child(node, "key"), child(node, "value")
            if key is not None and value is not None:
                yield scope.module.of(key).strip("'\"`"), value
        case "shorthand_property_identifier":
            yield scope.module.of(node), node


def _unite(found: Iterator[SinkKind]) -> SinkKind:
    return reduce(operator.or_, found, NOTHING)
