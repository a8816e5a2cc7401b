from __future__ import annotations

import binascii
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from wardround.findings import Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_secrets.detection import value_filters
from wardround_secrets.detection.scanner import ScannedText, SecretCheck, SecretMatch

_JWT = LazyPattern(
    r"eyJ[A-Za-z0-9_-]{8,1000}\.(eyJ[A-Za-z0-9_-]{8,8000})\."
    r"([A-Za-z0-9_-]{20,1000})(?![\w-])"
)
_LOCAL = LazyPattern(r"\A(?:https?://)?(?:localhost|127\.0\.0\.1)\b")
_EXAMPLE_CLAIMS = frozenset({"1234567890", "supabase-demo", "john doe", "test", "example", "joe", "jwt.io"})


class JsonWebToken(SecretCheck):
    """A signed JSON web token is committed.

    Anyone who presents the token is authenticated as its subject until it expires or its signing key is
    rotated. Revoke it, and request a new one at run time. A Supabase service_role token bypasses every
    row-level security policy.
    """

    ID = "SE006"
    NAME = "json-web-token"
    ANCHORS = (b"eyj",)
    SEVERITY = Severity.WARN
    VALID = [
        code("""
            token = "eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9" + "." + payload
        """),
        code("""
            token = "eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiMTIzNDU2Nzg5MCIsICJuYW1lIjogIkpvaG4gRG9lIiwgImlhdCI6IDE1MTYyMzkwMjJ9\x2emDLBYACDSJRzgrCN4gMH1BGOviGM9wMliu1JN5sKlW3"
        """),  # noqa: E501
    ]
    INVALID = [
        code("""
            token = "«eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9\x2eeyJzdWIiOiAidS04MTcxIiwgImlzcyI6ICJodHRwczovL2xvZ2luLmFjbWUuZGV2In0.O3NKUH9OTAfE5LQ9ahYh1OM3P3UaTKF1LtZGfBTcxMZ»"
        """),  # noqa: E501
        code(
            """
            KEY=«eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9\x2eeyJpc3MiOiAic3VwYWJhc2UiLCAicmVmIjogImtxeGp6d3Zibm1wbGtqaGdmZHNhIiwgInJvbGUiOiAic2VydmljZV9yb2xlIn0.wlccPPHpsNu28VJMy9BEgE0XOEUeXcYpyKLsJihgxp9»
            """,
            path=".env",
        ),
    ]

    @classmethod
    def find(cls, text: ScannedText) -> Iterator[SecretMatch]:
        for start, _ in text.runs:
            match = _JWT.match(text.text, start) if text.text.startswith("eyJ", start) else None
            if match is None or value_filters.is_placeholder(match[2]):
                continue
            claims = _claims(match[1])
            if claims is None or _is_example(claims) or claims.get("role") == "anon":
                continue
            is_privileged = claims.get("role") == "service_role"
            kind = "Supabase service_role token" if is_privileged else "JSON web token"
            severity = Severity.ERROR if is_privileged else None
            yield SecretMatch(
                *match.span(), f"{kind} eyJ*** in the source: revoke it, then remove it", severity
            )


def _claims(part: str) -> Mapping[str, Any] | None:
    """Return the claims of a token, or None if they cannot be decoded."""
    try:
        plain = part.replace("-", "+").replace("_", "/") + "=" * (-len(part) % 4)
        decoded = msgspec.json.decode(binascii.a2b_base64(plain))
    except (ValueError, RecursionError, msgspec.MsgspecError):
        return None
    return decoded if isinstance(decoded, dict) else None


def _is_example(claims: Mapping[str, Any]) -> bool:
    """Return True if the claims are those of an example token."""
    claimed = [str(claims.get(name, "")).lower() for name in ("sub", "iss", "name", "aud")]
    stated = [value for value in claimed if value]
    if any(map(_is_example_claim, stated)):
        return True
    return all(map(value_filters.is_placeholder, stated))


def _is_example_claim(value: str) -> bool:
    if value in _EXAMPLE_CLAIMS or value_filters.resembles_placeholder(value):
        return True
    return _LOCAL.match(value) is not None
