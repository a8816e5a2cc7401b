"""``wardround verify`` as a user meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.records.sample_reviews import real_record, signer
from wardround.records import keys
from wardround.records.bundle import Bundle
from wardround.records.public_keys import public_pem
from wardround.records.signing import SignerSettings, open_signer

NAME = "review.intoto.jsonl"


@pytest.fixture
def own(repo: GitRepository) -> Bundle:
    """A record signed by the user's own key, which is not trusted yet."""
    made = keys.create(keys.own_key_file(), None)
    bundle = real_record(open_signer(SignerSettings(f"file:{made.private}"), {}))
    repo.write(NAME, bundle.data)
    return bundle


def test_a_record_holds_once_its_key_is_trusted(repo: GitRepository, own: Bundle) -> None:
    public = Path(f"{keys.own_key_file()}.pub")
    key = keys.read_any(public, None).keyid
    refused = repo.wardround("verify", NAME)
    assert (refused.returncode, refused.stderr) == (1, "")
    assert refused.stdout == (
        f"{NAME} does not hold: line 1, signature 1: it is valid, but its key {key} is not trusted\n"
        f"it is your own key; to trust it: wardround keys trust {public}\n"
    )
    assert repo.wardround("keys", "trust", public).returncode == 0
    held = repo.wardround("verify", NAME)
    assert (held.returncode, held.stderr) == (0, "")
    assert held.stdout == (
        f"{NAME} holds\n"
        f"verdict:   {own.review.verdict.name} ({own.review.verdict.tier})\n"
        f"policy:    default {own.review.policy.digest}\n"
        f"context:   {own.review.context.id}\n"
        "created:   2030-01-31T12:00:05Z\n"
        f"signed by: {key}\n"
    )


def test_only_the_keys_of_the_command_line_count_where_there_are_any(
    repo: GitRepository, own: Bundle
) -> None:
    keys.trust(Path(f"{keys.own_key_file()}.pub"))
    repo.write("other.pub", public_pem(signer().public_key))
    assert repo.wardround("verify", NAME, "--key", "other.pub").returncode == 1
    assert repo.wardround("verify", NAME, "--key", f"{keys.own_key_file()}.pub").returncode == 0
    twice = repo.wardround("verify", NAME, "--threshold", "2")
    assert twice.returncode == 1
    assert (
        twice.stdout == f"{NAME} does not hold: line 1: 1 trusted key signed each line so far; 2 must have\n"
    )


def test_a_changed_record_is_refused_with_its_place(repo: GitRepository, own: Bundle) -> None:
    keys.trust(Path(f"{keys.own_key_file()}.pub"))
    repo.write(NAME, own.data.replace(b'"payload":"ey', b'"payload":"fy', 1))
    changed = repo.wardround("verify", NAME)
    assert changed.returncode == 1
    assert changed.stdout.startswith(f"{NAME} does not hold: line 1, signature 1: it is not a signature of")


def test_a_record_that_is_not_signed_does_not_hold(repo: GitRepository) -> None:
    repo.write(NAME, real_record(None).data)
    done = repo.wardround("verify", NAME)
    assert (done.returncode, done.stdout) == (1, f"{NAME} does not hold: line 1: not signed\n")


@pytest.mark.parametrize("options", [[], ["none.jsonl"], [".", "--threshold", "0"], [NAME, "--key", "none"]])
def test_a_wrong_call_is_a_usage_error(repo: GitRepository, own: Bundle, options: list[str]) -> None:
    assert repo.wardround("verify", *options).returncode == 2
