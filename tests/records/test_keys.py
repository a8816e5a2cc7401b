"""Keys are created with access for their owner only, never overwritten, and trusted one by one."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from securesystemslib.signer import CryptoSigner, SSlibKey

from wardround.records import keys
from wardround.records.public_keys import parse_public_key, public_key_json, public_pem
from wardround.records.signing import SigningError
from wardround.storage.directories import LinkRefusedError
from wardround.storage.paths import state_dir


def test_a_private_key_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    created = keys.create(tmp_path / "new" / "key", None)
    assert stat.S_IMODE(created.private.stat().st_mode) == 0o600
    assert created.public == tmp_path / "new" / "key.pub"
    assert (
        keys.read_any(created.public, None).keyid
        == keys.read_any(created.private, None).keyid
        == created.key_id
    )


def test_the_folder_of_the_own_key_is_private() -> None:
    created = keys.create(keys.own_key_file(), None)
    assert stat.S_IMODE(created.private.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["key", "key.pub"])
def test_an_existing_file_is_not_overwritten(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(SigningError, match="exists already and is not overwritten"):
        keys.create(tmp_path / "key", None)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir() if file.is_file()] == [
        (name, "mine")
    ]


def test_a_link_to_nowhere_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "key").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SigningError, match="exists already"):
        keys.create(tmp_path / "key", None)
    assert not (tmp_path / "elsewhere").exists()


def test_no_key_is_created_through_a_link_of_the_work_tree(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "tree" / "linked").symlink_to(tmp_path / "outside")
    with pytest.raises(LinkRefusedError):
        keys.create(tmp_path / "tree" / "linked" / "key", None, tmp_path / "tree")
    assert list((tmp_path / "outside").iterdir()) == []


def test_keys_are_trusted_and_removed_by_id(tmp_path: Path) -> None:
    first, second = (keys.create(tmp_path / name, None) for name in ("a", "b"))
    assert keys.trusted_keys() == ()
    assert {keys.trust(first.public), keys.trust(second.public)} == {first.key_id, second.key_id}
    assert [key.keyid for key in keys.trusted_keys()] == sorted([first.key_id, second.key_id])
    assert keys.remove(first.key_id[:12]) == first.key_id
    assert [key.keyid for key in keys.trusted_keys()] == [second.key_id]


@pytest.mark.parametrize("prefix", ["", "abc", "0" * 64])
def test_a_key_that_is_not_trusted_is_not_removed(tmp_path: Path, prefix: str) -> None:
    keys.trust(keys.create(tmp_path / "key", None).public)
    with pytest.raises(SigningError, match="no trusted key begins with"):
        keys.remove(prefix)
    assert len(keys.trusted_keys()) == 1


def test_a_private_key_is_not_trusted_by_mistake(tmp_path: Path) -> None:
    created = keys.create(tmp_path / "key", None)
    with pytest.raises(SigningError, match="is a private key; give the public one"):
        keys.trust(created.private)
    assert keys.trusted_keys() == ()


def test_a_damaged_trusted_key_is_an_error_and_not_excluded(tmp_path: Path) -> None:
    key_id = keys.trust(keys.create(tmp_path / "key", None).public)
    file = state_dir() / "keys" / "trusted" / f"{key_id}.json"
    file.write_text("{}")
    with pytest.raises(SigningError, match="is not a public key"):
        keys.trusted_keys()


@pytest.mark.parametrize(
    "made",
    [CryptoSigner.generate_ed25519(), CryptoSigner.generate_ecdsa(), CryptoSigner.generate_rsa(size=2048)],
    ids=["ed25519", "ecdsa", "rsa"],
)
def test_a_public_key_is_the_same_as_pem_and_as_json(made: CryptoSigner) -> None:
    key = made.public_key
    assert parse_public_key(public_pem(key).encode(), "x") == key
    assert parse_public_key(public_key_json(key), "x") == key
    assert isinstance(SSlibKey.from_dict(key.keyid, key.to_dict()), SSlibKey)


def test_a_key_has_the_id_that_is_its_digest() -> None:
    fields = json.loads(public_key_json(CryptoSigner.generate_ed25519().public_key))
    fields["keyid"] = "0" * 64
    with pytest.raises(SigningError, match=r"x: keyid must be [0-9a-f]{64}, the digest of the key"):
        parse_public_key(json.dumps(fields).encode(), "x")


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"{}", b'{"keytype":"ed25519","scheme":"ed25519","keyval":{"public":"zz"}}',
     b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", b"\xff\xfe"],
)  # fmt: skip
def test_anything_else_is_not_a_key(content: bytes) -> None:
    with pytest.raises(SigningError, match=r"^x is not a public key"):
        parse_public_key(content, "x")


def test_an_unsupported_scheme_is_named() -> None:
    fields = json.loads(public_key_json(CryptoSigner.generate_ed25519().public_key))
    fields["scheme"] = "none"
    del fields["keyid"]
    with pytest.raises(SigningError, match="x: keys of type ed25519 with scheme none are not supported"):
        parse_public_key(json.dumps(fields).encode(), "x")
