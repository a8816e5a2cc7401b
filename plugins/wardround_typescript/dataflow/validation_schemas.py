"""The labels of values that pass a schema of zod, yup, joi or valibot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from wardround.checks.lazy import LazyPattern
from wardround_typescript.dataflow.domain import INCOMING, NOTHING, TEXT, SinkKind
from wardround_typescript.dataflow.scope import ModuleScope

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


def chain(node: Node) -> Iterator[tuple[str, Node, Node]]:
    """The (method, call, what it is called on) of ``a.b(x).c(y)``, from the outermost in."""
    while node.type == "call_expression":
        function = node.child_by_field_name("function")
        if function is None or function.type != "member_expression":
            return
        name, owner = function.child_by_field_name("property"), function.child_by_field_name("object")
        if name is None or owner is None or name.text is None:
            return
        yield name.text.decode("utf-8", "replace"), node, owner
        node = owner


def kept(scope: ModuleScope, node: Node, depth: int = 0) -> SinkKind:
    """The dangers left in what a schema accepts; of one that cannot be seen those of any text."""
    if depth > _DEEPEST:
        return TEXT
    if node.type == "identifier":
        value = scope.constant(scope.module.of(node))
        return kept(scope, value, depth + 1) if value is not None else TEXT
    if node.type == "object":
        return _united(kept(scope, one, depth + 1) for _, one in pairs(scope, node))
    methods = list(chain(node))
    if not methods:
        return TEXT
    names = [name for name, _, _ in methods]
    _, call, owner = methods[-1]
    if _LIBRARIES.search(scope.module.of(owner).rpartition(".")[2]):
        known = _kept_by_methods(names)
        if known is None:
            known = _united(kept(scope, one, depth + 1) for one in _inner(call))
        return known
    if owner.type != "identifier":
        return TEXT
    if _LOOSE.intersection(names):
        return INCOMING
    return NOTHING if _HARMLESS.intersection(names) else kept(scope, owner, depth + 1)


def _kept_by_methods(names: Sequence[str]) -> SinkKind | None:
    """The dangers left by the methods of a schema, its base last; None where its parts decide."""
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
    return value is not None and bool(_LOOSE.intersection(name for name, _, _ in chain(value)))


def _inner(call: Node) -> list[Node]:
    arguments = call.child_by_field_name("arguments")
    found = []
    for one in arguments.named_children if arguments is not None else ():
        if one.type == "array":
            found += one.named_children
        elif one.type in {"object", "call_expression", "identifier"}:
            found.append(one)
    return found


def fields(scope: ModuleScope, node: Node, depth: int = 0) -> Mapping[str, SinkKind]:
    """The same for each field of an object's schema; empty where the fields cannot be seen."""
    if depth > _DEEPEST:
        return {}
    if node.type == "identifier":
        value = scope.constant(scope.module.of(node))
        return fields(scope, value, depth + 1) if value is not None else {}
    methods = list(chain(node))
    found: dict[str, SinkKind] = {}
    if not methods:
        return found
    if _LOOSE.intersection(name for name, _, _ in methods):
        return found
    for name, call, owner in reversed(methods):
        if name in {"object", "strictObject", "extend", "merge", "keys", "Object", "shape"}:
            for one in _inner(call):
                for key, value in pairs(scope, one):
                    found[key] = kept(scope, value, depth + 1)
        if owner.type == "identifier" and not _LIBRARIES.search(scope.module.of(owner)):
            found = {**fields(scope, owner, depth + 1), **found}
    return found


def pairs(scope: ModuleScope, node: Node) -> Iterator[tuple[str, Node]]:
    """The (key, value) of an object literal whose keys can be read."""
    for one in node.named_children if node.type == "object" else ():
        yield from pair(scope, one)


def pair(scope: ModuleScope, node: Node) -> Iterator[tuple[str, Node]]:
    """The (key, value) of one entry of an object literal, if its key can be read."""
    if node.type == "pair":
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        if key is not None and value is not None:
            yield scope.module.of(key).strip("'\"`"), value
    elif node.type == "shorthand_property_identifier":
        yield scope.module.of(node), node


def _united(found: Iterator[SinkKind]) -> SinkKind:
    union = NOTHING
    for one in found:
        union |= one
    return union
