"""Signers of records, by configuration, through securesystemslib (extra ``records``).

``file:PATH`` and ``env:VARIABLE`` are Ed25519 private keys as PKCS#8 PEM. Every other URI is passed to the
signer of securesystemslib for its scheme (``hsm:``, ``gcpkms:``, ``awskms:``, ``azurekms:``, ``hv:``, and
``sigstore:`` for keyless signatures), which needs the public key too.
"""

from __future__ import annotations

import base64
import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from wardround.errors import PLUGIN_EXCEPTIONS, UsageError
from wardround.records.envelope import Envelope, SignatureLine

if TYPE_CHECKING:
    from securesystemslib.signer import CryptoSigner, Key, Signature, Signer

INSTALL = "install it with: pip install 'wardround[records]'"


class SigningError(UsageError):
    """A key or a signer cannot be used."""


class SignerSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The signer of records.

    Attributes:
        uri: ``file:PATH``, ``env:VARIABLE`` or a private key URI of securesystemslib.
        public_key: file with the public key, for a key that cannot be read: PEM or a key of securesystemslib.
        passphrase_env: environment variable with the passphrase or PIN of the private key.
    """

    uri: str
    public_key: str = ""
    passphrase_env: str = ""


def library(module: str) -> Any:
    """Import a module of securesystemslib or cryptography; they take 80 ms, and only signing needs them.

    Raises:
        SigningError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as cause:
        raise SigningError(
            f"{module.partition('.')[0]}, which signs and checks records, is not installed; {INSTALL}"
        ) from cause


def add_signature(envelope: Envelope, signer: Signer) -> Envelope:
    """Return an envelope with one more signature, sorted by key.

    Raises:
        SigningError: the signer failed: a token that is not plugged in, a service that is not reachable.
    """
    dsse = library("securesystemslib.dsse")
    unsigned = dsse.Envelope(envelope.payload, envelope.payload_type, {})
    try:
        created = unsigned.sign(signer)
    except PLUGIN_EXCEPTIONS as cause:  # a signer may be a driver or a service: anything can come out
        raise SigningError(
            f"the signer failed: {type(cause).__name__}: {cause}; the record is not signed"
        ) from cause
    signature = _signature_line(created)
    others = [other for other in envelope.signatures if other.key_id != signature.key_id]
    return msgspec.structs.replace(
        envelope, signatures=tuple(sorted((*others, signature), key=lambda item: item.key_id))
    )


def _signature_line(created: Signature) -> SignatureLine:
    bundle = created.unrecognized_fields.get("bundle")
    if bundle is None:
        return SignatureLine(created.keyid, bytes.fromhex(created.signature))
    return SignatureLine(created.keyid, base64.b64decode(created.signature), bundle)


def open_signer(settings: SignerSettings, environ: Mapping[str, str]) -> Signer:
    """Return the signer that a configuration names.

    Raises:
        SigningError: the key is missing, encrypted without its passphrase, of another kind, or the driver of
            the URI is not installed.
    """
    scheme, _, rest = settings.uri.partition(":")
    if scheme == "file":
        return private_key(_read_content(Path(rest)), rest, _passphrase(settings, environ))
    if scheme == "env":
        pem = environ.get(rest)
        if not pem:
            raise SigningError(f"the environment variable {rest} has no private key; set it to a PKCS#8 PEM")
        return private_key(pem.encode(), rest, _passphrase(settings, environ))
    return _other_signer(settings, environ)


def private_key(pem: bytes, place: str, passphrase: str | None) -> CryptoSigner:
    """Return the signer of an Ed25519 private key.

    Args:
        place: the file or the variable of the key, for messages; the key itself is never in one.

    Raises:
        SigningError: it is not one, or the passphrase is missing or wrong.
    """
    serialization = library("cryptography.hazmat.primitives.serialization")
    ed25519 = library("cryptography.hazmat.primitives.asymmetric.ed25519")
    try:
        key = serialization.load_pem_private_key(pem, passphrase.encode() if passphrase else None)
    except TypeError as cause:
        given = "is not encrypted; leave the passphrase away" if passphrase else _ENCRYPTED
        raise SigningError(f"the private key {place} {given}") from cause
    except PLUGIN_EXCEPTIONS as cause:  # cryptography documents ValueError and raises others too
        wrong = " with this passphrase" if passphrase else ""
        raise SigningError(
            f"the private key {place} cannot be read{wrong}; give an Ed25519 key as PKCS#8 PEM"
        ) from cause
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise SigningError(f"the private key {place} is not an Ed25519 key; wardround keys new makes one")
    signer: CryptoSigner = library("securesystemslib.signer").CryptoSigner(key)
    return signer


_ENCRYPTED = "is encrypted; name the environment variable with its passphrase (passphrase-env)"


def _other_signer(settings: SignerSettings, environ: Mapping[str, str]) -> Signer:
    from wardround.records.public_keys import read_public_key

    signers = library("securesystemslib.signer")
    keyless = signers.SigstoreSigner  # securesystemslib leaves it out of its table: its format may change
    known = {**signers.SIGNER_FOR_URI_SCHEME, keyless.SCHEME: keyless}
    scheme = settings.uri.partition(":")[0]
    if scheme not in known:
        schemes = ", ".join(sorted({"file", "env", *known}))
        raise SigningError(f"{settings.uri}: there is no signer for this URI; use one of {schemes}")
    if not settings.public_key:
        raise SigningError(f"{settings.uri}: give the file with the public key of this signer (public_key)")
    public: Key = read_public_key(Path(settings.public_key))
    secret = _passphrase(settings, environ)
    try:
        signer: Signer = known[scheme].from_priv_key_uri(
            settings.uri, public, (lambda _: secret) if secret else None
        )
    except PLUGIN_EXCEPTIONS as cause:  # a driver or a service: anything can come out
        raise SigningError(
            f"{settings.uri}: the signer cannot be opened: {cause}{_advice(scheme, cause)}"
        ) from cause
    return signer


def _advice(scheme: str, cause: BaseException) -> str:
    if not isinstance(cause, library("securesystemslib.exceptions").UnsupportedLibraryError):
        return ""
    return f"; install it with: pip install 'securesystemslib[{_EXTRAS.get(scheme, scheme)}]'"


_EXTRAS = {"hv": "vault"}
"""The extra of securesystemslib for a scheme, where it has another name."""


def _passphrase(settings: SignerSettings, environ: Mapping[str, str]) -> str | None:
    return passphrase(settings.passphrase_env, environ)


def passphrase(variable: str, environ: Mapping[str, str]) -> str | None:
    """Return the passphrase in an environment variable; None if no variable is named.

    Raises:
        SigningError: the variable is not set or empty.
    """
    if not variable:
        return None
    found = environ.get(variable)
    if not found:
        raise SigningError(f"the environment variable {variable} has no passphrase; set it")
    return found


def _read_content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as cause:
        raise SigningError(
            f"the private key {file} cannot be read: {cause.strerror}; wardround keys new makes one"
        ) from cause
