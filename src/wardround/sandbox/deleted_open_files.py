"""Deleted files that processes of a run have open: they occupy space in the file system and have no name."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress

import msgspec

_BLOCK_BYTES = 512
_DELETED = " (deleted)"
_DESCRIPTORS_UNDER_WAY = "scm_fds:"
"""The line for descriptors that were sent over a socket and not received yet: no process shows them."""


class HeldFiles(msgspec.Struct, frozen=True):
    """The deleted files of one file system that some processes have open.

    Attributes:
        size: bytes on disk of those that are open.
        is_complete: False if there are others, whose size is not known: mapped or sent over a socket.
    """

    size: int
    is_complete: bool


def deleted_open_files(processes: Iterable[int], device: int) -> HeldFiles:
    """Return the deleted files on a device that processes hold."""
    sizes: dict[int, int] = {}
    mapped: set[int] = set()
    is_complete = True
    for process in processes:
        for descriptor, found in _descriptors(process):
            if stat.S_ISSOCK(found.st_mode):
                is_complete &= not _has_descriptors_under_way(process, descriptor)
            elif stat.S_ISREG(found.st_mode) and found.st_nlink == 0 and found.st_dev == device:
                sizes[found.st_ino] = found.st_blocks * _BLOCK_BYTES
        mapped.update(_mapped_inodes(process, device))
    return HeldFiles(sum(sizes.values()), is_complete and mapped <= sizes.keys())


def _descriptors(process: int) -> Iterator[tuple[str, os.stat_result]]:
    folder = f"/proc/{process}/fd"
    with suppress(OSError):
        for name in os.listdir(folder):
            with suppress(OSError):
                yield name, os.stat(f"{folder}/{name}")


def _has_descriptors_under_way(process: int, descriptor: str) -> bool:
    lines = _lines(f"/proc/{process}/fdinfo/{descriptor}")
    counts = (line.partition(_DESCRIPTORS_UNDER_WAY) for line in lines)
    return any(int(count) for start, mark, count in counts if mark and not start)


def _mapped_inodes(process: int, device: int) -> Iterator[int]:
    """Yield the inodes of deleted files on the device that a process has in its memory."""
    for line in _lines(f"/proc/{process}/maps"):
        if line.endswith(_DELETED):
            major, _, minor = line.split()[3].partition(":")
            if os.makedev(int(major, 16), int(minor, 16)) == device:
                yield int(line.split()[4])


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:  # the process has ended
        return []
