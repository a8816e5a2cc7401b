"""Canonical JSON follows RFC 8785, so that a digest over it is the same everywhere."""

from __future__ import annotations

import pytest

from wardround.context.canonical import canonical_json, content_id


def test_keys_are_sorted_by_utf16_code_units() -> None:
    expected = '{"a":3,"\U0001f600":2,"\ufb33":1}'
    assert canonical_json({"\ufb33": 1, "\U0001f600": 2, "a": 3}) == expected.encode()


def test_numbers_are_written_as_ecmascript_does() -> None:
    numbers = [1.0, 0.1, 1e21, 1e-7, -0.0, 333333333.33333329]
    assert canonical_json(numbers) == b"[1,0.1,1e+21,1e-7,0,333333333.3333333]"


def test_text_that_is_not_unicode_is_rejected() -> None:
    with pytest.raises(ValueError, match="UTF-8"):
        canonical_json("\udce4")


def test_an_id_is_the_digest_of_the_bytes() -> None:
    assert content_id(b"") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
