"""DSSE envelopes and the file of a record: one envelope on each line.

The file is an in-toto attestation bundle (``*.intoto.jsonl``). Each line is canonical JSON and ends with a
newline, so that a record has exactly one encoding.

Sources: DSSE v1.0.2, ``envelope.md`` and ``protocol.md``; in-toto Attestation Framework v1,
``spec/v1/bundle.md``.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Any

import msgspec

from wardround.records import strict_json

PAYLOAD_TYPE = "application/vnd.in-toto+json"
KEYLESS = "sigstore-oidc"
"""The type of keys that are an identity and its issuer; their signatures come with a sigstore bundle."""
_FIELDS = {"payload", "payloadType", "signatures"}
_SIGNATURE_FIELDS = {"keyid", "sig"}
_BUNDLE = "bundle"
"""The field of a keyless signature with what sigstore checks: certificate, time and log entry."""


class SignatureLine(msgspec.Struct, frozen=True):
    """One signature of an envelope: the id of its key and its bytes; a keyless one has a sigstore bundle."""

    key_id: str
    value: bytes
    bundle: dict[str, Any] | None = None

    def fields(self) -> dict[str, Any]:
        """Return the signature as a JSON object."""
        fields: dict[str, Any] = {"keyid": self.key_id, "sig": base64_text(self.value)}
        return fields if self.bundle is None else {**fields, _BUNDLE: self.bundle}


class Envelope(msgspec.Struct, frozen=True):
    """A payload with its signatures; without any it is unsigned, and may be stored as such."""

    payload: bytes
    payload_type: str
    signatures: tuple[SignatureLine, ...] = ()

    def line(self) -> bytes:
        """Return the envelope as one line of a bundle, without the newline."""
        signatures = [signature.fields() for signature in self.signatures]
        payload = base64_text(self.payload)
        return strict_json.encode(
            {"payload": payload, "payloadType": self.payload_type, "signatures": signatures}
        )


class EnvelopeFault(ValueError):
    """A line is not an envelope of a record; the text is the reason.

    Attributes:
        part: the field at fault, for the message; empty if it is the line.
    """

    def __init__(self, part: str, reason: str) -> None:
        super().__init__(reason)
        self.part = part


def bundle(envelopes: Sequence[Envelope]) -> bytes:
    """Return the bytes of a record's file."""
    return b"".join(envelope.line() + b"\n" for envelope in envelopes)


def parse(line: bytes) -> Envelope:
    """Read one line of a bundle.

    Raises:
        EnvelopeFault: it is not canonical JSON, has missing or unknown fields, or base64 in another form.
    """
    try:
        value = strict_json.decode(line)
    except strict_json.NotCanonical as cause:
        raise EnvelopeFault("", str(cause)) from cause
    _require_fields(value, _FIELDS, "")
    if value["payloadType"] != PAYLOAD_TYPE:
        raise EnvelopeFault("payloadType", f"it must be {PAYLOAD_TYPE}")
    payload = _decode_base64(value["payload"], "payload")
    if not isinstance(value["signatures"], list):
        raise EnvelopeFault("signatures", "it must be a list")
    return Envelope(payload, PAYLOAD_TYPE, _signatures(value["signatures"]))


def _signatures(found: list[Any]) -> tuple[SignatureLine, ...]:
    signatures = []
    for number, signature in enumerate(found, 1):
        location = f"signature {number}"
        is_keyless = isinstance(signature, dict) and isinstance(signature.get(_BUNDLE), dict)
        _require_fields(signature, _SIGNATURE_FIELDS | ({_BUNDLE} if is_keyless else set()), location)
        if not isinstance(signature["keyid"], str) or not signature["keyid"]:
            raise EnvelopeFault(location, "keyid must be the id of a key")
        signatures.append(
            SignatureLine(
                signature["keyid"], _decode_base64(signature["sig"], location), signature.get(_BUNDLE)
            )
        )
    key_ids = [signature.key_id for signature in signatures]
    if key_ids != sorted(set(key_ids)):
        raise EnvelopeFault("signatures", "they must be sorted by keyid, each key once")
    return tuple(signatures)


def _require_fields(value: Any, names: set[str], place: str) -> None:
    if not isinstance(value, dict):
        raise EnvelopeFault(place, "it must be a JSON object")
    unknown, missing = sorted(set(value) - names), sorted(names - set(value))
    if unknown:
        raise EnvelopeFault(place, f"unknown field {unknown[0][:40]!r}")
    if missing:
        raise EnvelopeFault(place, f"the field {missing[0]!r} is missing")


def _decode_base64(text: Any, place: str) -> bytes:
    """Decode standard base64 with padding; another encoding of the same bytes is rejected."""
    try:
        content = base64.b64decode(text.encode("ascii"), validate=True)
    except (AttributeError, UnicodeEncodeError, binascii.Error) as cause:
        raise EnvelopeFault(place, "not base64 (RFC 4648, section 4)") from cause
    if base64_text(content) != text:
        raise EnvelopeFault(place, "not the canonical base64 of its bytes (RFC 4648, section 3.5)")
    return content


def base64_text(content: bytes) -> str:
    """Return bytes in standard base64 with padding."""
    return base64.b64encode(content).decode("ascii")
