"""JSON schemas of structs for editors: each key with the description that the docstring of its struct has."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import inspect as types

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ATTRIBUTES = "Attributes:"
_INDENT = "    "


class StructSchemas(msgspec.Struct, frozen=True):
    """Schemas of some structs.

    Attributes:
        roots: struct -> its schema, a reference or an object.
        definitions: the schemas that references name, below ``$defs``.
    """

    roots: Mapping[type, dict[str, Any]]
    definitions: Mapping[str, dict[str, Any]]


def struct_schemas(
    kinds: Sequence[type[msgspec.Struct]], shared: Mapping[str, str] | None = None
) -> StructSchemas:
    """Return the schemas of structs and of those that they contain.

    Args:
        shared: attribute -> its text in the structs whose docstring has none.
    """
    schemas, definitions = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    classes: dict[str, type[msgspec.Struct]] = {}
    for kind in kinds:
        _collect_classes(types.type_info(kind), classes)
    described = {
        name: _describe(schema, classes[name], shared or {}) if name in classes else schema
        for name, schema in definitions.items()
    }
    return StructSchemas(dict(zip(kinds, schemas, strict=True)), described)


def document_text(title: str, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """Return a schema with its definitions as indented JSON."""
    document = {"$schema": DIALECT, "title": title, **schema, "$defs": definitions}
    return msgspec.json.format(msgspec.json.encode(document, order="sorted")).decode() + "\n"


def attribute_texts(kind: type) -> dict[str, str]:
    """Return attribute -> its text in the docstrings of a class and its bases."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        found |= dict(_attributes(inspect.cleandoc(base.__doc__ or "")))
    return found


def _collect_classes(node: Any, classes: dict[str, type[msgspec.Struct]]) -> None:
    """Add the structs in a type, by name."""
    if isinstance(node, types.StructType):
        if node.cls.__name__ in classes:
            return
        classes[node.cls.__name__] = node.cls
    if isinstance(node, tuple):
        for part in node:
            _collect_classes(part, classes)
    elif isinstance(node, msgspec.Struct):
        for name in node.__struct_fields__:
            _collect_classes(getattr(node, name), classes)


def _describe(
    schema: dict[str, Any], kind: type[msgspec.Struct], shared: Mapping[str, str]
) -> dict[str, Any]:
    """Return the schema of a struct with the descriptions of its docstring."""
    texts = {**shared, **attribute_texts(kind)}
    properties = dict(schema["properties"])
    for field in msgspec.structs.fields(kind):
        if field.name in texts and field.encode_name in properties:
            described = {"description": texts[field.name]}
            properties[field.encode_name] = described | properties[field.encode_name]
    return {**schema, "description": _summary(kind), "properties": properties}


def _summary(kind: type) -> str:
    return inspect.cleandoc(kind.__doc__ or "").partition(_ATTRIBUTES)[0].strip()


def _attributes(docstring: str) -> Iterator[tuple[str, str]]:
    """Yield (attribute, text) of a docstring; several attributes can share one text."""
    section = docstring.partition(f"{_ATTRIBUTES}\n")[2]
    for entry in _entries(section.split("\n")):
        names, _, text = entry.partition(": ")
        for name in names.split(", "):
            yield name, text[:1].upper() + text[1:]


def _entries(lines: Sequence[str]) -> Iterator[str]:
    """Yield the entries of a section, each on one line."""
    entry: list[str] = []
    for line in lines:
        if not line.startswith(_INDENT):
            break
        if not line.startswith(_INDENT * 2) and entry:
            yield " ".join(entry)
            entry = []
        entry.append(line.strip())
    if entry:
        yield " ".join(entry)
