"""The back end on bubblewrap: namespaces, a bare file system, and a filter of system calls."""

from __future__ import annotations

import math
import os
import resource
import select
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path

from wardround.checks.lazy import LazyPattern
from wardround.errors import SandboxError
from wardround.sandbox import syscall_filter
from wardround.sandbox.backend import RunRequest
from wardround.sandbox.model import Limits, RunUsage
from wardround.sandbox.visible import INNER_HOME, INNER_ROOT, SYSTEM_FILES, SYSTEM_LINKS, environment

_FIRST_PROCESS = LazyPattern(r'"child-pid": *([0-9]{1,10})')
_EXIT_CODE = LazyPattern(r'"exit-code": *([0-9]{1,3})')
_NUMBER = LazyPattern(r"[0-9]{1,5}")
_FOLDERS = ("/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin")
"""Folders of the system: a program of this name on the caller's PATH could come from the repository."""
WAITING = ("/bin/sh", "-c", 'echo >&0 && read -r begin && exec "$@" </dev/null', "wardround-start")
"""The start of a command. Bubblewrap binds the run to the life of its caller only after its other steps, so
that the shell reports that it runs, waits for a line, and ends if the caller is killed before it writes one.
"""
_LEAST_VERSION = (0, 8)
"""The first version with ``--disable-userns``."""
_USER = "1000"
_SHARED_MEMORY_BYTES = 64 * 1024 * 1024
_SET_UP_S = 20.0
_POLL_S = 0.0002
_WAITING_OR_ENDED = ("S", "Z", "X", "")
_READ_ONLY_PROC = ("bus", "fs", "irq", "sys", "sysrq-trigger", "mtrr")
"""Files of the kernel that root may write; a run started by root has its user id outside."""
_HIDDEN_PROC_FILES = (
    "kallsyms", "kcore", "key-users", "keys", "kmsg", "kpagecgroup", "kpagecount", "kpageflags",
    "latency_stats", "sched_debug", "timer_list",
)  # fmt: skip
_HIDDEN_PROC_FOLDERS = ("acpi", "asound", "driver", "scsi")
_ACCOUNTS = {
    "/etc/passwd": f"user:x:{_USER}:{_USER}::{INNER_HOME}:/bin/sh\n",
    "/etc/group": f"user:x:{_USER}:\n",
    "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
}


class Bubblewrap:
    """Starts commands with ``bwrap``."""

    name = "bubblewrap"

    def version(self) -> str:
        program = _program()
        return ".".join(map(str, _version(program))) if program else ""

    def objection(self) -> str | None:
        program = _program()
        if program is None:
            return (
                "running needs bubblewrap, which is not installed; install the package bubblewrap "
                "(apt-get install bubblewrap, dnf install bubblewrap)"
            )
        if _version(program) < _LEAST_VERSION:
            return (
                f"{program} is version {self.version()}, without --disable-userns; "
                f"install version 0.8 or later of the package bubblewrap"
            )
        if not syscall_filter.is_supported():
            return "there is no filter of system calls for this processor; run on x86-64 or 64-bit ARM"
        return None

    def start(self, request: RunRequest, stdout: int, stderr: int) -> _Confined:
        with ExitStack() as stack:
            status = _memory_file(stack, b"")
            ours, theirs = map(stack.enter_context, socket.socketpair())
            options, passed = _options(request, stack)
            options += ["--json-status-fd", str(status)]
            arguments = _memory_file(stack, "\0".join([*options, ""]).encode("utf-8", "surrogateescape"))
            process = subprocess.Popen(
                [_program() or "bwrap", "--args", str(arguments), "--", *WAITING, *request.command],
                stdin=theirs.fileno(),
                stdout=stdout,
                stderr=stderr,
                env={},  # the run can read the environment of its first process, which is bubblewrap
                cwd="/",
                pass_fds=(*passed, arguments, status),
                start_new_session=True,
            )
            theirs.close()
            started = _Confined(process, os.dup(status))
            try:
                started.begin(ours, request.limits)
            except BaseException as cause:
                started.kill()
                started.wait()
                if isinstance(cause, (OSError, SandboxError)):
                    raise SandboxError(f"bubblewrap cannot isolate a command here: {cause}") from cause
                raise
            return started


