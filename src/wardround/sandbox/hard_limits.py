"""The limits that the kernel enforces on each process of a run."""

from __future__ import annotations

import math
import resource

from wardround.sandbox.model import Limits


def hard_limits(limits: Limits, spare_processes: int = 0) -> list[tuple[int, int]]:
    """Return kinds of ``setrlimit`` with their values, soft and hard alike.

    Args:
        spare_processes: processes of the isolation that the kernel counts as the run's.
    """
    return [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, math.ceil(limits.cpu_s) + 1),
        (resource.RLIMIT_DATA, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_NPROC, limits.processes + spare_processes),
    ]
