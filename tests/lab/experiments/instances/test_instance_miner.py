"""Instances are mined from clones and bare mirrors; an interrupted command goes on where it ended."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.lab.corpora.conftest import commit_at
from wardround import host
from wardround.cli.process import Interrupted
from wardround.errors import GitError, SandboxError, UsageError
from wardround.storage.digest import sha256
from wardround_lab.corpora.git_history import HistoryLimits
from wardround_lab.corpora.miner import RecordLocation
from wardround_lab.corpora.secret_scan import SecretScan
from wardround_lab.experiments.instances import repository_mining
from wardround_lab.experiments.instances.gold import gold_of
from wardround_lab.experiments.instances.instance_file import read_instances
from wardround_lab.experiments.instances.instance_miner import InstanceMiner
from wardround_lab.experiments.instances.instance_set import InstanceSet
from wardround_lab.experiments.instances.mining_record import MiningRecord
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.instances.repository_mining import InstanceOptions

NAME = "own/shop"
OPTIONS = InstanceOptions(python=sys.prefix, whole_suite=False, suite_s=60)
SHOP = "def total(prices):\n    return {total}\n\n\ndef mean(prices):\n    return {mean}\n"
TESTS = "from shop import mean, total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
MEAN = "\n\ndef test_mean():\n    assert mean([]) == 0\n"
SECOND = "\n\ndef test_start():\n    assert total([1], 2) == 3\n"


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    """A fix, a feature with the word fix, and a fix whose test passed before; the newest is the last."""
    fixed = "sum(prices) / len(prices) if prices else 0"
    files = {
        "shop.py": SHOP.format(total="sum(prices)", mean="sum(prices) / len(prices)"),
        "test_shop.py": TESTS,
    }
    commit_at(repo, 1, files, "Sum prices")
    files = {"shop.py": SHOP.format(total="sum(prices)", mean=fixed), "test_shop.py": TESTS + MEAN}
    commit_at(repo, 2, files, "Fix the mean of an empty basket (#3)\n\nSee shop.py")
    started = SHOP.format(total="sum(prices, first)", mean=fixed).replace(
        "total(prices)", "total(prices, first=0)"
    )
    commit_at(repo, 3, {"shop.py": started, "test_shop.py": TESTS + MEAN + SECOND.replace("2)", "first=2)")},
              "Fix totals that need a first price")  # fmt: skip
    commit_at(repo, 4, {"shop.py": started + "\n# a shop\n", "test_shop.py": TESTS + MEAN + SECOND},
              "Fix the wrong call of totals in a test")  # fmt: skip
    return repo


@pytest.fixture
def mine(tmp_path: Path) -> Callable[..., MiningRecord]:
    def mined(
        *locations: RecordLocation, options: InstanceOptions = OPTIONS, kept: str = "", folder: str = "out"
    ) -> MiningRecord:
        scan = SecretScan(host.load().specialists)
        miner = InstanceMiner(
            tmp_path / folder, HistoryLimits(), options, kept.__eq__, scan, os.environ, lambda text: None
        )
        return miner.mine(locations)

    return mined


def instances_in(folder: Path) -> list[MinedInstance]:
    return read_instances(folder / "instances.jsonl")


def test_a_bare_mirror_gives_instances_that_experiments_open(
    shop: GitRepository, tmp_path: Path, mine: Callable[..., MiningRecord]
) -> None:
    mirror = tmp_path / "mirror.git"
    shop.git("clone", "--quiet", "--mirror", shop.root, mirror)

    record = mine(RecordLocation(mirror, NAME))
    (instance,) = instances_in(tmp_path / "out")

    assert instance.text == "Fix the mean of an empty basket\nSee"
    assert (instance.repository, instance.date[:10]) == (NAME, "2020-09-15")
    assert instance.fail_to_pass == ("test_shop.py::test_mean",)
    assert instance.pass_to_pass == ("test_shop.py::test_total",)
    assert "+    return sum(prices) / len(prices) if prices else 0" in instance.gold.splitlines()
    assert "test_shop.py" not in instance.gold
    assert instance.environment.startswith("Python 3.")
    with InstanceSet([instance], {NAME: mirror}).open(instance.id) as repository:
        assert gold_of(repository, instance).lines == {"shop.py": frozenset({6})}
    (counts,) = record.repositories
    assert counts.rejected == {
        "its failing tests use what the answer adds": 1,
        "its tests pass before the fix": 1,
    }
    assert (counts.commits, counts.candidates, counts.tries, counts.instances) == (4, 3, 3, 1)
    assert record.sha256 == sha256((tmp_path / "out" / "instances.jsonl").read_bytes()).hexdigest()
    written = json.loads((tmp_path / "out" / "instances.jsonl.record.json").read_bytes())
    assert written["filters"] | {"lines": "10", "whole_suite": "False"} == written["filters"]


def test_an_interrupted_command_goes_on_behind_the_last_candidate(
    shop: GitRepository, tmp_path: Path, mine: Callable[..., MiningRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    verified = [0]
    verify = repository_mining.verify

    def interrupted(*arguments: object, **options: object) -> object:
        verified[0] += 1
        if verified[0] == 2:
            raise Interrupted(2)
        return verify(*arguments, **options)

    monkeypatch.setattr(repository_mining, "verify", interrupted)
    with pytest.raises(Interrupted):
        mine(RecordLocation(shop.root, NAME))
    written = json.loads((tmp_path / "out" / "instances.jsonl.record.json").read_bytes())
    assert written["repositories"][0]["tries"] == 1

    record = mine(RecordLocation(shop.root, NAME))
    again = mine(RecordLocation(shop.root, NAME))

    assert verified[0] == 4
    assert record == again
    assert record.instances == len(instances_in(tmp_path / "out")) == 1


def test_an_instance_with_a_secret_is_rejected(
    repo: GitRepository, tmp_path: Path, mine: Callable[..., MiningRecord]
) -> None:
    key = "AKIA" + "Q3EGZ5DH7TKWBVN2"
    commit_at(repo, 1, {"shop.py": "key = None\n", "test_shop.py": ""}, "Start")
    commit_at(
        repo, 2, {"shop.py": f"key = '{key}'\n", "test_shop.py": "def test(): ..."}, "Fix the key of the shop"
    )

    (counts,) = mine(RecordLocation(repo.root, NAME)).repositories

    assert counts.rejected == {"it has a secret": 1}
    assert key not in (tmp_path / "out" / "parts" / "instances" / "own+shop.jsonl").read_text()


def test_tests_that_take_too_long_are_rejected(
    repo: GitRepository, mine: Callable[..., MiningRecord]
) -> None:
    commit_at(repo, 1, {"shop.py": "value = 0\n", "test_shop.py": ""}, "Start")
    test = "def test():\n    while True: ...\n"
    commit_at(repo, 2, {"shop.py": "value = 1\n", "test_shop.py": test}, "Fix the value of the shop")
    options = InstanceOptions(python=sys.prefix, whole_suite=False, suite_s=2)

    (counts,) = mine(RecordLocation(repo.root, NAME), options=options).repositories

    assert counts.rejected == {"its tests take longer than the limit": 1}


def test_without_a_sandbox_nothing_is_tried(
    shop: GitRepository, tmp_path: Path, mine: Callable[..., MiningRecord]
) -> None:
    settings = '[tool.wardround.sandbox]\nbackend = "podman"\n'
    test = "def test():\n    assert open('shop.py').read() == 'value = 1'\n"
    commit_at(shop, 5, {"pyproject.toml": settings}, "Choose a sandbox")
    commit_at(shop, 6, {"shop.py": "value = 1", "test_shop.py": test}, "Fix the value of the shop")

    with pytest.raises(SandboxError, match="podman"):
        mine(RecordLocation(shop.root, NAME))

    assert (tmp_path / "out" / "instances.jsonl").read_bytes() == b""


def test_the_number_of_instances_is_a_limit(shop: GitRepository, mine: Callable[..., MiningRecord]) -> None:
    options = InstanceOptions(each=1, python=sys.prefix, whole_suite=False)
    text = SHOP.format(total="sum(prices) if prices else None", mean="0")
    test = "from shop import total\n\n\ndef test_nothing():\n    assert total([]) is None\n"
    commit_at(shop, 5, {"shop.py": text, "test_shop.py": test}, "Fix the total of an empty basket")

    (counts,) = mine(RecordLocation(shop.root, NAME), options=options).repositories

    assert (counts.candidates, counts.tries, counts.instances) == (4, 1, 1)


@pytest.fixture
def empty(repo: GitRepository) -> Iterator[GitRepository]:
    commit_at(repo, 1, {"shop.py": ""}, "Start")
    return repo


def test_a_held_out_repository_is_not_mined(empty: GitRepository, mine: Callable[..., MiningRecord]) -> None:
    with pytest.raises(UsageError, match=r"own/shop is held out for evaluation; remove it"):
        mine(RecordLocation(empty.root, NAME), kept=NAME)


def test_two_repositories_need_two_names(empty: GitRepository, mine: Callable[..., MiningRecord]) -> None:
    with pytest.raises(UsageError, match=r"are both own/shop; rename one with NAME=PATH"):
        mine(RecordLocation(empty.root, NAME), RecordLocation(empty.root, NAME))


def test_a_folder_that_cannot_be_written_is_one_sentence(
    empty: GitRepository, mine: Callable[..., MiningRecord]
) -> None:
    with pytest.raises(UsageError, match=r"/proc/out: No such file or directory; choose a writable"):
        mine(RecordLocation(empty.root, NAME), folder="/proc/out")


def test_a_path_without_a_repository_is_named(tmp_path: Path, mine: Callable[..., MiningRecord]) -> None:
    with pytest.raises(GitError, match="is not in a git repository"):
        mine(RecordLocation(tmp_path, NAME))
