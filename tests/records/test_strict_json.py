"""Canonical JSON has one encoding for each value; every other encoding is rejected with its position."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.records import strict_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_what_is_encoded_is_accepted_and_encoded_to_the_same_bytes(value: object) -> None:
    encoded = strict_json.encode(value)
    assert strict_json.encode(strict_json.decode(encoded)) == encoded


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "byte 1: not JSON: expecting value"),
        (b'{"a":1} ', "byte 8: not the canonical encoding of its value (RFC 8785)"),
        (b'{"a": 1}', "byte 6: not the canonical encoding of its value (RFC 8785)"),
        (b'{"b":1,"a":2}', "byte 3: not the canonical encoding of its value (RFC 8785)"),
        (b'{"a":1,"a":1}', "byte 1: not JSON: duplicate key 'a'"),
        (b'{"a":1}{}', "byte 8: not JSON: extra data"),
        (b'{"a":1.0}', "byte 7: not the canonical encoding of its value (RFC 8785)"),
        (b'"\\u0061"', "byte 2: not the canonical encoding of its value (RFC 8785)"),
        (b"NaN", "byte 1: not JSON: NaN is not a JSON number"),
        (b"1e999", "byte 1: not canonical JSON: inf is not representable in JCS"),
        (b'"\xff"', "byte 2: not UTF-8"),
        ("\ufeff1".encode(), "byte 1: not JSON: unexpected UTF-8 BOM (decode using utf-8-sig)"),
        (b'"\\ud800"', "byte 1: not canonical JSON: input contains non-UTF-8 codepoints"),
    ],
)
def test_another_encoding_is_rejected_with_its_position(data: bytes, reason: str) -> None:
    with pytest.raises(strict_json.NotCanonical) as refused:
        strict_json.decode(data)
    assert str(refused.value) == reason


@pytest.mark.parametrize("data", [b"[" * 100_000, b"9" * 10_000])
def test_excessive_input_is_rejected(data: bytes) -> None:
    with pytest.raises(strict_json.NotCanonical):
        strict_json.decode(data)


@pytest.mark.parametrize("value", [float("nan"), 2**53, "\ud800", {1: 2}, {"a": object()}, b"bytes"])
def test_a_value_without_encoding_is_an_error(value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        strict_json.encode(value)


def test_nesting_that_is_too_deep_is_an_error() -> None:
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(ValueError, match="nested too deeply"):
        strict_json.encode(value)
