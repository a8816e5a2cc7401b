"""The recorded lines of the processes of a run: for the store of runs, and for the coverage of the change."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping

import msgspec

from wardround.change.repository import Repository
from wardround.workflows.test.python_code.tree import TreeUnderTest
from wardround.workflows.test.recordings.changed_lines import executed_lines
from wardround.workflows.test.recordings.recorded_runs import Recording, record
from wardround.workflows.test.recordings.recording import paths_in
from wardround.workflows.test.recordings.run_store import RunStore
from wardround.workflows.test.recordings.session_lines import Branches, recorded_lines
from wardround.workflows.test.runs.session import SessionResult


class RecordedLines:
    """The lines that the processes of a run recorded.

    Attributes:
        executed: path -> bits of the lines that ran.
        branches: path -> line -> its branches, and the maximum number taken in one process.
    """

    def __init__(self, head: TreeUnderTest) -> None:
        self._head = head
        self._recordings: list[Recording] = []
        self.executed: dict[str, int] = {}
        self.branches: dict[str, dict[int, tuple[int, int]]] = {}

    def add(self, session: SessionResult, bounded: Collection[str], *, is_complete: bool) -> None:
        """Add the lines of a process.

        Args:
            bounded: ids of the tests whose lines are all that they depend on: they passed.
            is_complete: all tests of the tree are in it.
        """
        rows, branches = recorded_lines(session.data)
        if not rows:
            return
        self._add_branches(branches)
        paths = paths_in(rows, self._head, session.root)
        for path, lines in executed_lines(rows, paths).items():
            self.executed[path] = self.executed.get(path, 0) | lines
        found = record(rows, paths, self._head.blobs, self._head.text, is_complete=is_complete)
        runs = tuple(run for run in found.runs if run.test in bounded)
        self._recordings.append(msgspec.structs.replace(found, runs=runs))

    def _add_branches(self, found: Branches) -> None:
        for path, lines in found.items():
            known = self.branches.setdefault(path, {})
            for line, (ways, used) in lines.items():
                known[line] = ways, max(used, known.get(line, (0, 0))[1])

    def store(
        self,
        repository: Repository,
        failed: Collection[str],
        passed: Collection[str],
        installed: Mapping[str, str],
    ) -> str:
        """Store the runs and the failures for later plans.

        Args:
            installed: the packages in the environment of the runs; empty if they are not known.

        Returns:
            A sentence if that is impossible, else an empty text.
        """
        try:
            store = RunStore.open(repository.git_dir)
            try:
                for recording in self._recordings:
                    if recording.runs:
                        store.add(msgspec.structs.replace(recording, installed=installed))
                store.mark(failed, passed)
                return store.problem
            finally:
                store.close()
        except (OSError, sqlite3.Error) as cause:
            return f"The runs were not stored ({cause}), so that the next plan is not smaller."


def executed_in(session: SessionResult, tree: TreeUnderTest) -> dict[str, int]:
    """Return the lines that a process ran, by path, as bits."""
    rows, _ = recorded_lines(session.data)
    return executed_lines(rows, paths_in(rows, tree, session.root))
