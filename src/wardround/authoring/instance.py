"""The instances that stages work at: a task, the commit it starts from, and the tests that define it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import msgspec

from wardround.change.repository import Repository
from wardround.context.ticket.model import Ticket
from wardround.storage.digest import sha256

ID_LENGTH = 16


class Constraint(msgspec.Struct, frozen=True):
    """A demand on every patch of a task.

    Attributes:
        text: as its file has it.
        line: 1-based line in that file.
    """

    text: str
    line: int


class Instance(msgspec.Struct, frozen=True):
    """A task of a repository.

    Attributes:
        base: id of the commit from which patches are made.
        text: the task in words; empty if only tests define it.
        failing_tests: ids of the tests, relative to the root, that fail at the base and must pass.
        ticket: the structured form of the text, if it is a ticket.
    """

    base: str
    text: str = ""
    failing_tests: tuple[str, ...] = ()
    ticket: Ticket | None = None
    constraints: tuple[Constraint, ...] = ()

    @property
    def id(self) -> str:
        """The digest of everything above; equal tasks have the same one on every machine."""
        return sha256(msgspec.json.encode(self)).hexdigest()[:ID_LENGTH]


class InstanceSource(Protocol):
    """Provides the instances of one or more repositories."""

    def instance(self, instance_id: str) -> Instance:
        """Return an instance; raise ``KeyError`` if there is none."""
        ...

    def repository(self, instance_id: str) -> Repository:
        """Return its repository, which remains open as long as the source."""
        ...


class RepositoryInstances:
    """Instances of one open repository."""

    def __init__(self, repository: Repository, instances: Iterable[Instance]) -> None:
        self._repository = repository
        self._instances = {instance.id: instance for instance in instances}

    def instance(self, instance_id: str) -> Instance:
        return self._instances[instance_id]

    def repository(self, instance_id: str) -> Repository:
        self._instances[instance_id]
        return self._repository
