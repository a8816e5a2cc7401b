"""One process of a test framework in the sandbox, on a separate tree."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from wardround.change.repository import Repository
from wardround.sandbox.choices import NONE
from wardround.sandbox.model import Limits, Outcome, State
from wardround.sandbox.run import run
from wardround.sandbox.tree import EphemeralTree
from wardround.sandbox.visible import INNER_ROOT
from wardround.workflows.environments.model import Environment, link_packages
from wardround.workflows.inner_program import program_command, program_view
from wardround.workflows.test.recordings.session_lines import MOST_DATA_BYTES
from wardround.workflows.test.recordings.shown_ids import shown_id
from wardround.workflows.test.runs import session_events as events

_FOLDER = ".wardround-run"
"""The folder of the tree with the request and the results of the run."""
_POLL_S = 0.1
_MOST_SHOWN = 200
"""Characters of the name of a test in the line of progress."""
Progress = Callable[[str], None]


class SessionRequest(msgspec.Struct, frozen=True):
    """The tests of one process.

    Attributes:
        project: the folder in which the framework runs, relative to the tree.
        tests: ids, those most likely to fail first; the path of a file includes all of its tests.
        is_filtered: run these alone; otherwise all, these first.
        is_exact: run them in exactly this order.
        paths: files that the framework would not find by itself.
        left_out: folders that are not collected, as their ``conftest.py`` fails.
        budget_s: elapsed time.
        test_s: elapsed time of one test.
    """

    framework: str
    project: str
    tests: tuple[str, ...]
    budget_s: float
    test_s: float
    is_filtered: bool = True
    is_exact: bool = False
    is_recorded: bool = False
    paths: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


class SessionResult(msgspec.Struct, frozen=True):
    """The end of one process, and the results that it reported before.

    Attributes:
        root: the absolute path of the tree, as the run had it.
        data: the recorded lines as JSON; None if there are none.
        excess: a sentence if the run wrote more events than are read, so that it has no results; else empty.
        event_bytes: the size of all events.
    """

    outcome: Outcome
    events: tuple[events.Event, ...]
    root: str
    data: bytes | None = None
    excess: str = ""
    event_bytes: int = 0

    @property
    def is_complete(self) -> bool:
        """True if the framework ended by itself, after it had collected tests."""
        kinds = {type(event) for event in self.events}
        return kinds >= {events.Finished, events.Collected}


class Sessions(msgspec.Struct, frozen=True):
    """The resources for running processes on the repository at base or head.

    Attributes:
        side: a commit, or the index.
        limits: resource limits of each process, except for its elapsed time.
        measured: paths of the files whose branches are recorded.
        progress: shows the current step.
    """

    repository: Repository
    side: str
    environment: Environment
    isolation: str
    limits: Limits
    environ: Mapping[str, str]
    progress: Progress
    measured: tuple[str, ...] = ()

    def run(self, request: SessionRequest, log: Path) -> SessionResult:
        """Run one process to its end on a new copy of the tree.

        Raises:
            GitError: the tree cannot be written.
        """
        with EphemeralTree(self.repository, self.side) as tree:
            link_packages(self.environment, tree.root)
            root = str(tree.root) if self.isolation == NONE else INNER_ROOT
            with _event_file(tree.root) as file:
                _write_request(tree.root, root, request, self.measured)
                reader = events.EventFile(file)
                with _watch(reader, len(request.tests), self.progress) as seen:
                    outcome = self._start(tree, root, request, log)
            if reader.excess:
                return SessionResult(outcome, (), root, None, _too_much(request, reader.excess), reader.size)
            data = tree.read(f"{_FOLDER}/data", MOST_DATA_BYTES) if request.is_recorded else None
            return SessionResult(outcome, tuple(seen), root, data or None, event_bytes=reader.size)

    def _start(self, tree: EphemeralTree, root: str, request: SessionRequest, log: Path) -> Outcome:
        folder = os.path.join(root, request.project)
        command = program_command("sessions.start", folder, f"{root}/{_FOLDER}/request.json")
        limits = msgspec.structs.replace(self.limits, wall_s=request.budget_s)
        return run(
            command, tree, limits,
            log=log, visible=program_view(self.environment.visible, root), isolation=self.isolation,
            environ=self.environ,
        )  # fmt: skip


def _too_much(request: SessionRequest, excess: str) -> str:
    return (
        f"the results of {request.framework} were discarded: its run wrote {excess} into the file of its "
        "events, which the tests can reach"
    )


@contextmanager
def _event_file(tree: Path) -> Iterator[int]:
    folder = tree / _FOLDER
    folder.mkdir()
    file = os.open(folder / "events", os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        yield file
    finally:
        os.close(file)


def _write_request(tree: Path, root: str, request: SessionRequest, measured: Sequence[str]) -> None:
    values = {
        "framework": request.framework,
        "root": root,
        "results": f"{root}/{_FOLDER}/events",
        "data": f"{root}/{_FOLDER}/data" if request.is_recorded else "",
        "tests": request.tests,
        "is_filtered": request.is_filtered,
        "is_exact": request.is_exact,
        "paths": [os.path.join(root, path) for path in request.paths],
        "left_out": request.left_out,
        "measured": [os.path.join(root, path) for path in measured],
        "budget_s": request.budget_s * _OWN_SHARE,
        "test_s": request.test_s,
    }
    (tree / _FOLDER / "request.json").write_bytes(msgspec.json.encode(values))


_OWN_SHARE = 0.95
"""The fraction of the time limit after which the framework begins no test, so that it can write its
recording.
"""


@contextmanager
def _watch(reader: events.EventFile, planned: int, progress: Progress) -> Iterator[list[events.Event]]:
    """Show the progress in a thread; at the end the list holds all events."""
    seen: list[events.Event] = []
    is_over = threading.Event()
    shown = _Progress(planned)

    def watch() -> None:
        while not is_over.wait(_POLL_S):
            if found := reader.new():
                seen.extend(found)
                progress(shown.after(found))

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        is_over.set()
        thread.join()
        seen.extend(reader.new())


class _Progress:
    """The line that shows how far a run is."""

    def __init__(self, planned: int) -> None:
        self._total = planned
        self._ended = 0
        self._failed = 0
        self._current = "collecting"

    def after(self, found: Sequence[events.Event]) -> str:
        """Return the line after some events."""
        for event in found:
            if isinstance(event, events.Ended):
                self._ended += 1
                self._failed += event.outcome in ("failed", "error")
            elif isinstance(event, events.Collected):
                self._total = len(event.tests)
            elif isinstance(event, events.Begun):
                self._current = shown_id(event.test)[:_MOST_SHOWN]
        return f"{self._ended} of {self._total} tests, {self._failed} failed: {self._current}"


def ending(outcome: Outcome) -> str:
    """Return the way in which a process ended, as a clause."""
    if outcome.state is not State.FINISHED:
        return outcome.detail
    if outcome.signal is not None:
        return f"the process was ended by signal {outcome.signal}"
    return f"the process exited with status {outcome.status}"
