"""The JSON schema of the configuration, for completion and checks in editors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wardround.config.schema import OWN_FILE, FolderSettings, RunSettings
from wardround.specialists import Specialist
from wardround.text.struct_schema import document_text, struct_schemas


def configuration_schema(specialists: Sequence[Specialist]) -> str:
    """Return the schema of ``.wardround.toml``, with the options of the loaded specialists."""
    options = {item.name: item.options for item in specialists if item.options is not None}
    schemas = struct_schemas([RunSettings, FolderSettings, *options.values()])
    definitions = dict(schemas.definitions)
    properties: dict[str, Any] = {}
    for kind in (RunSettings, FolderSettings):
        properties |= definitions.pop(kind.__name__)["properties"]
    properties |= {name: schemas.roots[kind] for name, kind in options.items()}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return document_text(f"Configuration of wardround, {OWN_FILE}", schema, definitions)
