"""Keyless signatures by configuration, with an identity that a fake of sigstore verifies.

The services of sigstore are never contacted: a fake signs with a key in memory and verifies the bundle.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from securesystemslib.exceptions import UnverifiedSignatureError
from securesystemslib.signer import Key, Signature, Signer, SigstoreKey, SigstoreSigner

from tests.records.sample_reviews import FACTS, MOMENT, predicate
from wardround.records import bundle, envelope, strict_json
from wardround.records.public_keys import parse_public_key, public_key_json, public_text
from wardround.records.signing import SignerSettings, SigningError, open_signer
from wardround.records.verify import verify_record

PRIVATE = Ed25519PrivateKey.generate()
WORKFLOW = "https://github.com/acme/shop/.github/workflows/review.yml@refs/heads/main"
ISSUER = "https://token.actions.githubusercontent.com"
IDENTITY = SigstoreSigner.import_(WORKFLOW, ISSUER)[1]


class KeylessStandIn(Signer):
    """Returns a signature in the form that sigstore's signer returns."""

    @property
    def public_key(self) -> Key:
        return IDENTITY

    @classmethod
    def from_priv_key_uri(cls, *_: Any) -> KeylessStandIn:
        return cls()

    def sign(self, payload: bytes) -> Signature:
        text = base64.b64encode(PRIVATE.sign(payload)).decode()
        found = {"mediaType": "bundle", "messageSignature": {"signature": text}}
        return Signature(IDENTITY.keyid, text, {"bundle": found})


def check(key: SigstoreKey, signature: Signature, data: bytes) -> None:
    """Verify only the bundle, as sigstore does."""
    message = signature.unrecognized_fields["bundle"]["messageSignature"]
    try:
        PRIVATE.public_key().verify(base64.b64decode(message["signature"]), data)
    except InvalidSignature as cause:
        raise UnverifiedSignatureError from cause


@pytest.fixture
def record(monkeypatch: pytest.MonkeyPatch) -> bytes:
    monkeypatch.setattr(SigstoreKey, "verify_signature", check)
    return bundle.write(predicate(), FACTS, KeylessStandIn(), MOMENT).data


def changed(data: bytes, change: Any) -> str:
    lines = data.splitlines()
    value = json.loads(lines[0])
    change(value["signatures"][0])
    lines[0] = strict_json.encode(value)
    found = verify_record(b"\n".join(lines) + b"\n", [IDENTITY]).problem
    assert found is not None
    return str(found)


def test_a_keyless_record_holds_for_its_identity(record: bytes) -> None:
    found = verify_record(record, [IDENTITY])
    assert found.problem is None
    assert found.signers == (IDENTITY.keyid,)
    assert envelope.bundle([envelope.parse(line) for line in record.splitlines()]) == record


def test_a_keyless_signature_is_the_one_in_its_bundle(record: bytes) -> None:
    refused = f"line 1, signature 1: it is not a signature of the payload by the key {IDENTITY.keyid}"
    assert changed(record, lambda one: one.update(sig="AAAA")) == refused
    assert changed(record, lambda one: one["bundle"].update(messageSignature=1)) == refused
    assert changed(record, lambda one: one.pop("bundle")) == refused
    assert changed(record, lambda one: one.update(bundle=1)) == (
        "line 1, signature 1: unknown field 'bundle'"
    )


def test_a_signature_by_a_key_has_no_bundle(record: bytes) -> None:
    from tests.records.sample_reviews import public, signer
    from tests.records.sample_reviews import record as signed_by

    ada = signer()
    lines = signed_by(ada).data.splitlines()
    value = json.loads(lines[0])
    value["signatures"][0]["bundle"] = {}
    lines[0] = strict_json.encode(value)
    found = verify_record(b"\n".join(lines) + b"\n", public(ada)).problem
    assert str(found) == (
        f"line 1, signature 1: it is not a signature of the payload by the key {ada.public_key.keyid}"
    )


def test_an_identity_is_trusted_as_json() -> None:
    text = json.dumps(
        {"keytype": "sigstore-oidc", "scheme": "Fulcio", "keyval": {"identity": WORKFLOW, "issuer": ISSUER}}
    )
    key = parse_public_key(text.encode(), "x")
    assert key.keyid == IDENTITY.keyid
    assert parse_public_key(public_key_json(key), "x") == key
    assert json.loads(public_text(key))["keyval"]["identity"] == WORKFLOW
    with pytest.raises(SigningError, match="x: keys of type sigstore-oidc with scheme x are not supported"):
        parse_public_key(text.replace("Fulcio", "x").encode(), "x")
    with pytest.raises(SigningError, match="x is not a public key"):
        parse_public_key(text.replace("issuer", "issued").encode(), "x")


def test_without_sigstore_the_configuration_names_its_extra(tmp_path: Path) -> None:
    file = tmp_path / "identity.json"
    file.write_bytes(public_key_json(IDENTITY))
    with pytest.raises(SigningError) as refused:
        open_signer(SignerSettings("sigstore:", str(file)), {})
    assert str(refused.value) == (
        "sigstore:: the signer cannot be opened: sigstore library required to use 'sigstore-oidc' keys"
        "; install it with: pip install 'securesystemslib[sigstore]'"
    )


def test_a_keyless_signer_is_configured_by_its_uri(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "securesystemslib.signer.SigstoreSigner.from_priv_key_uri", KeylessStandIn.from_priv_key_uri
    )
    file = tmp_path / "identity.json"
    file.write_bytes(public_key_json(IDENTITY))
    assert open_signer(SignerSettings("sigstore:", str(file)), {}).public_key == IDENTITY
