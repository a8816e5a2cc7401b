"""The back end on bubblewrap: namespaces, a bare file system, and a filter of system calls."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import time
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path

from wardround.errors import SandboxError
from wardround.lazy import LazyPattern
from wardround.sandbox import layout, syscall_filter
from wardround.sandbox.backend import RunRequest
from wardround.sandbox.choices import BUBBLEWRAP
from wardround.sandbox.distribution import install_bubblewrap
from wardround.sandbox.hard_limits import hard_limits
from wardround.sandbox.model import Limits, RunUsage
from wardround.sandbox.namespaced_process import NamespacedProcess, wait_for
from wardround.sandbox.system_programs import system_program
from wardround.sandbox.visible import INNER_HOME, INNER_ROOT, environment

_FIRST_PROCESS = LazyPattern(r'"child-pid": *([0-9]{1,10})')
_EXIT_CODE = LazyPattern(r'"exit-code": *([0-9]{1,3})')
_NUMBER = LazyPattern(r"[0-9]{1,5}")
WAITING = ("/bin/sh", "-c", 'echo >&0 && read -r begin && exec "$@" </dev/null', "wardround-start")
"""The start of a command. Bubblewrap binds the run to the life of its caller only after its other steps, so
that the shell reports that it runs, waits for a line, and ends if the caller is killed before it writes one.
"""
_LEAST_VERSION = (0, 8)
"""The first version with ``--disable-userns``."""
_SET_UP_S = 20.0
_POLL_S = 0.0002
_WAITING_OR_ENDED = ("S", "Z", "X", "")


class Bubblewrap:
    """Starts commands with ``bwrap``."""

    name = BUBBLEWRAP

    def version(self) -> str:
        program = _program()
        return ".".join(map(str, _version(program))) if program else ""

    def objection(self) -> str | None:
        program = _program()
        if program is None:
            return f"bubblewrap is not installed; {install_bubblewrap()}"
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
        self._first: NamespacedProcess | None = None
        self._usage: RunUsage | None = None

    @property
    def watched(self) -> int:
        return self._process.pid

    @property
    def measured(self) -> int:
        return self._process.pid

    def begin(self, connection: socket.socket, limits: Limits) -> None:
        """Set the limits and start the command, once the first process is bound to the life of bubblewrap.

        It is bound before it waits for its children, which is its first sleep after the shell started.
        """
        connection.settimeout(_SET_UP_S)
        found = _FIRST_PROCESS.search(_read_text(self._status)) if connection.recv(1) else None
        if found is None:
            raise SandboxError("bwrap failed")
        self._first = NamespacedProcess(int(found[1]))
        number = self._first.number
        while _state(number) not in _WAITING_OR_ENDED:
            time.sleep(_POLL_S)
        for process in (number, *_child_processes(number)):
            for name, most in hard_limits(limits):
                resource.prlimit(process, name, (most, most))
        connection.sendall(b"\n")

    def kill(self) -> None:
        if self._usage is not None:
            return
        if self._first is not None:
            self._first.kill()
        else:
            self._process.kill()

    def wait(self) -> RunUsage:
        if self._usage is None:
            spent = [wait_for(self._process.pid)]
            self._process.returncode = 0
            if self._first is not None:
                spent.append(self._first.wait())
            self._usage = RunUsage(
                exit_code=_exit_code(self._status),
                cpu_s=sum(usage.ru_utime + usage.ru_stime for usage in spent if usage),
                memory_bytes=max((usage.ru_maxrss * 1024 for usage in spent if usage), default=0),
            )
            os.close(self._status)
        return self._usage


def _state(process: int) -> str:
    """Return the letter that the kernel shows for the state of a process; empty after its end."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(") ")[2][:1]
    return ""


def _child_processes(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def _read_text(file: int) -> str:
    return os.pread(file, 4096, 0).decode("ascii", "replace")


def _exit_code(status: int) -> int | None:
    found = _EXIT_CODE.search(_read_text(status))
    return int(found[1]) if found else None


def _program() -> str | None:
    return system_program("bwrap")


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
    filter_file = _memory_file(stack, syscall_filter.compile_filter(loopback=request.visible.loopback))
    options, files = [*_NAMESPACES], [filter_file]
    for kind, *operands in layout.steps(request):
        if kind == "tmpfs":
            path, size = operands
            options += ["--size", size, "--tmpfs", path]
        elif kind == "data":
            path, text = operands
            files.append(_memory_file(stack, text.encode()))
            options += ["--ro-bind-data", str(files[-1]), path]
        else:
            options += [f"--{kind}", *operands]
    options += ["--remount-ro", "/", "--chdir", INNER_ROOT, "--seccomp", str(filter_file)]
    for name, value in environment(request.visible, request.environ, INNER_HOME).items():
        options += ["--setenv", name, value]
    return options, files


_NAMESPACES = (
    "--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
    "--unshare-cgroup-try", "--uid", layout.USER, "--gid", layout.USER, "--hostname", "sandbox",
    "--cap-drop", "ALL", "--die-with-parent", "--new-session", "--clearenv",
)  # fmt: skip
