"""Supervision of one run: its output, its limits and its end."""

from __future__ import annotations

import os
import resource
import select
import time
from contextlib import suppress
from pathlib import Path

from wardround.errors import SandboxError
from wardround.sandbox.backend import Backend, RunRequest, StartedRun
from wardround.sandbox.gauges import ProcessSample, TreeGauge, sample_processes
from wardround.sandbox.model import Outcome, RunUsage, State
from wardround.sandbox.output_log import OutputLog
from wardround.sandbox.process_control import adopted_orphans, real_time

_NOTHING = ProcessSample(0, 0, 0.0)
_INTERVAL_S = 0.05
"""The interval of samples; a program can exceed a sampled limit for this long."""
_READ_BYTES = 65536
_LAST_SIGNAL = 64
_START_PROGRAMS = ("bwrap", "wardround-start", "docker")
_HINTS = ("Run 'docker", "See 'docker")
_NOT_EXECUTED = ("wardround-start: ", "bwrap: execvp ")
"""Beginnings of the errors for a missing program; the run of a command that prints one is rejected, too."""


def supervise(backend: Backend, request: RunRequest, log: Path) -> Outcome:
    """Run to the end.

    Raises:
        SandboxError: the back end cannot isolate anything here.
    """
    objection = backend.objection()
    if objection:
        raise SandboxError(objection)
    with adopted_orphans(), OutputLog(log, request.limits.output_bytes) as output:
        return _Supervision(backend, request, output).outcome(log)


def refused_outcome(backend: Backend, detail: str) -> Outcome:
    """Return the outcome of a run that was not started."""
    return Outcome(backend.name, backend.version(), State.REFUSED, detail=detail)


