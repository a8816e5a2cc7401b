"""An instance of a small repository: a commit that corrects a fault, with the test that it adds."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.authoring.shop_project import CODE, FILES, TESTS
from tests.conftest import GitRepository
from wardround import host
from wardround.authoring.endpoint.opening import EndpointAccess
from wardround.authoring.instance import Instance
from wardround.change.repository import Repository
from wardround_lab.experiments.experiment_run import OpenRun, RunRequest
from wardround_lab.experiments.instances.instance_set import InstanceSet
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.instances.tested_base import commit_with_tests
from wardround_lab.experiments.lab_file import LabFile
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage

TEST = "tests/test_shop.py"
FAILING = f"{TEST}::test_label_without_a_name"
OLD_TESTS = TESTS.partition("\n\n\ndef test_label_without")[0] + "\n"
TASK = "The label of an item without a name is an empty text"
FIXED = CODE.replace('item["name"].lower()', 'item.get("name", "").lower()')
REPOSITORY = "owner/shop"


def commit_instance(repo: GitRepository, text: str = TASK) -> MinedInstance:
    """Commit the fault and its correction, and return the instance."""
    parent = repo.commit({**FILES, TEST: OLD_TESTS})
    commit = repo.commit({"shop.py": FIXED, TEST: TESTS})
    with Repository(repo.root) as repository:
        base = commit_with_tests(repository, parent, commit, [TEST])
    return MinedInstance(
        id=Instance(base, text, (FAILING,)).id,
        repository=REPOSITORY,
        commit=commit,
        parent=parent,
        base=base,
        date="2024-05-01T00:00:00Z",
        text=text,
        gold=repo.git("diff", parent, commit, "--", "shop.py"),
        tests=(TEST,),
        fail_to_pass=(FAILING,),
        pass_to_pass=(f"{TEST}::test_label", f"{TEST}::test_total"),
    )


def open_run(
    repo: GitRepository,
    instance: MinedInstance,
    storage: SequenceStorage,
    experiment: str,
    file: LabFile,
    logs: Path,
    environ: Mapping[str, str] | None = None,
) -> OpenRun:
    """Begin a run of an experiment at one instance."""
    environ = os.environ if environ is None else environ
    return OpenRun(
        RunRequest(
            experiment=experiment,
            instances=InstanceSet([instance], {REPOSITORY: repo.root}),
            storage=storage,
            host=host.load(),
            file=file,
            assignments=(),
            access=EndpointAccess(environ),
            environ={**environ, "VIRTUAL_ENV": sys.prefix},
            logs=logs,
        )
    )
