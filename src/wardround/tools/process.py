"""The only module that starts static tools: argument list, bare environment, timeout, known statuses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from weakref import WeakSet

import msgspec

from wardround.errors import ToolFailed, ToolMissing
from wardround.lazy import LazyPattern

_QUOTED_LINE = LazyPattern(r"(?m)^[ \t]*\d*[ \t]*[|\u2502\u2503\u00b7][^\n]*$")
"""A line of a file in the error of a tool, or the mark below it: the file may be any that a setting names."""
_QUOTED_ERROR = 400
"""The length to which a tool's own error is quoted."""


class ProcessOutput(msgspec.Struct, frozen=True):
    """The standard output and the standard error of a tool that ran."""

    out: bytes
    err: bytes


class Processes:
    """The running tools of one review, so that all of them can be stopped at once."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False
        self._parts: WeakSet[Processes] = WeakSet()

    def of_part(self) -> Processes:
        """Return the processes of a part of the review, which stop with it and can be stopped before it."""
        part = Processes()
        with self._lock:
            self._parts.add(part)
            part._stopped = self._stopped
        return part

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        timeout_s: float,
        clean: frozenset[int],
        env: Mapping[str, str],
    ) -> bytes:
        """Run a static tool and return its standard output; see ``capture``."""
        return self.capture(argv, cwd=cwd, timeout_s=timeout_s, clean=clean, env=env).out

    def capture(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        timeout_s: float,
        clean: frozenset[int],
        env: Mapping[str, str],
    ) -> ProcessOutput:
        """Run a static tool and return its output.

        Args:
            clean: exit statuses that mean "it ran", findings or not; linters use 0 and 1.

        Raises:
            ToolMissing: the program cannot be started.
            ToolFailed: it exceeded ``timeout_s`` or exited with a status not in ``clean``.
        """
        name = Path(argv[0]).name
        with self._lock:
            if self._stopped:
                raise ToolFailed(f"{name} was not started, because the review was interrupted")
            try:
                process = subprocess.Popen(
                    argv,
                    cwd=cwd,
                    env=dict(env),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                )
            except OSError as cause:
                raise ToolMissing(f"{name} cannot be started: {cause.strerror}") from cause
            self._running.add(process)
        try:
            out, err = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired as cause:
            raise ToolFailed(f"timed out after {timeout_s:g} s") from cause
        finally:
            _kill(process)
            _close(process)
            with self._lock:
                self._running.discard(process)
        if self._stopped and process.returncode < 0:
            raise ToolFailed(f"{name} was stopped, because the review was interrupted")
        if process.returncode not in clean:
            raise ToolFailed(_describe_end(process.returncode, err))
        return ProcessOutput(out, err)

    @property
    def running(self) -> int:
        """The number of running tools, with those of the parts."""
        with self._lock:
            running, parts = len(self._running), list(self._parts)
        return running + sum(part.running for part in parts)

    @property
    def is_stopped(self) -> bool:
        """True once the review is cancelled or over."""
        return self._stopped

    def stop(self) -> None:
        """Kill every running tool with its children, and start no more: this cancels the review."""
        with self._lock:
            self._stopped = True
            running, parts = list(self._running), list(self._parts)
        for process in running:
            _kill(process)
        for part in parts:
            part.stop()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a tool and the processes it started, including those that outlived it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.poll() is None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)


def _close(process: subprocess.Popen[bytes]) -> None:
    """Close the streams; only the thread that reads them may do so."""
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _describe_end(status: int, stderr: bytes) -> str:
    message = " ".join(_QUOTED_LINE.sub("", stderr.decode("utf-8", "replace")).split())
    if len(message) > _QUOTED_ERROR:
        end = message[-_QUOTED_ERROR:]
        message = "... " + (end.partition(" ")[2] or end)
    killed = status < 0
    how = f"was killed by {signal.Signals(-status).name}" if killed else f"exited with status {status}"
    return f"{how}: {message}" if message else how


def find_program(name: str) -> Path | None:
    """Find a tool: in wardround's own environment, whose versions are pinned, else on PATH."""
    own = os.path.join(scripts_folder(), name)
    if os.path.isfile(own) and os.access(own, os.X_OK):
        return Path(os.path.abspath(own))
    import shutil

    found = shutil.which(name)
    return Path(os.path.abspath(found)) if found else None


@cache
def scripts_folder() -> str:
    """Return the folder of the programs of wardround's own environment.

    In a virtual environment it is known without reading the build configuration of Python, as ``sysconfig``
    does.
    """
    if sys.prefix != sys.base_prefix:
        return os.path.join(sys.prefix, "bin")
    import sysconfig

    return sysconfig.get_path("scripts")


def minimal_env(program: Path, home: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a tool: a search path, an empty home, none of the caller's secrets."""
    return {
        "PATH": os.pathsep.join(dict.fromkeys([str(program.parent), "/usr/local/bin", "/usr/bin", "/bin"])),
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "NO_COLOR": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONSAFEPATH": "1",  # a tool starts in a copy of the repository, with its json.py
        **variables,
    }
