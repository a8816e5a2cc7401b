"""The back end of our own start program: namespaces, Landlock and a filter of system calls."""

from __future__ import annotations

import marshal
import os
import resource
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from wardround.errors import SandboxError
from wardround.lazy import LazyPattern
from wardround.sandbox import layout, syscall_filter
from wardround.sandbox.backend import RunRequest
from wardround.sandbox.choices import NAMESPACES
from wardround.sandbox.confinement.plan import Plan
from wardround.sandbox.confinement.rights import landlock_version
from wardround.sandbox.hard_limits import hard_limits
from wardround.sandbox.model import RunUsage
from wardround.sandbox.namespaced_process import NamespacedProcess, wait_for
from wardround.sandbox.visible import INNER_HOME, INNER_ROOT, environment

_IMPORT_ROOT = Path(__file__).parents[2]
_START = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from wardround.sandbox.confinement.program import main; main(int(sys.argv[2]))"
)
_PASSED_ON = ("LD_LIBRARY_PATH",)
"""Variables that an interpreter may need to find its own library."""
_SET_UP_S = 20.0
_MOST_BYTES = 4096
_OWN_PROCESSES = 2
_WRITABLE = (INNER_ROOT, "/tmp", "/dev/shm")  # noqa: S108  (paths inside)
_FIRST_PROCESS = LazyPattern(r"(?m)^first ([0-9]{1,10})$")
_READY = LazyPattern(r"(?m)^ready$")
_EXIT_CODE = LazyPattern(r"(?m)^exit ([0-9]{1,3})$")
_USED = LazyPattern(r"(?m)^used ([0-9]{1,12}\.[0-9]{6}) ([0-9]{1,12})$")
_RELEASE = LazyPattern(r"([0-9]{1,5})\.([0-9]{1,5})")
_LEAST_KERNEL = (5, 12)
"""The first version with ``mount_setattr``."""
_KILLED = 128 + 9


class Namespaces:
    """Starts commands with an interpreter that isolates itself."""

    name = NAMESPACES

    def __init__(self, proc: Path = Path("/proc")) -> None:
        """Use the settings of the kernel in a folder."""
        self._settings = proc / "sys"

    def version(self) -> str:
        landlock = landlock_version()
        return f"Linux {os.uname().release}, {f'Landlock {landlock}' if landlock else 'without Landlock'}"

    def objection(self) -> str | None:
        found = _RELEASE.match(os.uname().release)
        if sys.platform != "linux" or found is None or (int(found[1]), int(found[2])) < _LEAST_KERNEL:
            return "the kernel is not Linux 5.12 or later"
        if not syscall_filter.is_supported():
            return "there is no filter of system calls for this processor; run on x86-64 or 64-bit ARM"
        if self._read_setting("user/max_user_namespaces") == "0":
            return "user namespaces are switched off (sysctl user.max_user_namespaces)"
        for name, closed in (
            ("unprivileged_userns_clone", "0"),
            ("apparmor_restrict_unprivileged_userns", "1"),
        ):
            if os.geteuid() != 0 and self._read_setting(f"kernel/{name}") == closed:
                return f"user namespaces are reserved to root (sysctl kernel.{name})"
        return None

    def _read_setting(self, name: str) -> str | None:
        with suppress(OSError):
            return (self._settings / name).read_text().strip()
        return None

    def start(self, request: RunRequest, stdout: int, stderr: int) -> _Isolated:
        with ExitStack() as stack:
            plan = stack.enter_context(os.fdopen(os.memfd_create("wardround"), "wb", buffering=0))
            message: Any = _plan(request)  # for mypy, a TypedDict cannot be marshalled
            plan.write(marshal.dumps(message))
            plan.seek(0)
            ours, theirs = socket.socketpair()
            stack.enter_context(theirs)
            try:
                process = subprocess.Popen(
                    [sys.executable, *_flags(), "-c", _START, str(_IMPORT_ROOT), str(plan.fileno())],
                    stdin=theirs.fileno(),
                    stdout=stdout,
                    stderr=stderr,
                    env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
                    cwd="/",
                    pass_fds=(plan.fileno(),),
                    start_new_session=True,
                )
            except OSError as cause:
                ours.close()
                raise SandboxError(f"{sys.executable} cannot be started: {cause.strerror}") from cause
        started = _Isolated(process, ours)
        try:
            started.begin()
        except BaseException as cause:
            started.kill()
            started.wait()
            if isinstance(cause, OSError):
                raise SandboxError(f"namespaces cannot isolate a command here: {cause}") from cause
            raise
        return started