class _Confined:
    """A command in its own namespaces, whose first process ends all others when it ends."""

    def __init__(self, process: subprocess.Popen[bytes], status: int) -> None:
        self._process = process
        self._status = status
        self._first: int | None = None
        self._handle: int | None = None
        self._usage: RunUsage | None = None

    @property
    def watched(self) -> int:
        return self._process.pid

    def begin(self, connection: socket.socket, limits: Limits) -> None:
        """Set the limits and start the command, once the first process is bound to the life of bubblewrap.

        It is bound before it waits for its children, which is its first sleep after the shell started.
        """
        connection.settimeout(_SET_UP_S)
        found = _FIRST_PROCESS.search(_text(self._status)) if connection.recv(1) else None
        if found is None:
            raise SandboxError("bwrap failed")
        self._first = int(found[1])
        self._handle = os.pidfd_open(self._first)
        while _state(self._first) not in _WAITING_OR_ENDED:
            time.sleep(_POLL_S)
        for process in (self._first, *_children(self._first)):
            for name, most in _hard_limits(limits):
                resource.prlimit(process, name, (most, most))
        connection.sendall(b"\n")

    def kill(self) -> None:
        if self._usage is not None:
            return
        if self._handle is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        else:
            self._process.kill()

    def wait(self) -> RunUsage:
        if self._usage is None:
            spent = [_waited(self._process.pid)]
            self._process.returncode = 0
            if self._first is not None and self._handle is not None:
                select.select([self._handle], [], [])
                spent.append(_waited(self._first))
                os.close(self._handle)
            self._usage = RunUsage(
                exit_code=_exit_code(self._status),
                cpu_s=sum(one.ru_utime + one.ru_stime for one in spent if one),
                memory_bytes=max((one.ru_maxrss * 1024 for one in spent if one), default=0),
            )
            os.close(self._status)
        return self._usage


def _state(process: int) -> str:
    """Return the letter that the kernel shows for the state of a process; empty after its end."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(") ")[2][:1]
    return ""


def _children(process: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def _waited(process: int) -> resource.struct_rusage | None:
    """Wait for a process; None if another process was its parent."""
    try:
        return os.wait4(process, 0)[2]
    except ChildProcessError:
        return None


def _text(file: int) -> str:
    return os.pread(file, 4096, 0).decode("ascii", "replace")


def _exit_code(status: int) -> int | None:
    found = _EXIT_CODE.search(_text(status))
    return int(found[1]) if found else None


def _hard_limits(limits: Limits) -> list[tuple[int, int]]:
    return [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, math.ceil(limits.cpu_s) + 1),
        (resource.RLIMIT_DATA, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_NPROC, limits.processes),
    ]


@cache
def _program() -> str | None:
    paths = (os.path.join(folder, "bwrap") for folder in _FOLDERS)
    return next((path for path in paths if os.access(path, os.X_OK)), None)


@cache
def _version(program: str) -> tuple[int, ...]:
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, env={})
    except OSError:
        return ()
    return tuple(map(int, _NUMBER.findall(done.stdout)))


def _memory_file(stack: ExitStack, content: bytes) -> int:
    """Return the number of an open file in memory that is read from its start."""
    file = stack.enter_context(os.fdopen(os.memfd_create("wardround"), "wb", buffering=0))
    file.write(content)
    file.seek(0)
    return file.fileno()


def _options(request: RunRequest, stack: ExitStack) -> tuple[list[str], list[int]]:
    """Return bubblewrap's options, and the open files that they name."""
    filter_file = _memory_file(stack, syscall_filter.compiled(loopback=request.visible.loopback))
    accounts = {path: _memory_file(stack, text.encode()) for path, text in _ACCOUNTS.items()}
    options = [*_NAMESPACES, *_system_options(), *_proc_options(), *_scratch_options(request.limits)]
    for path, file in accounts.items():
        options += ["--ro-bind-data", str(file), path]
    for shown in request.visible.read_only:
        options += ["--ro-bind", str(shown), str(shown)]
    options += ["--bind", str(request.root), INNER_ROOT, "--chdir", INNER_ROOT]
    options += ["--remount-ro", "/dev", "--remount-ro", "/", "--seccomp", str(filter_file)]
    for name, value in environment(request.visible, request.environ, INNER_HOME).items():
        options += ["--setenv", name, value]
    return options, [filter_file, *accounts.values()]


_NAMESPACES = (
    "--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
    "--unshare-cgroup-try", "--uid", _USER, "--gid", _USER, "--hostname", "sandbox", "--cap-drop", "ALL",
    "--die-with-parent", "--new-session", "--clearenv",
)  # fmt: skip


def _system_options() -> Iterator[str]:
    for path in SYSTEM_LINKS:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        else:
            yield from ("--ro-bind-try", path, path)
    for path in SYSTEM_FILES:
        yield from ("--ro-bind-try", path, path)


def _proc_options() -> Iterator[str]:
    yield from ("--proc", "/proc")
    for path in _present(_READ_ONLY_PROC):
        yield from ("--ro-bind", path, path)
    for path in _present(_HIDDEN_PROC_FILES):
        yield from ("--ro-bind", os.devnull, path)
    for path in _present(_HIDDEN_PROC_FOLDERS):
        yield from ("--tmpfs", path, "--remount-ro", path)


def _present(names: Sequence[str]) -> list[str]:
    return [path for path in (f"/proc/{name}" for name in names) if Path(path).exists()]


def _scratch_options(limits: Limits) -> Iterator[str]:
    """Yield the writable folders in memory, each with a limit on its size."""
    yield from ("--dev", "/dev", "--size", str(_SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm")  # noqa: S108
    yield from ("--size", str(limits.tree_bytes), "--tmpfs", "/tmp", "--dir", INNER_HOME)  # noqa: S108
