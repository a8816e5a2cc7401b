"""``wardround verify`` as a user meets it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.records.sample_reviews import real_record, signer
from wardround.cli.commands import invoke
from wardround.records import keys
from wardround.records.bundle import Bundle
from wardround.records.location import default_file
from wardround.records.public_keys import public_pem
from wardround.records.signing import SignerSettings, open_signer

NAME = "review.intoto.jsonl"


@pytest.fixture
def own(repo: GitRepository) -> Bundle:
    """A record signed by the user's own key, which is not trusted yet."""
    created = keys.create(keys.own_key_file(), None)
    bundle = real_record(open_signer(SignerSettings(f"file:{created.private}"), {}))
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
        f"floor:     strict {own.review.policies[1].digest}\n"
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


def test_a_changed_record_is_rejected_with_its_place(repo: GitRepository, own: Bundle) -> None:
    keys.trust(Path(f"{keys.own_key_file()}.pub"))
    repo.write(NAME, own.data.replace(b'"payload":"ey', b'"payload":"fy', 1))
    changed = repo.wardround("verify", NAME)
    assert changed.returncode == 1
    assert changed.stdout.startswith(f"{NAME} does not hold: line 1, signature 1: it is not a signature of")


def test_a_record_that_is_not_signed_is_invalid(repo: GitRepository) -> None:
    repo.write(NAME, real_record(None).data)
    done = repo.wardround("verify", NAME)
    assert (done.returncode, done.stdout) == (1, f"{NAME} does not hold: line 1: not signed\n")


@pytest.mark.parametrize("options", [[], ["none.jsonl"], [".", "--threshold", "0"], [NAME, "--key", "none"]])
def test_a_wrong_call_is_a_usage_error(repo: GitRepository, own: Bundle, options: list[str]) -> None:
    assert repo.wardround("verify", *options).returncode == 2


RUN = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": "acme/shop",
    "GITHUB_RUN_ID": "77",
    "GITHUB_ACTOR": "ada",
}


@pytest.fixture
def reviewed(repo: GitRepository) -> str:
    """A staged change whose review is stored, signed by the own, trusted key; the digest of its record."""
    keys.create(keys.own_key_file(), None)
    keys.trust(Path(f"{keys.own_key_file()}.pub"))
    repo.commit({".wardround.toml": "only = ['text']\n", "a.py": "A = 1\n"})
    repo.stage({"a.py": "A = 2\n"})
    done = repo.wardround("review", "--staged", "--record", "../r", "--store", str(default_file()), env=RUN)
    assert done.returncode == 0, done.stderr
    return hashlib.sha256((repo.root.parent / "r").read_bytes()).hexdigest()


def named(repo: GitRepository, *values: str) -> None:
    trailers = "\n".join(f"Wardround-Record: {value}" for value in values)
    repo.git("commit", "-q", "--allow-empty", "-m", f"change\n\n{trailers}")


def test_the_records_that_a_commit_names_are_verified(repo: GitRepository, reviewed: str) -> None:
    named(repo, f"sha256:{reviewed}")
    done = repo.wardround("verify", "--commit", "HEAD")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == f"sha256:{reviewed} holds"
    assert lines[3] == "floor:     none"
    assert "from:      https://github.com/acme/shop" in lines
    assert "run:       https://github.com/acme/shop/actions/runs/77/attempts/1" in lines
    assert "actor:     ada" in lines
    assert repo.wardround("verify", "--commit", "HEAD", "../r").returncode == 0

    for values, problem in (
        ((), "names no record"),
        (("none",), "none of the commit"),
        ((f"sha256:{'0' * 64}",), "no record begins with"),
        ((f"sha256:{reviewed}",), "line 1, predicate: it is about other content than the commit"),
        ((f"sha256:{reviewed}", "sha256:0"), "it is not the digest of a record"),
    ):
        named(repo, *values)
        forged = repo.wardround("verify", "--commit", "HEAD")
        assert (forged.returncode, forged.stderr) == (1, "")
        assert problem in forged.stdout


def test_a_note_and_a_file_name_records_too(
    repo: GitRepository, reviewed: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    repo.git("commit", "-q", "-m", "change")
    repo.git("notes", "--ref=wardround", "add", "-m", f"Wardround-Record: sha256:{reviewed}")
    monkeypatch.chdir(repo.root)
    assert invoke(["verify", "--commit", "HEAD"]) == 0
    Path("../s").write_bytes(Path("../r").read_bytes() + b"\n")
    assert invoke(["verify", "--commit", "HEAD", "../s"]) == 1
    assert "does not hold: it is the record sha256:" in capfd.readouterr().out
    repo.write("other.pub", public_pem(signer().public_key))
    assert invoke(["verify", "--commit", "HEAD", "--key", "other.pub"]) == 1


@pytest.mark.parametrize("options", [[], ["--repo", "."], ["--commit", "none"], ["--commit", "--all"]])
def test_a_wrong_call_without_a_record_is_a_usage_error(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.chdir(repo.root)
    assert invoke(["verify", *options]) == 2


def test_the_audit_page_has_the_exit_status_of_verify(repo: GitRepository, own: Bundle) -> None:
    refused = repo.wardround("verify", "--policy", NAME)
    assert (refused.returncode, "REVIEWED" in refused.stdout) == (1, False)
    keys.trust(Path(f"{keys.own_key_file()}.pub"))
    held = repo.wardround("verify", "--policy", NAME)
    assert (held.returncode, held.stderr) == (0, "")
    assert held.stdout.splitlines()[0] == f"wardround audit page: the record {NAME} holds"
    assert f"  repository       default {own.review.policy.digest}" in held.stdout.splitlines()
    page = repo.wardround("verify", "--policy", "--format", "markdown", NAME)
    assert "## Not proven by this record" in page.stdout.splitlines()
    assert repo.wardround("verify", "--format", "markdown", NAME).returncode == 2
