"""Canonical JSON (RFC 8785) and the identities that are digests of it."""

from __future__ import annotations

from typing import Any

import msgspec

from wardround.storage.digest import sha256


def canonical_json(value: Any) -> bytes:
    """Encode a value as canonical JSON: sorted keys, no spaces, ECMAScript numbers, UTF-8.

    Args:
        value: a struct, or plain values; strings without surrogates, integers below 2**53.

    Source: RFC 8785, JSON Canonicalization Scheme.
    """
    import rfc8785

    return rfc8785.dumps(msgspec.to_builtins(value))


def content_id(data: bytes) -> str:
    """Return the name of some bytes: ``sha256:`` and 64 hex digits."""
    return f"sha256:{sha256(data).hexdigest()}"
