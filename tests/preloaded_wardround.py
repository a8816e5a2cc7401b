"""The ``wardround`` command in processes that are forked from one that has loaded its modules.

Starting the console script takes longer than the work that most tests run with it. Here too a command is a
process with its own environment, folder, standard streams and signals, and enters at ``wardround.__main__``.
Tests of the start, of its memory, or of variables that the interpreter reads, start the script.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

_SCRIPT = Path(sys.executable).parent / "wardround"
_READ_BY_INTERPRETER = ("PYTHON", "LC_", "LANG", "MALLOC", "LD_")
_FIRST = ("wardround.cli.commands", "wardround.cli.review", "wardround.review")
_START_THREADS = frozenset({"numpy", "onnxruntime", "torch", "grpc"})
"""A process with threads cannot be forked: what a command loads together with these is not loaded ahead."""
WITHOUT_TOOLS = "TESTS_WITHOUT_TOOLS"
"""The environment variable with the classes of tools that the command leaves out, as ``module:class``."""
WITHOUT_PAUSES = "TESTS_WITHOUT_PAUSES"
"""The environment variable with which the command does not wait between requests to a code host."""


def _has_distributions(folders: Sequence[str]) -> bool:
    """Return True if each folder has an installed distribution; in others are modules that replace ours."""
    return all(any(Path(folder).glob("*.dist-info")) for folder in folders)


class PreloadedWardround:
    """A process that has loaded the modules, and forks one for each command."""

    def __init__(self) -> None:
        self._requests, theirs = socket.socketpair()
        self._environment = dict(os.environ)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
            )

    def close(self) -> None:
        self._requests.close()
        self._process.communicate(timeout=30)

    def can_run(self, env: Mapping[str, str]) -> bool:
        """Return False if a variable differs that an interpreter reads when it starts."""
        ours = self._environment
        differing = {name for name in {*env, *ours} if env.get(name) != ours.get(name)}
        if "PYTHONPATH" not in ours and _has_distributions(env.get("PYTHONPATH", "").split(os.pathsep)):
            differing.discard("PYTHONPATH")  # plugins are found after the start
        return not any(name.startswith(_READ_BY_INTERPRETER) for name in differing)

    def run(
        self, arguments: Sequence[str], env: Mapping[str, str], stdin: bytes, cwd: Path, timeout_s: float
    ) -> subprocess.CompletedProcess[bytes]:
        """Run one command to its end.

        Raises:
            subprocess.TimeoutExpired: it took too long, and was killed.
        """
        with self.start(arguments, env, cwd, stdin) as command:
            status = command.wait(timeout_s)
        return subprocess.CompletedProcess(command.argv, status, *(out.text() for out in command.outputs))

    def start(
        self, arguments: Sequence[str], env: Mapping[str, str], cwd: Path, stdin: bytes = b""
    ) -> RunningCommand:
        """Start one command, which is killed if its end is not waited for."""
        argv = [str(_SCRIPT), *arguments]
        answers, theirs = socket.socketpair()
        outputs = [_Output(), _Output()]
        with tempfile.TemporaryFile() as given, theirs:
            given.write(stdin)
            given.seek(0)
            handed = [theirs.fileno(), given.fileno(), *(output.write_end for output in outputs)]
            self._send([argv, dict(env), str(cwd)], handed)
        for output in outputs:
            output.start()
        return RunningCommand(argv, answers, outputs)

    def _send(self, request: object, descriptors: Sequence[int]) -> None:
        content = json.dumps(request).encode()
        socket.send_fds(self._requests, [len(content).to_bytes(_LENGTH_BYTES, "big")], descriptors)
        self._requests.sendall(content)


_LENGTH_BYTES = 8
_KILL_S = 60


class RunningCommand:
    """A command that has been started; several threads may wait for its end."""

    def __init__(self, argv: Sequence[str], answers: socket.socket, outputs: Sequence[_Output]) -> None:
        self.argv = argv
        self.outputs = outputs
        self._answers = answers
        self._lock = threading.Lock()
        self._status: int | None = None

    def __enter__(self) -> RunningCommand:
        return self

    def __exit__(self, *raised: object) -> None:
        self._answers.close()  # which ends the command

    def kill(self) -> None:
        """Send SIGKILL to the command, and wait for its end."""
        self._answers.shutdown(socket.SHUT_WR)
        self.wait(_KILL_S)

    def wait(self, timeout_s: float) -> int:
        """Return the exit status; below 0 it is the number of a signal.

        Raises:
            subprocess.TimeoutExpired: it has not ended yet.
        """
        with self._lock:
            if self._status is None:
                self._answers.settimeout(timeout_s)
                try:
                    self._status = int(self._answers.makefile().readline())
                except TimeoutError:
                    raise subprocess.TimeoutExpired(self.argv, timeout_s) from None
            return self._status


class _Output(threading.Thread):
    """A pipe that is read until all its writers are gone."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._read_end, self.write_end = os.pipe()
        self._content = b""

    def start(self) -> None:
        os.close(self.write_end)
        super().start()

    def run(self) -> None:
        with open(self._read_end, "rb") as stream:
            self._content = stream.read()

    def text(self) -> bytes:
        self.join()
        return self._content


