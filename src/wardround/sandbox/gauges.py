"""Samples of the resources of a run, measured from outside: its processes and the bytes of its tree."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from wardround.sandbox.deleted_open_files import deleted_open_files

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_BLOCK_BYTES = 512
_MOST_ENTRIES = 400_000
"""Files and folders that a tree may have; each one costs the file system a kilobyte or more."""
_LONGEST_PATH = 3800
"""Bytes of a path; the kernel opens no path above 4096 bytes."""
_MOST_THREADS = 100_000
_RECOUNT_S = 2.0
"""The interval of counts when the free space of the file system does not hint at growth."""


class ProcessSample(msgspec.Struct, frozen=True):
    """The living processes of a run, with the CPU time of their reaped children."""

    threads: int
    memory_bytes: int
    cpu_s: float


def sample_processes(root: int, most: int, memory_limit: int) -> ProcessSample:
    """Measure a process and all its descendants.

    Args:
        most: threads after which counting stops.
        memory_limit: bytes above which shared memory is attributed in proportion, which takes longer.
    """
    found, threads = _descendants(root, most)
    memory = sum(map(_resident_bytes, found))
    if memory > memory_limit:
        memory = sum(map(_proportional, found))
    return ProcessSample(threads, memory, sum(map(_cpu_s, found)))


def _descendants(root: int, most: int) -> tuple[list[int], int]:
    pending, found, threads = [root], [], 0
    while pending and threads <= most:
        process = pending.pop()
        found.append(process)
        with suppress(OSError):
            tasks = os.listdir(f"/proc/{process}/task")
            threads += len(tasks)
            for task in tasks:
                pending += map(int, _read_process_file(f"/proc/{process}/task/{task}/children").split())
    return found, threads


def _read_process_file(path: str) -> bytes:
    """Return a file of a process; empty if the process has ended."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _resident_bytes(process: int) -> int:
    fields = _read_process_file(f"/proc/{process}/statm").split()
    return int(fields[1]) * _PAGE_BYTES if len(fields) > 1 else 0


def _proportional(process: int) -> int:
    """Return the resident memory, a page shared by N processes counted as 1/N."""
    for line in _read_process_file(f"/proc/{process}/smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    return _resident_bytes(process)


def _cpu_s(process: int) -> float:
    fields = _read_process_file(f"/proc/{process}/stat").rpartition(b")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS_PER_S


class TreeGauge:
    """Counts the bytes of a folder, when the free space of its file system suggests that it grew.

    Deleted files that a process of the run holds count. Where the size of some cannot be known, the space
    that the file system lost since the start counts instead.
    """

    def __init__(self, folder: Path, most_bytes: int, recount_s: float = _RECOUNT_S) -> None:
        self._recount_s = recount_s
        self._folder = folder
        self._most_bytes = most_bytes
        self._device = os.stat(folder).st_dev
        self._free_before, self._nodes_before = self._free()
        self._counted_at = time.monotonic()

    def is_exceeded(self, process: int | None = None) -> bool:
        """Return True if the folder, with the files that a process and its descendants hold, has more than it
        may.
        """
        free, nodes = self._free()
        lost = self._free_before - free
        grew = lost > self._most_bytes // 2 or self._nodes_before - nodes > _MOST_ENTRIES // 2
        if not grew and time.monotonic() - self._counted_at < self._recount_s:
            return False
        counted = _count_entries(self._folder, self._most_bytes, _MOST_ENTRIES)
        processes = [] if process is None else _descendants(process, _MOST_THREADS)[0]
        held = deleted_open_files(processes, self._device)
        self._counted_at = time.monotonic()
        size = counted.size + held.size
        if not (counted.is_complete and held.is_complete):
            size = max(size, lost)
        return size > self._most_bytes or counted.entries > _MOST_ENTRIES

    def _free(self) -> tuple[int, int]:
        system = os.statvfs(self._folder)
        return system.f_bavail * system.f_frsize, system.f_ffree


class _Count:
    """The bytes on disk and the entries below a folder; incomplete if a folder is closed to its owner."""

    def __init__(self) -> None:
        self.size = 0
        self.entries = 0
        self.is_complete = True

    def add(self, entry: os.DirEntry[str]) -> None:
        self.entries += 1
        with suppress(OSError):
            self.size += entry.stat(follow_symlinks=False).st_blocks * _BLOCK_BYTES


def _count_entries(folder: Path, most_bytes: int, most_entries: int) -> _Count:
    """Count the files and bytes below a folder; counting stops above either limit."""
    count = _Count()
    for entry in _entries(folder, count):
        count.add(entry)
        if len(os.fsencode(entry.path)) > _LONGEST_PATH:  # below it nothing can be counted
            count.size = most_bytes + 1
        if count.size > most_bytes or count.entries > most_entries:
            break
    return count


def _entries(folder: Path, count: _Count) -> Iterator[os.DirEntry[str]]:
    pending = [str(folder)]
    while pending:
        try:
            with os.scandir(pending.pop()) as found:
                for entry in found:
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
        except PermissionError:
            count.is_complete = False
        except OSError:  # it was removed
            continue
