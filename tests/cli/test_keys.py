"""``wardround keys`` as a user meets it."""

from __future__ import annotations

import os
from pathlib import Path

from tests.conftest import GitRepository


def test_a_new_key_is_in_the_state_folder_and_shown_without_its_private_part(repo: GitRepository) -> None:
    created = repo.wardround("keys", "new")
    assert created.returncode == 0, created.stderr
    private = Path(os.environ["XDG_STATE_HOME"], "wardround", "keys", "private.pem")
    key_id = created.stdout.splitlines()[2].removeprefix("key id:      ")
    assert created.stdout == (
        f"private key: {private}\npublic key:  {private}.pub\nkey id:      {key_id}\n"
        f"to accept its records here: wardround keys trust {private}.pub\n"
    )
    shown = repo.wardround("keys", "show").stdout
    assert shown == f"{Path(f'{private}.pub').read_text()}key id: {key_id}\n"
    assert "PRIVATE" not in shown
    again = repo.wardround("keys", "new")
    assert again.returncode == 2
    assert again.stderr == (
        f"wardround: {private} exists already and is not overwritten; give another file with --out\n"
    )


def test_an_encrypted_key_is_shown_with_its_passphrase_only(repo: GitRepository) -> None:
    secret = {"WORD": "correct horse"}
    repo.wardround("keys", "new", "--out", "key", "--passphrase-env", "WORD", env=secret)
    assert b"ENCRYPTED PRIVATE KEY" in repo.read("key")
    refused = repo.wardround("keys", "show", "key")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "is encrypted" in refused.stderr
    shown = repo.wardround("keys", "show", "key", "--passphrase-env", "WORD", env=secret)
    assert shown.stdout == repo.wardround("keys", "show", "key.pub").stdout


def test_keys_are_trusted_listed_and_removed(repo: GitRepository) -> None:
    created = repo.wardround("keys", "new", "--out", "key")
    key_id = created.stdout.splitlines()[2].split()[-1]
    assert repo.wardround("keys", "list").stdout == "0 trusted keys\n"
    assert repo.wardround("keys", "trust", "key.pub").stdout == f"trusted: {key_id}\n"
    assert repo.wardround("keys", "list").stdout == f"{key_id}  ed25519  ed25519\n1 trusted key\n"
    removed = repo.wardround("keys", "trust", "--remove", key_id[:8])
    assert removed.stdout == f"no longer trusted: {key_id}\n"
    assert repo.wardround("keys", "trust").returncode == 2
    assert repo.wardround("keys", "trust", "key").stderr == (
        "wardround: key is a private key; give the public one (wardround keys show key)\n"
    )


def test_a_key_is_not_created_through_a_link_of_the_work_tree(repo: GitRepository, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (repo.root / "linked").symlink_to(outside)
    refused = repo.wardround("keys", "new", "--out", "linked/key")
    assert refused.returncode == 2
    assert list(outside.iterdir()) == []