class _Supervision:
    """Reads the output of one run and ends it at a limit."""

    def __init__(self, backend: Backend, request: RunRequest, output: OutputLog) -> None:
        self._backend = backend
        self._request = request
        self._limits = request.limits
        self._output = output
        self._streams: dict[int, str] = {}
        self._peak = _NOTHING
        self._limit: tuple[State, str] | None = None

    def outcome(self, log: Path) -> Outcome:
        """Run to the end.

        Raises:
            SandboxError: the isolation cannot be set up.
        """
        begun = time.monotonic()
        try:
            usage = self._run(begun)
        except SandboxError as cause:
            reason = _last_line(self._output.tail("stderr"))
            raise SandboxError(f"{cause}; {reason}" if reason else str(cause)) from cause
        if usage.memory_exhausted:
            self._exceed_memory()
        state, detail = self._limit or (State.FINISHED, "")
        stderr = self._output.tail("stderr")
        if state is State.FINISHED and (usage.exit_code is None or stderr.startswith(_NOT_EXECUTED)):
            return refused_outcome(self._backend, _start_failure(self._request.command[0], stderr))
        status, signal = _split(usage.exit_code) if state is State.FINISHED else (None, None)
        return Outcome(
            backend=self._backend.name,
            version=self._backend.version(),
            state=state,
            status=status,
            signal=signal,
            detail=detail,
            stdout=self._output.tail("stdout"),
            stderr=stderr,
            log=str(log),
            cpu_s=max(usage.cpu_s, self._peak.cpu_s),
            wall_s=time.monotonic() - begun,
            memory_bytes=max(_peak_of_child(usage), self._peak.memory_bytes),
        )

    def _run(self, begun: float) -> RunUsage:
        gauge = TreeGauge(self._request.root, self._limits.tree_bytes)
        try:
            started = self._start()
            try:
                with real_time():
                    self._watch(started, gauge, begun)
            finally:
                started.kill()
                usage = started.wait()
            self._read(list(self._streams))
            return usage
        finally:
            for stream in self._streams:
                os.close(stream)

    def _start(self) -> StartedRun:
        ends = []
        for name in ("stdout", "stderr"):
            reading, writing = os.pipe()
            os.set_blocking(reading, False)
            self._streams[reading] = name
            ends.append(writing)
        try:
            return self._backend.start(self._request, *ends)
        except SandboxError:
            self._read(list(self._streams))
            raise
        finally:
            for end in ends:
                os.close(end)

    def _watch(self, started: StartedRun, gauge: TreeGauge, begun: float) -> None:
        """Read the output until the run ends or exceeds a limit."""
        ended = os.pidfd_open(started.watched)
        try:
            opened, sampled = set(self._streams), 0.0
            while self._limit is None:
                ready = select.select([ended, *opened], [], [], _INTERVAL_S)[0]
                opened -= self._read([process for process in ready if process != ended])
                if ended in ready:
                    return
                if time.monotonic() - sampled >= _INTERVAL_S:
                    sampled = time.monotonic()
                    self._sample(started, gauge, sampled - begun)
        finally:
            os.close(ended)

    def _read(self, streams: list[int]) -> set[int]:
        """Read the available output; return the streams that ended."""
        ended: set[int] = set()
        for stream in streams:
            with suppress(BlockingIOError):
                while data := os.read(stream, _READ_BYTES):
                    if not self._output.write(self._streams[stream], data):
                        self._end_at_limit(State.OUTPUT_LIMIT, f"{self._limits.output_bytes} bytes of output")
                        return ended
                ended.add(stream)
        return ended

    def _sample(self, started: StartedRun, gauge: TreeGauge, elapsed_s: float) -> None:
        limits = self._limits
        measured = started.measured
        current = _NOTHING
        if measured is not None:
            current = sample_processes(measured, limits.processes + 2, limits.memory_bytes)
        peak = self._peak
        self._peak = ProcessSample(
            max(peak.threads, current.threads),
            max(peak.memory_bytes, current.memory_bytes),
            max(peak.cpu_s, current.cpu_s),
        )
        if elapsed_s > limits.wall_s:
            self._end_at_limit(State.TIMED_OUT, f"{round(limits.wall_s, 1):g} s")
        elif current.cpu_s > limits.cpu_s:
            self._end_at_limit(State.TIMED_OUT, f"{round(limits.cpu_s, 1):g} s of CPU time")
        elif current.memory_bytes > limits.memory_bytes:
            self._exceed_memory()
        elif current.threads > limits.processes + 2:
            self._end_at_limit(State.PROCESS_LIMIT, f"{limits.processes} processes")
        elif gauge.is_exceeded(measured):
            self._end_at_limit(State.DISK_LIMIT, f"{limits.tree_bytes} bytes on disk")

    def _exceed_memory(self) -> None:
        self._end_at_limit(State.KILLED_FOR_MEMORY, f"{self._limits.memory_bytes} bytes of memory")

    def _end_at_limit(self, state: State, limit: str) -> None:
        if self._limit is None:
            self._limit = state, f"the command was killed because it used more than {limit}"


def _peak_of_child(usage: RunUsage) -> int:
    """Return the peak of the largest process; 0 if it can be that of this process, which each one copies."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return usage.memory_bytes if usage.memory_bytes > before else 0


def _split(exit_code: int | None) -> tuple[int | None, int | None]:
    """Return the exit status or the signal that a shell's exit status denotes."""
    if exit_code is not None and 128 < exit_code <= 128 + _LAST_SIGNAL:
        return None, exit_code - 128
    return exit_code, None


def _start_failure(program: str, stderr: str) -> str:
    """Return the reason why a command was not started."""
    return f"{program} cannot be started in the sandbox: {_last_line(stderr) or 'no reason given'}"


def _last_line(stderr: str) -> str:
    """Return the message of a start program, without its name and the hints that follow it."""
    lines = [line for line in stderr.splitlines() if line.strip() and not line.startswith(_HINTS)]
    message = lines[-1].strip() if lines else ""
    for name in _START_PROGRAMS:
        message = message.removeprefix(f"{name}: ")
    return message
