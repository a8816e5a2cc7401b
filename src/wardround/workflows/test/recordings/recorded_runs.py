"""The functions that each test ran, from the contexts of a run with coverage.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from operator import or_

import msgspec

from wardround.context.line_coverage.context_lines import ContextLines
from wardround.workflows.test.python_code.file_roles import files_compared_by_content
from wardround.workflows.test.python_code.outline import Outline, Sharing, outline
from wardround.workflows.test.recordings.shown_ids import stored_id

MODULE = -1
"""The number of a file's module-level statements among its functions."""
Ran = frozenset[int]
"""Numbers of functions in the outline of a file, or ``MODULE``."""


class OutlinedFile(msgspec.Struct, frozen=True):
    """A version of a file, by its object id in git."""

    path: str
    blob: str
    outline: Outline


class RecordedRun(msgspec.Struct, frozen=True):
    """The functions that one test executed, in the versions of files that it ran with.

    Attributes:
        test: its id, as pytest writes it.
        ran: file -> numbers of functions; of the file of the test, at least ``MODULE``.
        sharing: the tests that its setup served.
        shared: the part of ``ran`` that its setup and teardown ran.
    """

    test: str
    ran: Mapping[tuple[str, str], Ran]
    sharing: Sharing = Sharing.ONE_TEST
    shared: Mapping[tuple[str, str], Ran] = {}

    @property
    def file(self) -> str:
        """The path of the file of the test."""
        return self.test.partition("::")[0]


class Recording(msgspec.Struct, frozen=True):
    """Runs of tests with the files that they ran.

    Attributes:
        files: path and blob -> the file.
        outside: the functions that ran outside of every test, as when files are imported.
        others: path -> blob of the files of the tree that are compared as one piece.
        is_complete: it is of all tests.
        installed: normal name -> version of the packages in the environment; empty if they are not known.
    """

    runs: tuple[RecordedRun, ...] = ()
    files: Mapping[tuple[str, str], OutlinedFile] = {}
    outside: Mapping[tuple[str, str], Ran] = {}
    others: Mapping[str, str] = {}
    is_complete: bool = False
    installed: Mapping[str, str] = {}


class _Masks(msgspec.Struct, frozen=True):
    """The lines of a file by function, as bits."""

    file: OutlinedFile
    functions: tuple[int, ...]
    others: int

    def ran(self, lines: int) -> Ran:
        found = {number for number, mask in enumerate(self.functions) if lines & mask}
        return frozenset(found | {MODULE}) if lines & self.others else frozenset(found)


def record(
    rows: Iterable[ContextLines],
    paths: Mapping[str, str],
    blobs: Mapping[str, str],
    read: Callable[[str], str | None],
    *,
    is_complete: bool,
) -> Recording:
    """Return the recording of a run.

    Args:
        paths: path in the data -> path in the repository, without those outside of it.
        blobs: path -> object id, of the tree in which the tests ran.
        read: path -> its text in that tree.
        is_complete: all tests of the tree were run.
    """
    masks: dict[str, _Masks] = {}
    phases: dict[tuple[str, bool], dict[tuple[str, str], set[int]]] = {}
    for row in rows:
        path = paths.get(row.path, "")
        if path not in masks and path in blobs and path.endswith(".py"):
            masks[path] = _masks(OutlinedFile(path, blobs[path], outline(read(path) or "")))
        ran = masks[path].ran(row.lines) if path in masks else None
        if ran:
            phase = phases.setdefault((stored_id(row.test), row.phase != "run"), {})
            phase.setdefault((path, blobs[path]), set()).update(ran)
    files = {(mask.file.path, mask.file.blob): mask.file for mask in masks.values()}
    tests = {test for test, _ in phases}.difference({""})
    runs = tuple(_run(test, phases, files) for test in sorted(tests))
    return Recording(
        runs,
        files,
        _freeze(phases.get(("", False), {})),
        files_compared_by_content(blobs, masks.keys()),
        is_complete,
    )


def _run(
    test: str,
    phases: Mapping[tuple[str, bool], Mapping[tuple[str, str], set[int]]],
    files: Mapping[tuple[str, str], OutlinedFile],
) -> RecordedRun:
    ran, around = phases.get((test, False), {}), phases.get((test, True), {})
    both = {key: ran.get(key, set()) | around.get(key, set()) for key in sorted({*ran, *around})}
    own = next((key for key in files if key[0] == test.partition("::")[0]), None)
    if own is not None and own not in both:
        both[own] = {MODULE}  # a test that its class inherits
    sharing = max(
        (_sharing_of_recording(files[key].outline, numbers) for key, numbers in around.items()),
        default=Sharing.ONE_TEST,
    )
    return RecordedRun(test, _freeze(both), sharing, _freeze(around) if sharing else {})


def _sharing_of_recording(found: Outline, numbers: Iterable[int]) -> Sharing:
    return max(
        (found.functions[number].sharing for number in numbers if number != MODULE), default=Sharing.ONE_TEST
    )


def _freeze(ran: Mapping[tuple[str, str], Iterable[int]]) -> dict[tuple[str, str], Ran]:
    return {key: frozenset(numbers) for key, numbers in ran.items()}


def _masks(file: OutlinedFile) -> _Masks:
    functions = tuple(
        reduce(or_, (_bits(first, last) for first, last in function.ranges), 0)
        for function in file.outline.functions
    )
    others = 0
    for statement in file.outline.statements:
        others |= _bits(statement.line, statement.end_line)
    return _Masks(file, functions, others)


def _bits(first: int, last: int) -> int:
    """Return the lines from one to another as bits."""
    return ((1 << max(last - first + 1, 0)) - 1) << first
