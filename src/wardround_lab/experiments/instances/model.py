"""An instance as the file of instances has it, with its answer."""

from __future__ import annotations

import msgspec

from wardround.authoring.instance import Instance

SCHEMA = "wardround.instance/1"


class MinedInstance(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A task of a repository, the patch that solved it, and the tests that judge patches.

    Attributes:
        id: that of the instance with its failing tests.
        repository: ``owner/name``, or the name of the folder.
        commit: id of the commit with the answer.
        parent: id of its parent.
        base: id of a commit that no branch has: the parent with the tests of the commit.
        date: that of the commit, ISO 8601 in UTC.
        text: the task in words, without names and code that give the answer away.
        gold: the answer, a unified diff of the files that are not tests.
        tests: paths of the test files that the base has from the commit.
        fail_to_pass: ids of tests that fail at the base and pass with the answer, each time.
        pass_to_pass: ids of tests that pass at the base and with the answer, each time.
        environment: where the packages of the runs came from.
    """

    schema: str = SCHEMA
    id: str
    repository: str
    commit: str
    parent: str
    base: str
    date: str
    text: str
    gold: str
    tests: tuple[str, ...] = ()
    fail_to_pass: tuple[str, ...] = ()
    pass_to_pass: tuple[str, ...] = ()
    environment: str = ""

    @property
    def with_tests(self) -> Instance:
        """The task by its words and its failing tests, at the base."""
        return Instance(self.base, self.text, self.fail_to_pass)

    @property
    def in_words(self) -> Instance:
        """The task by its words alone, at the parent: the tests are hidden."""
        return Instance(self.parent, self.text)
