from __future__ import annotations

from typing import Any

import pytest

from wardround.models.answer_grammar import with_limits

LARGEST = 10**9


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, {"type": "string", "maxLength": 1000}),
        ({"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["a"]}),
        ({"type": "string", "maxLength": 5}, {"type": "string", "maxLength": 5}),
        ({"type": "integer"}, {"type": "integer", "minimum": -LARGEST, "maximum": LARGEST}),
        ({"type": "integer", "minimum": 1}, {"type": "integer", "minimum": 1}),
        ({"enum": ["string", {"type": "x"}]}, {"enum": ["string", {"type": "x"}]}),
        (
            {"properties": {"type": {"type": "string"}}},
            {"properties": {"type": {"type": "string", "maxLength": 1000}}},
        ),
        ({"type": "array", "items": {}}, {"type": "array", "items": {}, "maxItems": 50}),
        ({"type": "array", "maxItems": 3}, {"type": "array", "maxItems": 3}),
        ({"type": "object"}, {"type": "object"}),
        (
            {"type": "object", "properties": {}},
            {"type": "object", "properties": {}, "additionalProperties": False},
        ),
    ],
)
def test_values_without_a_limit_get_one(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    assert with_limits(schema) == expected
