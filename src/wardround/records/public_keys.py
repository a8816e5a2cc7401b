"""Public keys that check records, as PEM or as keys of securesystemslib in JSON.

The key of a keyless signature is an identity with its issuer, as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wardround.errors import PLUGIN_EXCEPTIONS
from wardround.records.envelope import KEYLESS
from wardround.records.signing import SigningError, library

if TYPE_CHECKING:
    from securesystemslib.signer import Key

_PEM = b"-----BEGIN "
_IDENTITY = (KEYLESS, "Fulcio")
"""The type and the scheme of an identity."""
_LARGEST_BYTES = 64 * 1024
"""No public key of any supported type is larger."""


def read_public_key(file: Path) -> Key:
    """Return the public key in a file.

    Raises:
        SigningError: it cannot be read, holds a private key, or is not a key.
    """
    try:
        with file.open("rb") as opened:
            content = opened.read(_LARGEST_BYTES)
    except OSError as cause:
        raise SigningError(f"the public key {file} cannot be read: {cause.strerror}") from cause
    return parse_public_key(content, str(file))


def parse_public_key(content: bytes, place: str) -> Key:
    """Return a public key, whose id is the one that securesystemslib computes.

    Raises:
        SigningError: it is a private key, or not a key, or has another id.
    """
    if b"PRIVATE KEY-----" in content:
        raise SigningError(f"{place} is a private key; give the public one (wardround keys show {place})")
    return _from_pem(content, place) if content.lstrip().startswith(_PEM) else _from_json(content, place)


def public_key_json(key: Key) -> bytes:
    """Return a key as JSON of securesystemslib, with its id."""
    fields = {"keyid": key.keyid, **key.to_dict()}
    return json.dumps(fields, indent=1, sort_keys=True).encode() + b"\n"


def public_text(key: Key) -> str:
    """Return a key as PEM, or as JSON if it is an identity."""
    return public_key_json(key).decode() if key.keytype == KEYLESS else public_pem(key)


def public_pem(key: Key) -> str:
    """Return a key as SubjectPublicKeyInfo in PEM."""
    serialization = library("cryptography.hazmat.primitives.serialization")
    encoded = _crypto_key(key.keytype, key.keyval["public"]).public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return str(encoded, "ascii")


def _from_pem(content: bytes, place: str) -> Key:
    serialization = library("cryptography.hazmat.primitives.serialization")
    signers = library("securesystemslib.signer")
    try:
        key: Key = signers.SSlibKey.from_crypto(serialization.load_pem_public_key(content))
    except PLUGIN_EXCEPTIONS as cause:  # cryptography documents ValueError and raises others too
        raise SigningError(
            f"{place} is not a public key that securesystemslib supports; "
            "give PEM (SubjectPublicKeyInfo) of Ed25519, ECDSA P-256 to P-521 or RSA"
        ) from cause
    return key


def _from_json(content: bytes, place: str) -> Key:
    signers = library("securesystemslib.signer")
    try:
        fields = json.loads(content)
        key = _identity(fields) if fields["keytype"] == KEYLESS else _key(fields)
        key_id, supported = fields.get("keyid", key.keyid), {*signers.KEY_FOR_TYPE_AND_SCHEME, _IDENTITY}
        is_supported = (key.keytype, fields["scheme"]) in supported and key.keytype == fields["keytype"]
    except PLUGIN_EXCEPTIONS as cause:  # any JSON, in any form
        raise SigningError(
            f"{place} is not a public key; give PEM or a key of securesystemslib in JSON"
        ) from cause
    if not is_supported:
        kind = f"type {key.keytype} with scheme {fields['scheme']}"
        raise SigningError(f"{place}: keys of {kind} are not supported")
    if key_id != key.keyid:
        raise SigningError(f"{place}: keyid must be {key.keyid}, the digest of the key")
    return key


def _key(fields: Mapping[str, Any]) -> Key:
    found = _crypto_key(fields["keytype"], fields["keyval"]["public"])
    key: Key = library("securesystemslib.signer").SSlibKey.from_crypto(found, scheme=fields["scheme"])
    return key


def _identity(fields: Mapping[str, Any]) -> Key:
    value = fields["keyval"]
    key: Key = library("securesystemslib.signer").SigstoreSigner.import_(value["identity"], value["issuer"])[
        1
    ]
    return key


def _crypto_key(key_type: str, public: str) -> Any:
    """Return the key of cryptography for the type and value of a key of securesystemslib."""
    if key_type == "ed25519":
        ed25519 = library("cryptography.hazmat.primitives.asymmetric.ed25519")
        return ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
    serialization = library("cryptography.hazmat.primitives.serialization")
    return serialization.load_pem_public_key(public.encode())
