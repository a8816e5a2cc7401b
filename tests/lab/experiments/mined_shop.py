"""An instance of a small project: its parent, the commit with the answer and the tests, and its inputs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from tests.authoring.shop_project import FAILING, FILES, GOOD, TESTS
from tests.conftest import GitRepository
from wardround import host
from wardround.authoring.endpoint.opening import EndpointAccess
from wardround.authoring.instance import Instance
from wardround.change.repository import Repository
from wardround.config.language_model import EndpointSettings
from wardround_lab.experiments.experiment_run import OpenRun, RunRequest
from wardround_lab.experiments.instances.instance_set import InstanceSet
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.instances.tested_base import commit_with_tests
from wardround_lab.experiments.lab_file import LabFile
from wardround_lab.experiments.lab_inputs import LabInputs
from wardround_lab.experiments.storage.model import Run
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage
from wardround_lab.experiments.storage.sql import open_sql_storage

OLD_TESTS = TESTS.partition("\n\n\ndef test_label_without_a_name")[0] + "\n"
FIXED = FILES["shop.py"].replace(GOOD["find"], GOOD["replace"])
TEXT = "Labels of items without a name\nAn item without a name has no label."
ENDPOINT_OF_NOBODY: Mapping[str, EndpointSettings] = {}


def mine_shop(repo: GitRepository) -> MinedInstance:
    """Commit the parent and the answer, and return the instance."""
    parent = repo.commit({**FILES, "tests/test_shop.py": OLD_TESTS})
    commit = repo.commit({"shop.py": FIXED, "tests/test_shop.py": TESTS, "CHANGES.md": "- Labels\n"})
    tests = ("tests/test_shop.py",)
    with Repository(repo.root) as repository:
        base = commit_with_tests(repository, parent, commit, tests)
        gold = repo.git("diff", parent, commit, "--", "shop.py", "CHANGES.md")
    return MinedInstance(
        id=Instance(base, TEXT, (FAILING,)).id,
        repository="acme/shop",
        commit=commit,
        parent=parent,
        base=base,
        date="2026-01-02T03:04:05Z",
        text=TEXT,
        gold=gold,
        tests=tests,
        fail_to_pass=(FAILING,),
        pass_to_pass=("tests/test_shop.py::test_label", "tests/test_shop.py::test_total"),
    )


@contextmanager
def lab_inputs(
    repo: GitRepository,
    mined: MinedInstance,
    folder: Path,
    endpoints: Mapping[str, EndpointSettings] = ENDPOINT_OF_NOBODY,
) -> Iterator[LabInputs]:
    """Open the inputs of a run on one instance, with a storage in a folder."""
    instances = InstanceSet([mined], {mined.repository: repo.root})
    run = Run(
        id="run-1",
        experiment="an-experiment",
        created="2026-01-02T03:04:05Z",
        version="0",
        instances=instances.ids,
        instances_digest=instances.digest,
    )
    environ = {**os.environ, "VIRTUAL_ENV": sys.prefix}
    with closing(open_sql_storage(folder / "lab.sqlite")) as storage:
        storage.begin_run(run)
        access = EndpointAccess(environ)
        yield LabInputs(run, instances, storage, host.load(), endpoints, access, environ, folder)


def open_run(
    repo: GitRepository, mined: MinedInstance, storage: SequenceStorage, experiment: str, file: LabFile
) -> OpenRun:
    """Begin a run of an experiment at one instance, with logs next to the repository."""
    return OpenRun(
        RunRequest(
            experiment=experiment,
            instances=InstanceSet([mined], {mined.repository: repo.root}),
            storage=storage,
            host=host.load(),
            file=file,
            assignments=(),
            access=EndpointAccess(os.environ),
            environ={**os.environ, "VIRTUAL_ENV": sys.prefix},
            logs=repo.root.parent,
        )
    )
