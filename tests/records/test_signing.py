"""Records are signed by the key that a configuration names, or the reason is one sentence."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from securesystemslib.signer import SIGNER_FOR_URI_SCHEME, CryptoSigner, Key, SecretsHandler

from tests.records.sample_reviews import public, record
from wardround.records import keys, signing
from wardround.records.public_keys import public_pem
from wardround.records.signing import SignerSettings, SigningError, open_signer
from wardround.records.verify import verify_record

SECRET = {"PASSPHRASE": "correct horse"}


def opened(uri: str, **settings: str) -> Any:
    return open_signer(SignerSettings(uri, **settings), SECRET)


def refusal(uri: str, **settings: str) -> str:
    with pytest.raises(SigningError) as refused:
        opened(uri, **settings)
    return str(refused.value)


@pytest.mark.parametrize("passphrase", [None, "correct horse"])
def test_a_key_file_signs_records_that_hold(tmp_path: Path, passphrase: str | None) -> None:
    created = keys.create(tmp_path / "key", passphrase)
    found = opened(f"file:{created.private}", passphrase_env="PASSPHRASE" if passphrase else "")
    assert found.public_key.keyid == created.key_id
    assert verify_record(record(found).data, public(found)).problem is None


def test_a_key_in_an_environment_variable_signs(tmp_path: Path) -> None:
    created = keys.create(tmp_path / "key", None)
    found = open_signer(SignerSettings("env:KEY"), {"KEY": created.private.read_text()})
    assert found.public_key.keyid == created.key_id


def test_a_missing_key_is_one_sentence(tmp_path: Path) -> None:
    assert refusal(f"file:{tmp_path}/none") == (
        f"the private key {tmp_path}/none cannot be read: No such file or directory; "
        "wardround keys new makes one"
    )
    assert refusal("env:NONE") == ("the environment variable NONE has no private key; set it to a PKCS#8 PEM")


def test_a_passphrase_that_is_missing_or_wrong_is_one_sentence(tmp_path: Path) -> None:
    created = keys.create(tmp_path / "key", "another")
    uri = f"file:{created.private}"
    assert refusal(uri) == (
        f"the private key {created.private} is encrypted; "
        "name the environment variable with its passphrase (passphrase-env)"
    )
    assert refusal(uri, passphrase_env="NONE") == ("the environment variable NONE has no passphrase; set it")
    assert refusal(uri, passphrase_env="PASSPHRASE") == (
        f"the private key {created.private} cannot be read with this passphrase; "
        "give an Ed25519 key as PKCS#8 PEM"
    )


def test_a_key_of_another_kind_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_bytes(
        ec.generate_private_key(ec.SECP256R1()).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    assert refusal(f"file:{file}") == (
        f"the private key {file} is not an Ed25519 key; wardround keys new makes one"
    )
    file.write_bytes(b"-----BEGIN NOTHING-----")
    assert refusal(f"file:{file}") == (
        f"the private key {file} cannot be read; give an Ed25519 key as PKCS#8 PEM"
    )


def test_a_message_never_has_the_key(tmp_path: Path) -> None:
    created = keys.create(tmp_path / "key", None)
    body = created.private.read_text().splitlines()[1]
    file = tmp_path / "broken"
    file.write_text(created.private.read_text().replace("END", "STOP"))
    assert body not in refusal(f"file:{file}")


def test_an_unknown_uri_lists_the_known_ones() -> None:
    text = refusal("carrier:pigeon")
    assert text.startswith("carrier:pigeon: there is no signer for this URI; use one of ")
    for scheme in ("awskms", "azurekms", "env", "file", "gcpkms", "hsm"):
        assert scheme in text


@pytest.mark.parametrize("uri", ["hsm:", "gcpkms:projects/p", "awskms:alias/a", "azurekms://v/k"])
def test_a_driver_that_is_not_installed_is_one_sentence(tmp_path: Path, uri: str) -> None:
    file = tmp_path / "key.pub"
    file.write_text(public_pem(CryptoSigner.generate_ecdsa().public_key))
    assert refusal(uri, public_key=str(file)).startswith(f"{uri}: the signer cannot be opened: ")
    assert refusal(uri) == f"{uri}: give the file with the public key of this signer (public_key)"


def test_a_missing_driver_is_named_with_its_extra(tmp_path: Path) -> None:
    file = tmp_path / "key.pub"
    file.write_text(public_pem(CryptoSigner.generate_ecdsa().public_key))
    assert refusal("awskms:alias/a", public_key=str(file)) == (
        "awskms:alias/a: the signer cannot be opened: Signing with AWS KMS requires aws-kms and cryptography."
        "; install it with: pip install 'securesystemslib[awskms]'"
    )


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_a_key_made_by_openssl_signs(tmp_path: Path) -> None:
    command = ["openssl", "genpkey", "-algorithm", "ed25519", "-out", "key"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    found = opened(f"file:{tmp_path}/key")
    assert verify_record(record(found).data, public(found)).problem is None


class Token(CryptoSigner):
    """A hardware token: its key is in memory, its PIN comes from a secrets handler."""

    KEY = ed25519.Ed25519PrivateKey.from_private_bytes(b"1" * 32)

    @classmethod
    def from_priv_key_uri(
        cls, priv_key_uri: str, public_key: Key, secrets_handler: SecretsHandler | None = None
    ) -> CryptoSigner:
        assert secrets_handler is not None
        if secrets_handler("pin") != "correct horse":
            raise RuntimeError("wrong PIN")
        return cls(cls.KEY)


def test_any_other_signer_gets_its_uri_the_public_key_and_the_pin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SIGNER_FOR_URI_SCHEME, "token", Token)
    file = tmp_path / "key.pub"
    file.write_text(public_pem(CryptoSigner(Token.KEY).public_key))
    found = opened("token:1", public_key=str(file), passphrase_env="PASSPHRASE")
    assert verify_record(record(found).data, public(found)).problem is None


def test_a_signer_that_fails_is_one_sentence() -> None:
    class Unplugged(CryptoSigner):
        def sign(self, payload: bytes) -> Any:
            raise RuntimeError("no token")

    with pytest.raises(SigningError) as refused:
        record(Unplugged(Token.KEY))
    assert str(refused.value) == "the signer failed: RuntimeError: no token; the record is not signed"


def test_without_the_extra_signing_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    created = keys.create(tmp_path / "key", None)
    for name in list(sys.modules):
        if name.partition(".")[0] == "securesystemslib":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "securesystemslib", None)
    assert refusal(f"file:{created.private}") == (
        "securesystemslib, which signs and checks records, is not installed; "
        "install it with: pip install 'wardround[records]'"
    )
    assert record(None).digest
    assert signing.library("json").__name__ == "json"