@cache
def preloaded_wardround() -> PreloadedWardround:
    """Return the one of this test process."""
    return PreloadedWardround()


class _Server:
    """The process that is forked."""

    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests
        self._running: dict[int, tuple[int, socket.socket]] = {}
        self._loaded, self._report_loaded = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)

    def serve(self) -> None:
        """Start each requested command, until the client closes the connection."""
        _load(_FIRST)
        while True:
            answers = {connection.fileno(): process for process, (_, connection) in self._running.items()}
            waiting = [self._requests.fileno(), *self._running, *answers]
            for ready in select.select(waiting, [], [])[0]:
                if ready in self._running:
                    self._answer(ready)
                elif ready in answers and answers[ready] in self._running:  # the client has gone
                    os.kill(self._running[answers[ready]][0], signal.SIGKILL)
                    self._answer(answers[ready])
                elif ready == self._requests.fileno() and not self._start():
                    return

    def _answer(self, process: int) -> None:
        number, connection = self._running.pop(process)
        status = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
        os.close(process)
        with connection, contextlib.suppress(OSError):
            connection.sendall(f"{status}\n".encode())
        with contextlib.suppress(BlockingIOError):
            _load(json.loads(self._loaded.recv(2**20, socket.MSG_DONTWAIT)))

    def _start(self) -> bool:
        """Start the next command; return False if there is none."""
        header, descriptors, _, _ = socket.recv_fds(self._requests, _LENGTH_BYTES, 4)
        if not header:
            return False
        request = b""
        while len(request) < int.from_bytes(header, "big"):
            request += self._requests.recv(int.from_bytes(header, "big") - len(request))
        answer, *streams = descriptors
        number = os.fork()
        if number == 0:
            self._become(streams, *json.loads(request))
        for stream in streams:
            os.close(stream)
        self._running[os.pidfd_open(number)] = (number, socket.socket(fileno=answer))
        return True

    def _become(self, streams: Sequence[int], argv: list[str], env: dict[str, str], cwd: str) -> None:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        if env.get("PYTHONPATH") not in (None, os.environ.get("PYTHONPATH")):
            sys.path[1:1] = env["PYTHONPATH"].split(os.pathsep)
        os.environ.clear()
        os.environ.update(env)
        os.chdir(cwd)
        sys.argv = argv
        sys.orig_argv = [sys.executable, *argv]
        from wardround.__main__ import _invoke  # the server loads it before it forks
        from wardround.cli.process import run_and_exit, set_up

        def invoke() -> int:
            try:
                return _invoke()
            finally:
                self._tell_loaded()

        for tool in map(pkgutil.resolve_name, env.get(WITHOUT_TOOLS, "").split()):
            tool.profiles = frozenset()
        if WITHOUT_PAUSES in env:
            clock = pkgutil.resolve_name("wardround.delivery.code_hosts.client:SystemClock")
            clock.sleep = lambda self, seconds: None
        set_up()
        run_and_exit(invoke)

    def _tell_loaded(self) -> None:
        if _START_THREADS.isdisjoint(sys.modules):
            names = [name for name in sys.modules if name.startswith("wardround")]
            with contextlib.suppress(OSError):
                self._report_loaded.send(json.dumps(names).encode(), socket.MSG_DONTWAIT)


def _load(names: Sequence[str]) -> None:
    for name in names:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


if __name__ == "__main__":
    sys.path[0] = str(_SCRIPT.parent)
    with contextlib.suppress(KeyboardInterrupt):
        _Server(socket.socket(fileno=int(sys.argv[1]))).serve()
