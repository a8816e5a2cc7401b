"""The instances of an experiment, with the clones that have their commits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from wardround.change.repository import Repository
from wardround.errors import UsageError
from wardround.storage.digest import sha256
from wardround_lab.experiments.instances.instance_file import encode_instances
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.instances.tested_base import commit_with_tests


class InstanceSet:
    """Instances by their ids.

    Args:
        clones: repository name -> its clone or mirror.

    Raises:
        UsageError: an instance has no clone.
    """

    def __init__(self, instances: Sequence[MinedInstance], clones: Mapping[str, Path]) -> None:
        self._instances = {instance.id: instance for instance in instances}
        self._clones = clones
        missing = sorted({instance.repository for instance in instances} - clones.keys())
        if missing:
            raise UsageError(f"no clone was given of {', '.join(missing)}; add one with --clone NAME=PATH")

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids in the order of the file."""
        return tuple(self._instances)

    @property
    def digest(self) -> str:
        """The digest of all instances with their answers."""
        return sha256(encode_instances(self._instances.values())).hexdigest()

    def __getitem__(self, instance_id: str) -> MinedInstance:
        return self._instances[instance_id]

    @contextmanager
    def open(self, instance_id: str) -> Iterator[Repository]:
        """Open the repository of an instance, in which its base exists.

        Raises:
            UsageError: the clone lacks the commits of the instance.
        """
        instance = self._instances[instance_id]
        folder = self._clones[instance.repository]
        with Repository(folder) as repository:
            for commit in (instance.parent, instance.commit):
                if not repository.has(commit):
                    raise UsageError(f"{folder} lacks commit {commit} of {instance.repository}; fetch it")
            if not repository.has(instance.base):  # no branch has it, so git removes it some time
                self._restore_base(repository, instance)
            yield repository

    def _restore_base(self, repository: Repository, instance: MinedInstance) -> None:
        base = commit_with_tests(repository, instance.parent, instance.commit, instance.tests)
        if base != instance.base:
            raise UsageError(f"the base of instance {instance.id} cannot be made again; mine it again")