def _flags() -> list[str]:
    """Return the flags of an interpreter that reads no variable, no site packages and no user's folder."""
    return ["-I", "-S", "-X", "utf8", *(["-B"] if sys.dont_write_bytecode else [])]


def _plan(request: RunRequest) -> Plan:
    return Plan(
        parent=os.getpid(),
        user=layout.USER,
        steps=list(layout.steps(request)),
        writable=list(_WRITABLE),
        landlock=landlock_version(),
        filter=syscall_filter.compile_filter(loopback=request.visible.loopback),
        limits=hard_limits(request.limits, _OWN_PROCESSES),
        folder=INNER_ROOT,
        environment=environment(request.visible, request.environ, INNER_HOME),
        command=list(request.command),
    )


class _Isolated:
    """A command, its first process, and the monitor that waits for it."""

    def __init__(self, monitor: subprocess.Popen[bytes], connection: socket.socket) -> None:
        self._monitor = monitor
        self._connection = connection
        self._first: NamespacedProcess | None = None
        self._received = ""
        self._has_begun = False
        self._usage: RunUsage | None = None

    @property
    def watched(self) -> int:
        return self._monitor.pid

    @property
    def measured(self) -> int | None:
        return self._first.number if self._first is not None else None

    def begin(self) -> None:
        """Start the command once the first process has given up its rights and is bound to the monitor."""
        self._connection.settimeout(_SET_UP_S)
        while not (_FIRST_PROCESS.search(self._received) and _READY.search(self._received)):
            if not self._receive():
                raise SandboxError("namespaces cannot isolate a command here")
        found = _FIRST_PROCESS.search(self._received)
        assert found is not None
        self._first = NamespacedProcess(int(found[1]))
        self._connection.sendall(b"\n")
        self._has_begun = True

    def _receive(self) -> bool:
        """Read from the connection; return False at its end, or above the length of the protocol."""
        data = self._connection.recv(_MOST_BYTES)
        self._received += data.decode("ascii", "replace")
        return bool(data) and len(self._received) <= _MOST_BYTES

    def kill(self) -> None:
        if self._usage is not None:
            return
        if self._first is not None:
            self._first.kill()
        else:
            self._monitor.kill()

    def wait(self) -> RunUsage:
        if self._usage is None:
            wait_for(self._monitor.pid)
            self._monitor.returncode = 0
            self._drain()
            spent = self._waited_first()
            cpu_s, kilobytes = (spent.ru_utime + spent.ru_stime, spent.ru_maxrss) if spent else (0.0, 0)
            if found := _USED.search(self._received):
                cpu_s, kilobytes = float(found[1]), int(found[2])
            self._usage = RunUsage(self._exit_code(), cpu_s, kilobytes * 1024)
        return self._usage

    def _drain(self) -> None:
        """Read the last lines; a first process that still waits for its start ends."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_WR)
            while self._receive():
                pass
        self._connection.close()

    def _waited_first(self) -> resource.struct_rusage | None:
        """Wait for the first process, which has no other parent if the monitor was killed."""
        if self._first is not None:
            return self._first.wait()
        found = _FIRST_PROCESS.search(self._received)
        return wait_for(int(found[1])) if found else None

    def _exit_code(self) -> int | None:
        """Return the status of the command; that of a kill if its first process was killed."""
        found = _EXIT_CODE.search(self._received)
        if found:
            return int(found[1])
        return _KILLED if self._has_begun else None
