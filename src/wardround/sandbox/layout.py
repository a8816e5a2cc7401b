"""The file system of a run, as steps that each back end with its own namespaces executes.

A step is a kind and its operands: ``ro-bind``, ``ro-bind-try`` and ``bind`` (a path outside, a path inside),
``symlink`` (target, path), ``dir``, ``proc``, ``dev`` and ``remount-ro`` (path), ``tmpfs`` (path, bytes),
``data`` (path, text).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from wardround.sandbox.backend import RunRequest
from wardround.sandbox.model import Limits
from wardround.sandbox.visible import INNER_HOME, INNER_ROOT, SYSTEM_FILES, SYSTEM_LINKS

Step = tuple[str, ...]

USER = "1000"
"""The id of the user and of the group inside."""
_SHARED_MEMORY_BYTES = 64 * 1024 * 1024
_COVER_BYTES = 64 * 1024
_READ_ONLY_PROC = ("bus", "fs", "irq", "sys", "sysrq-trigger", "mtrr")
"""Files of the kernel that root may write; a run started by root has its user id outside."""
_HIDDEN_PROC_FILES = (
    "kallsyms", "kcore", "key-users", "keys", "kmsg", "kpagecgroup", "kpagecount", "kpageflags",
    "latency_stats", "sched_debug", "timer_list",
)  # fmt: skip
_HIDDEN_PROC_FOLDERS = ("acpi", "asound", "driver", "scsi")
_ACCOUNTS = {
    "/etc/passwd": f"user:x:{USER}:{USER}::{INNER_HOME}:/bin/sh\n",
    "/etc/group": f"user:x:{USER}:\n",
    "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
}


def steps(request: RunRequest) -> Iterator[Step]:
    """Yield the steps in their order."""
    yield from _system_steps()
    yield from _proc_steps()
    yield from _scratch_steps(request.limits)
    for path, text in _ACCOUNTS.items():
        yield "data", path, text
    for folder in request.hidden:
        yield "tmpfs", str(folder), str(_COVER_BYTES)
    for shown in request.visible.read_only:
        yield "ro-bind", str(shown), str(shown)
    for folder in request.hidden:
        yield "remount-ro", str(folder)
    yield from _tree_steps(request)
    yield "remount-ro", "/dev"


def _tree_steps(request: RunRequest) -> Iterator[Step]:
    """Yield the tree, then the parts of it that have other rights, the outer ones first."""
    yield "bind", str(request.root), INNER_ROOT
    for kind, paths in (("ro-bind", request.visible.fixed), ("bind", request.visible.writable)):
        for path in sorted(paths):
            yield kind, str(request.root / path), tree_path(path)


def tree_path(path: str) -> str:
    """Return the path of a part of the tree for a run."""
    return os.path.normpath(f"{INNER_ROOT}/{path}")


def _system_steps() -> Iterator[Step]:
    for path in SYSTEM_LINKS:
        if os.path.islink(path):
            yield "symlink", os.readlink(path), path
        else:
            yield "ro-bind-try", path, path
    for path in SYSTEM_FILES:
        yield "ro-bind-try", path, path


def _proc_steps() -> Iterator[Step]:
    yield "proc", "/proc"
    for path in _existing_paths(_READ_ONLY_PROC):
        yield "ro-bind", path, path
    for path in _existing_paths(_HIDDEN_PROC_FILES):
        yield "ro-bind", os.devnull, path
    for path in _existing_paths(_HIDDEN_PROC_FOLDERS):
        yield "tmpfs", path, str(_COVER_BYTES)
        yield "remount-ro", path


def _existing_paths(names: Sequence[str]) -> list[str]:
    return [path for path in (f"/proc/{name}" for name in names) if Path(path).exists()]


def _scratch_steps(limits: Limits) -> Iterator[Step]:
    """Yield the writable folders in memory, each with a limit on its size."""
    yield "dev", "/dev"
    yield "tmpfs", "/dev/shm", str(_SHARED_MEMORY_BYTES)  # noqa: S108
    yield "tmpfs", "/tmp", str(limits.scratch_bytes or limits.tree_bytes)  # noqa: S108
    yield "dir", INNER_HOME
