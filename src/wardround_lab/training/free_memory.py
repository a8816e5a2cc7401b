"""The memory that a training can use; nothing of what it is trained with is imported."""

from __future__ import annotations

import os
from pathlib import Path

_MEMORY, _GROUP = Path("/proc/meminfo"), Path("/sys/fs/cgroup")


def free_memory() -> int:
    """Return the available bytes: of the machine, or of the control group if that has less."""
    free = _available()
    try:
        allowed, used = ((_GROUP / name).read_text("utf-8") for name in ("memory.max", "memory.current"))
        return min(free, int(allowed) - int(used))
    except (OSError, ValueError):  # no control group, or one that has ``max``: no limit
        return free


def _available() -> int:
    """Return the available bytes of the machine; its total if that is unknown."""
    try:
        reported = _MEMORY.read_text("utf-8")
    except OSError:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return int(reported.partition("MemAvailable:")[2].split()[0]) * 1024
