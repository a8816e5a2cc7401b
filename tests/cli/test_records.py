"""``wardround records`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.records.places import Place
from tests.records.sample_reviews import FACTS, predicate, real_record, record, signer
from tests.records.sample_store import bundle_of
from wardround.records import keys, store
from wardround.records.bundle import Bundle
from wardround.records.location import VARIABLE, default_file
from wardround.records.public_keys import public_pem


@pytest.fixture
def two(repo: GitRepository, store_place: Place, monkeypatch: pytest.MonkeyPatch) -> tuple[Bundle, Bundle]:
    """Two records in the store of the environment: one for a person, one merged by a machine."""
    monkeypatch.setenv(VARIABLE, store_place.text)
    created = record(ADA), record(ADA, verdict={"name": "auto-merge", "tier": "T1"})
    with store.open_store(store_place.location) as records:
        for item in created:
            records.append(item, FACTS)
    return created


ADA = signer()


def test_records_are_listed_with_the_newest_first(repo: GitRepository, two: tuple[Bundle, Bundle]) -> None:
    first, second = (item.digest[:12] for item in two)
    tail = "cccccccccccc  shop  Ada <ada@example.org>"
    assert repo.wardround("records", "list").stdout == (
        f"{second}  2030-01-31T12:00:05Z  T1 auto-merge    {tail}\n"
        f"{first}  2030-01-31T12:00:05Z  T3 human-review  {tail}\n"
        "2 records\n"
    )
    only = repo.wardround("records", "list", "--verdict", "human-review", "--rule", "ruff/B006")
    assert only.stdout.splitlines()[0].startswith(first)
    assert only.stdout.endswith("1 record\n")
    assert repo.wardround("records", "list", "--until", "2030-01-31").stdout.endswith("2 records\n")
    assert repo.wardround("records", "list", "--since", "2030-02-01").stdout == "0 records\n"
    assert repo.wardround("records", "list", "--limit", "1").stdout.endswith("1 record\n")


def test_records_are_listed_as_json(repo: GitRepository, two: tuple[Bundle, Bundle]) -> None:
    found = json.loads(repo.wardround("records", "list", "--format", "json", "--tier", "T1").stdout)
    assert found == [
        {
            "sequence": 2, "digest": two[1].digest, "created": "2030-01-31T12:00:05Z", "repository": "shop",
            "base": "b" * 40, "head": "c" * 40, "context": predicate()["context"]["id"],
            "verdict": "auto-merge", "tier": "T1", "policy": f"default@sha256:{'d' * 64}",
            "author": "Ada <ada@example.org>", "rules": ["ruff/B006"],
        }
    ]  # fmt: skip


def test_one_record_is_shown(repo: GitRepository, two: tuple[Bundle, Bundle]) -> None:
    shown = repo.wardround("records", "show", two[0].digest[:8])
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout == (
        f"record:     {two[0].digest}\nnumber:     1\ncreated:    2030-01-31T12:00:05Z\n"
        f"verdict:    human-review (T3)\npolicy:     default@sha256:{'d' * 64}\n"
        f"context:    {predicate()['context']['id']}\nrepository: shop\nbase:       {'b' * 40}\n"
        f"head:       {'c' * 40}\nauthor:     Ada <ada@example.org>\nrules:      ruff/B006\n"
        f"signed by:  {ADA.public_key.keyid}\n"
    )


def test_an_exported_record_is_verified(
    repo: GitRepository, two: tuple[Bundle, Bundle], store_place: Place
) -> None:
    created = real_record(ADA)
    with store.open_store(store_place.location) as records:
        records.append(created, FACTS)
    repo.write("ada.pub", public_pem(ADA.public_key))
    keys.trust(repo.root / "ada.pub")
    exported = repo.wardround("records", "export", created.digest, "--out", "records")
    name = f"records/{created.digest}.intoto.jsonl"
    assert exported.stdout == f"{name}\n"
    assert repo.read(name) == created.data
    assert repo.wardround("verify", name).returncode == 0
    stored = repo.wardround("verify", f"sha256:{created.digest[:10]}")
    assert (stored.returncode, stored.stdout.splitlines()[0]) == (0, f"sha256:{created.digest[:10]} holds")
    other = repo.wardround("verify", f"sha256:{two[1].digest}")
    assert other.returncode == 1
    assert "does not hold" in other.stdout
    assert repo.wardround("records", "export", created.digest).stdout == created.data.decode()


def test_every_record_is_exported(repo: GitRepository, two: tuple[Bundle, Bundle]) -> None:
    done = repo.wardround("records", "export", "--all", "--out", "out", "--predicate", "svr")
    assert done.stdout == "".join(f"out/{item.digest}.svr.json\n" for item in two)
    assert repo.read(f"out/{two[1].digest}.svr.json") == two[1].data.splitlines(keepends=True)[1]


def test_no_record_is_exported_through_a_link_of_the_work_tree(
    repo: GitRepository, two: tuple[Bundle, Bundle], tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (repo.root / "out").symlink_to(tmp_path / "outside")
    done = repo.wardround("records", "export", "--all", "--out", "out")
    assert done.returncode == 2
    assert "link" in done.stderr
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_broken_chain_is_reported(
    repo: GitRepository, two: tuple[Bundle, Bundle], store_place: Place
) -> None:
    held = repo.wardround("records", "verify")
    assert held.returncode == 0
    assert held.stdout.startswith("the chain of 2 records holds; head: ")
    store_place.tamper("UPDATE records SET tier = 'T1' WHERE sequence = 1")
    broken = repo.wardround("records", "verify")
    assert (broken.returncode, broken.stdout) == (
        1,
        "the chain does not hold: record 1: its columns do not have its chain digest: the row was changed\n",
    )


def test_without_records_nothing_is_created(repo: GitRepository) -> None:
    assert repo.wardround("records", "list").stdout == "0 records\n"
    absent = f"there are no records on this machine: {default_file()} does not exist"
    assert repo.wardround("records", "verify").stdout == f"{absent}\n"
    missing = repo.wardround("records", "show", "abcdef")
    assert (missing.returncode, missing.stderr) == (2, f"wardround: {absent}\n")
    assert not default_file().exists()


@pytest.mark.parametrize(
    "options",
    [["list", "--since", "yesterday"], ["export"], ["export", "--all"], ["show"], ["show", "0" * 64],
     ["export", "abcdef", "--all", "--out", "x"], ["list", "--limit", "0"]],
)  # fmt: skip
def test_a_wrong_call_is_a_usage_error(
    repo: GitRepository, two: tuple[Bundle, Bundle], options: list[str]
) -> None:
    done = repo.wardround("records", *options)
    assert done.returncode == 2
    assert done.stdout == ""


def test_a_review_is_recorded_in_the_requested_store(repo: GitRepository, store_place: Place) -> None:
    repo.commit({"a.py": "A = 1\n"})
    repo.stage({"a.py": "A = 2\n"})
    done = repo.wardround("review", "--store", store_place.text)
    assert (done.returncode, done.stderr) == (0, "")
    assert repo.wardround("records", "list", "--store", store_place.text).stdout.endswith("1 record\n")
    assert repo.wardround("records", "verify", "--store", store_place.text).returncode == 0
    assert not default_file().exists()


def test_the_profile_decides_about_the_store_of_the_environment(
    repo: GitRepository, store_place: Place
) -> None:
    repo.commit({"a.py": "A = 1\n"})
    repo.stage({"a.py": "A = 2\n"})
    team = {VARIABLE: store_place.text}
    for profile in ("commit", "ci"):
        done = repo.wardround("review", "--profile", profile, "--only", "python", env=team)
        assert done.returncode in (0, 4), done.stderr
    assert repo.wardround("records", "list", env=team).stdout.endswith("1 record\n")


UNREACHABLE = "postgresql://ada:hunter2@127.0.0.1:1/records"


def test_a_team_store_that_cannot_be_reached_costs_a_message(repo: GitRepository) -> None:
    repo.write(".wardround.toml", 'records = "on"\n')
    repo.commit({"a.py": "A = 1\n"})
    repo.stage({"a.py": "A = 2\n"})
    done = repo.wardround("review", env={VARIABLE: UNREACHABLE})
    assert (done.returncode, done.stderr) == (
        0,
        "wardround: the review is not recorded: the record store postgresql://127.0.0.1:1/records: "
        "Connection refused; check host and port, and that the server runs\n",
    )


def test_a_requested_store_that_cannot_be_reached_is_an_error_after_the_report_and_the_file(
    repo: GitRepository,
) -> None:
    repo.commit({"a.py": "A = 1\n"})
    repo.stage({"a.py": "A = 2\n"})
    done = repo.wardround("review", "--store", UNREACHABLE, "--record", "r.intoto.jsonl")
    assert (done.returncode, done.stderr) == (
        2,
        "wardround: the record store postgresql://127.0.0.1:1/records: Connection refused; check host and "
        "port, and that the server runs\n",
    )
    assert "pass" in done.stdout
    assert repo.read("r.intoto.jsonl")


def test_a_url_that_is_not_one_never_shows_its_password(repo: GitRepository) -> None:
    done = repo.wardround("records", "list", "--store", "postgresql://ada:hunter2@home@db/records")
    assert done.returncode == 2
    assert "hunter2" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_prune_shows_first_and_deletes_only_on_demand(repo: GitRepository) -> None:
    with store.open_store(default_file()) as records:
        digests = [records.append(bundle_of(number), FACTS) for number in range(3)]
    assert repo.wardround("records", "prune").returncode == 2
    planned = repo.wardround("records", "prune", "--keep-newest", "2")
    assert planned.stdout == (
        f"would delete {digests[0]}  2030-01-31T12:00:05Z  shop\n1 record would be deleted; --apply deletes\n"
    )
    assert repo.wardround(
        "records", "prune", "--keep-newest", "2", "--keep-days", "9999", "--apply"
    ).stdout == ("0 records deleted\n")
    done = repo.wardround("records", "prune", "--keep-newest", "2", "--apply")
    assert done.stdout == f"deleted {digests[0]}  2030-01-31T12:00:05Z  shop\n1 record deleted\n"
    assert repo.wardround("records", "verify").stdout.startswith("the chain of 3 records holds")
