"""The values that a run in the sandbox takes and returns."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec

_MIB = 1024 * 1024

Count = Annotated[int, msgspec.Meta(ge=1)]
Seconds = Annotated[float, msgspec.Meta(gt=0)]


class State(StrEnum):
    """The way a run ended. Only a finished run has an exit status or a signal of its own."""

    FINISHED = "finished"
    TIMED_OUT = "timed-out"
    KILLED_FOR_MEMORY = "killed-for-memory"
    OUTPUT_LIMIT = "output-limit"
    DISK_LIMIT = "disk-limit"
    PROCESS_LIMIT = "process-limit"
    REFUSED = "refused"


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits of one run; for all of its processes together, unless a field is per process.

    Attributes:
        wall_s: elapsed time.
        cpu_s: CPU time; the sum is sampled, and the kernel ends a process a second later.
        memory_bytes: resident memory; each process may also reserve no more than this as writable data.
        processes: processes and threads at a time.
        file_bytes: the size of one file.
        tree_bytes: the tree with its original content, and separately ``/tmp``.
        scratch_bytes: ``/tmp``, if it has another size.
        open_files: open files of one process.
        output_bytes: standard output and standard error.
    """

    wall_s: Seconds = 600.0
    cpu_s: Seconds = 1200.0
    memory_bytes: Count = 4096 * _MIB
    processes: Count = 512
    file_bytes: Count = 512 * _MIB
    tree_bytes: Count = 2048 * _MIB
    scratch_bytes: Count | None = None
    open_files: Count = 1024
    output_bytes: Count = 64 * _MIB


class Visible(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The part of the machine that a run can see in addition to the system's programs and libraries.

    Attributes:
        read_only: folders and files, at the path they have outside.
        programs: folders that come first on ``PATH``.
        environment: names of variables that are passed on; all others are removed.
        variables: names and values that are set.
        loopback: True if internet sockets work, on a loopback interface that only the run has.
        image: for a container engine: its programs and libraries replace those of the system.
        fixed: paths in the tree that the run cannot write, with all below them; ``.`` is the whole tree.
        writable: folders in fixed ones that it can write.
    """

    read_only: tuple[Path, ...] = ()
    programs: tuple[Path, ...] = ()
    environment: tuple[str, ...] = ("LANG", "LC_ALL", "LC_CTYPE", "TZ")
    variables: tuple[tuple[str, str], ...] = ()
    loopback: bool = False
    image: str = ""
    fixed: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()


class Outcome(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of one run.

    Attributes:
        backend: the name of the isolation; ``none`` isolates nothing and satisfies no policy.
        version: version of the back end's program; empty if it has none.
        status: the exit status of the command; None unless it finished by itself.
        signal: the signal that ended the command. A command that exits with 128 + N by itself, as shells do
            when their last program is killed, counts as ended by signal N.
        detail: one sentence if the state is not ``finished``, else empty.
        stdout: the end of standard output, undecodable bytes replaced.
        stderr: the end of standard error, undecodable bytes replaced.
        log: both streams in the order of arrival, up to the limit: the path of the file, empty if the run was
            rejected.
        memory_bytes: the largest sample of all processes together; the peak of one process if that is larger,
            and larger than the peak of the caller's.
    """

    backend: str
    version: str
    state: State
    status: int | None = None
    signal: int | None = None
    detail: str = ""
    stdout: str = ""
    stderr: str = ""
    log: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0
    memory_bytes: int = 0


class RunUsage(msgspec.Struct, frozen=True):
    """The end of the processes of a run, as the back end reports it.

    Attributes:
        exit_code: None if the command was never started.
        cpu_s: CPU time of every process.
        memory_bytes: the peak of the largest process.
        memory_exhausted: True if the back end ended the command because of its memory.
    """

    exit_code: int | None
    cpu_s: float
    memory_bytes: int
    memory_exhausted: bool = False
