"""The request of chat completions, in the part of the published description that a review may use."""

from __future__ import annotations

from typing import Any

_TEXT = {"type": "string", "minLength": 1}
_MESSAGE = {
    "type": "object",
    "required": ["role", "content"],
    "additionalProperties": False,
    "properties": {"role": {"enum": ["system", "user"]}, "content": _TEXT},
}
_OUTPUT_SCHEMA = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
        "description": {"type": "string"},
        "strict": {"type": ["boolean", "null"]},
        "schema": {"type": "object"},
    },
}
_FORMAT = {
    "oneOf": [
        {
            "type": "object",
            "required": ["type"],
            "additionalProperties": False,
            "properties": {"type": {"const": "json_object"}},
        },
        {
            "type": "object",
            "required": ["type", "json_schema"],
            "additionalProperties": False,
            "properties": {"type": {"const": "json_schema"}, "json_schema": _OUTPUT_SCHEMA},
        },
    ]
}
REQUEST: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["model", "messages"],
    "additionalProperties": False,
    "properties": {
        "model": _TEXT,
        "messages": {"type": "array", "minItems": 1, "items": _MESSAGE},
        "temperature": {"type": ["number", "null"], "minimum": 0, "maximum": 2},
        "seed": {"type": ["integer", "null"], "minimum": -(2**63), "maximum": 2**63 - 1},
        "max_completion_tokens": {"type": ["integer", "null"], "minimum": 1},
        "max_tokens": {"type": ["integer", "null"], "minimum": 1},
        "response_format": _FORMAT,
        "stream": {"type": ["boolean", "null"]},
    },
}
