"""The golden instances: their tests fail at the base, pass with the fix, and reject a wrong patch."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from wardround.change.repository import Repository
from wardround.config.sandbox_settings import SandboxSettings
from wardround.errors import UsageError
from wardround.workflows.environments.existing_python import existing_python
from wardround_lab.experiments.instances.commit_environment import CommitEnvironment
from wardround_lab.experiments.instances.gold import gold_of
from wardround_lab.experiments.instances.golden import (
    Fault,
    GoldenInstance,
    make_repository,
    read_golden,
)
from wardround_lab.experiments.instances.instance_file import encode_instances, read_instances
from wardround_lab.experiments.instances.instance_set import InstanceSet
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.instances.script_test_runs import run_scripts
from wardround_lab.experiments.instances.test_runs import TestRun, TestRuns

FOLDER = Path(__file__).parents[3] / "evals" / "golden"
GOLDEN = read_golden(FOLDER)
ENVIRON = {**os.environ, "VIRTUAL_ENV": sys.prefix}


class Judge:
    """Runs the tests of an instance at its commits."""

    def __init__(self, repository: Repository, mined: MinedInstance, language: str, logs: Path) -> None:
        self._repository = repository
        self._mined = mined
        self._logs = logs
        self._python = existing_python(repository.root, ENVIRON) if language == "python" else None

    def run(self, side: str) -> TestRun:
        if self._python is None:
            return run_scripts(self._repository, side, self._mined.tests, ENVIRON, self._logs / "tests.log")
        runs = TestRuns(self._repository, 60, ENVIRON, self._logs, lambda text: None)
        found = CommitEnvironment(self._python, "", SandboxSettings())
        return runs.run(side, found, self._mined.tests, 1)

    def accepts(self, side: str) -> bool:
        return self.run(side).accepts(self._mined.fail_to_pass, self._mined.pass_to_pass)


def test_every_kind_of_fault_is_there_in_both_languages() -> None:
    found = Counter((golden.description.fault, golden.description.language) for golden in GOLDEN)

    assert found == dict.fromkeys(
        ((fault, language) for fault in Fault for language in ("python", "javascript")), 1
    )


@pytest.fixture(params=GOLDEN, ids=lambda golden: golden.name)
def golden(request: pytest.FixtureRequest) -> Iterator[GoldenInstance]:
    if request.param.description.language == "javascript" and shutil.which("node") is None:
        pytest.skip("Node.js is not installed")
    return request.param


def test_the_tests_accept_the_fix_alone(golden: GoldenInstance, tmp_path: Path) -> None:
    made = make_repository(golden, tmp_path / "repository")
    mined = made.mined
    with Repository(tmp_path / "repository") as repository:
        judge = Judge(repository, mined, golden.description.language, tmp_path)
        base = judge.run(mined.base)

        assert base.failed == set(mined.fail_to_pass)
        assert base.passed == set(mined.pass_to_pass)
        assert judge.accepts(mined.commit)
        assert not judge.accepts(made.wrong)


def test_an_instance_can_be_opened_by_experiments(tmp_path: Path) -> None:
    mined = make_repository(GOLDEN[0], tmp_path / "repository").mined
    file = tmp_path / "instances.jsonl"
    file.write_bytes(encode_instances([mined]))

    instances = InstanceSet(read_instances(file), {mined.repository: tmp_path / "repository"})

    with instances.open(mined.id) as repository:
        assert gold_of(repository, mined).lines.keys() == GOLDEN[0].fix.keys()


def test_equal_folders_make_equal_instances(tmp_path: Path) -> None:
    made = [make_repository(GOLDEN[0], tmp_path / name) for name in ("first", "second")]

    assert made[0] == made[1]


def test_a_folder_without_instances_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no folder in it has a file instance\.json"):
        read_golden(tmp_path)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        (
            "instance.json",
            '{"fault": "typo"}',
            r"it does not describe a golden instance \(.*Invalid enum value 'typo'",
        ),
        ("wrong", "", r"it has no files in wrong; add them"),
    ],
)
def test_an_incomplete_instance_is_named(tmp_path: Path, file: str, text: str, message: str) -> None:
    folder = tmp_path / GOLDEN[0].name
    shutil.copytree(FOLDER / GOLDEN[0].name, folder)
    if text:
        (folder / file).write_text(text)
    else:
        shutil.rmtree(folder / file)

    with pytest.raises(UsageError, match=message):
        read_golden(tmp_path)
