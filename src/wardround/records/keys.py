"""The user's own signing key and the public keys trusted on this machine, in the state folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wardround.records.public_keys import parse_public_key, public_key_json, public_pem, read_public_key
from wardround.records.signing import SigningError, library, private_key
from wardround.storage import directories
from wardround.storage.atomic import write_atomic
from wardround.storage.paths import state_dir

if TYPE_CHECKING:
    from securesystemslib.signer import Key

_FOLDER = "keys"
_TRUSTED = "trusted"
_PRIVATE = "private.pem"
PUBLIC_SUFFIX = ".pub"
_SHORTEST = 6
"""Digits by which a key may be named."""


class NewKey(msgspec.Struct, frozen=True):
    """The files of a key pair, and the key's id."""

    private: Path
    public: Path
    key_id: str


def own_key_file() -> Path:
    """Return the file of the user's own private key, which may not exist."""
    return state_dir() / _FOLDER / _PRIVATE


def create(private: Path, passphrase: str | None, work_tree: Path | None = None) -> NewKey:
    """Create an Ed25519 key pair: the private key readable by its owner only, the public key next to it.

    Args:
        passphrase: encrypts the private key; None leaves it in plain text.
        work_tree: no link inside it is followed.

    Raises:
        SigningError: a file exists already, or cannot be written.
    """
    public = private.with_name(private.name + PUBLIC_SUFFIX)
    for file in (private, public):
        if os.path.lexists(file):
            raise SigningError(f"{file} exists already and is not overwritten; give another file with --out")
    serialization = library("cryptography.hazmat.primitives.serialization")
    ed25519 = library("cryptography.hazmat.primitives.asymmetric.ed25519")
    pem = ed25519.Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(passphrase.encode())
        if passphrase
        else serialization.NoEncryption(),
    )
    key = private_key(pem, str(private), passphrase).public_key
    _write_pair(private, public, (pem, public_pem(key).encode()), work_tree)
    return NewKey(private, public, key.keyid)


def read_any(file: Path, passphrase: str | None) -> Key:
    """Return the public key of a file with a private or a public key.

    Raises:
        SigningError: it has neither.
    """
    try:
        content = file.read_bytes()
    except OSError as cause:
        raise SigningError(
            f"the key {file} cannot be read: {cause.strerror}; wardround keys new makes one"
        ) from cause
    if b"PRIVATE KEY-----" in content:
        return private_key(content, str(file), passphrase).public_key
    return parse_public_key(content, str(file))


def trust(file: Path) -> str:
    """Add a public key to the trusted ones and return its id."""
    key = read_public_key(file)
    target = _trusted_folder() / f"{key.keyid}.json"
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomic(target, public_key_json(key))
    except OSError as cause:
        raise SigningError(f"{target} cannot be written: {cause.strerror}") from cause
    return key.keyid


def remove(prefix: str) -> str:
    """Remove a trusted key, named by its id or its first digits, and return its id.

    Raises:
        SigningError: no key or more than one has such an id.
    """
    hits = [key.keyid for key in trusted_keys() if len(prefix) >= _SHORTEST and key.keyid.startswith(prefix)]
    if len(hits) != 1:
        how = "more than one trusted key begins" if hits else "no trusted key begins"
        raise SigningError(f"{how} with {prefix!r}; wardround keys list shows them")
    file = _trusted_folder() / f"{hits[0]}.json"
    try:
        file.unlink()
    except OSError as cause:
        raise SigningError(f"{file} cannot be removed: {cause.strerror}") from cause
    return hits[0]


def trusted_keys() -> tuple[Key, ...]:
    """Return the trusted keys, sorted by id.

    Raises:
        SigningError: a file among them is not a key; none is excluded silently.
    """
    try:
        files = sorted(_trusted_folder().glob("*.json"))
    except OSError as cause:
        raise SigningError(f"{_trusted_folder()} cannot be read: {cause.strerror}") from cause
    return tuple(read_public_key(file) for file in files)


def own_public_key() -> tuple[Path, Key] | None:
    """Return the user's own public key with its file; None if there is none."""
    private = own_key_file()
    file = private.with_name(private.name + PUBLIC_SUFFIX)
    return (file, read_public_key(file)) if file.exists() else None


def _trusted_folder() -> Path:
    return state_dir() / _FOLDER / _TRUSTED


def _write_pair(private: Path, public: Path, contents: tuple[bytes, bytes], work_tree: Path | None) -> None:
    try:
        if private == own_key_file():
            private.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with directories.open_directory(private.parent, work_tree, create=True) as folder:
            directories.create_file(folder, private.name, contents[0], mode=0o600)
            directories.create_file(folder, public.name, contents[1], mode=0o644)
    except FileExistsError as cause:
        raise SigningError(f"{private} exists already and is not overwritten") from cause
    except OSError as cause:
        raise SigningError(
            f"{private} cannot be written: {cause.strerror}; give a file with --out"
        ) from cause
