"""The back end ``none``: no isolation, only limits on each process. An explicit choice of the caller."""

from __future__ import annotations

import math
import os
import resource
import signal
import subprocess
import warnings
from contextlib import suppress

from wardround.errors import SandboxError
from wardround.sandbox.backend import RunRequest
from wardround.sandbox.choices import NONE
from wardround.sandbox.model import Limits, RunUsage
from wardround.sandbox.process_control import bound_to_parent
from wardround.sandbox.visible import environment


class Unconfined:
    """Starts commands as they are; the environment is still limited to the list of the view."""

    name = NONE

    def version(self) -> str:
        return ""

    def objection(self) -> str | None:
        return None

    def start(self, request: RunRequest, stdout: int, stderr: int) -> _Group:
        env = environment(request.visible, request.environ, str(request.home))
        limits = request.limits
        try:
            with warnings.catch_warnings():
                # Python warns of a fork with threads, which could hold a lock; the function takes none.
                warnings.simplefilter("ignore", DeprecationWarning)
                process = subprocess.Popen(
                    request.command,
                    stdin=subprocess.DEVNULL,
                    stdout=stdout,
                    stderr=stderr,
                    env=env,
                    cwd=request.root,
                    start_new_session=True,
                    preexec_fn=bound_to_parent(lambda: _set_limits(limits)),  # noqa: PLW1509
                )
        except OSError as cause:
            raise SandboxError(f"{request.command[0]} cannot be started: {cause.strerror}") from cause
        return _Group(process)


def _set_limits(limits: Limits) -> None:
    for name, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, math.ceil(limits.cpu_s) + 1),
        (resource.RLIMIT_DATA, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
    ):
        resource.setrlimit(name, (most, most))


class _Group:
    """A command with the processes that stay in its session."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._usage: RunUsage | None = None

    @property
    def watched(self) -> int:
        return self._process.pid

    @property
    def measured(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def wait(self) -> RunUsage:
        if self._usage is None:
            _, status, spent = os.wait4(self._process.pid, 0)
            self.kill()  # processes that outlived the command
            code = os.waitstatus_to_exitcode(status)
            self._process.returncode = code
            self._usage = RunUsage(
                exit_code=code if code >= 0 else 128 - code,
                cpu_s=spent.ru_utime + spent.ru_stime,
                memory_bytes=spent.ru_maxrss * 1024,
            )
        return self._usage
