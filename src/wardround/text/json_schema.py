"""The JSON schema of a type as text, equal with every version of msgspec."""

from __future__ import annotations

import inspect

import msgspec


def schema_text(kind: type) -> str:
    """Return the schema as indented JSON; versions of msgspec indent docstrings differently."""
    schema = _clean(msgspec.json.schema(kind))
    return msgspec.json.format(msgspec.json.encode(schema, order="sorted")).decode() + "\n"


def _clean(value: object) -> object:
    if isinstance(value, dict):
        return {key: _cleaned_entry(key, part) for key, part in value.items()}
    return [_clean(part) for part in value] if isinstance(value, list) else value


def _cleaned_entry(key: object, value: object) -> object:
    return inspect.cleandoc(value) if key == "description" and isinstance(value, str) else _clean(value)
