"""The back end on a container engine, docker or podman, with an image that the configuration names."""

from __future__ import annotations

import os
import resource
import subprocess
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from wardround.errors import SandboxError
from wardround.lazy import LazyPattern
from wardround.sandbox.backend import RunRequest
from wardround.sandbox.choices import PODMAN
from wardround.sandbox.hard_limits import hard_limits
from wardround.sandbox.layout import tree_path
from wardround.sandbox.model import Limits, RunUsage
from wardround.sandbox.process_control import bound_to_parent
from wardround.sandbox.seccomp_profile import seccomp_profile
from wardround.sandbox.system_programs import system_program
from wardround.sandbox.visible import INNER_HOME, INNER_ROOT, environment

_CLIENT_VARIABLES = (
    "CONTAINER_HOST", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_CERT_PATH", "DOCKER_CONFIG", "DOCKER_CONTEXT",
    "DOCKER_HOST", "DOCKER_TLS_VERIFY", "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
)  # fmt: skip
"""Variables by which a client finds its engine."""
_CLIENT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_MACHINE_LABEL = "wardround.machine"
_SHARED_MEMORY_BYTES = 64 * 1024 * 1024
_REQUEST_S = 60.0
_NUMBER = LazyPattern(r"[0-9]{1,5}(?:\.[0-9]{1,5}){1,3}")
_NAME = LazyPattern(r"wardround-([0-9]{1,10})-([0-9]{1,20})-[0-9a-f]{16}")
_ENDED = "{{.State.ExitCode}} {{.State.OOMKilled}} {{.State.Error}}"
_ULIMITS = {
    resource.RLIMIT_CORE: "core",
    resource.RLIMIT_CPU: "cpu",
    resource.RLIMIT_FSIZE: "fsize",
    resource.RLIMIT_NOFILE: "nofile",
}
"""Limits of each process; an engine has its own options for memory and processes."""


class Container:
    """Starts commands in a container of their own."""

    def __init__(self, engine: str, image: str, environ: Mapping[str, str]) -> None:
        """Use an engine.

        Args:
            environ: the caller's environment, for the client of the engine.
        """
        self.name = engine
        self._image = image
        self._environ = {name: environ[name] for name in _CLIENT_VARIABLES if name in environ}
        self._environ["PATH"] = _CLIENT_PATH

    def version(self) -> str:
        if _program(self.name) is None:
            return ""
        with suppress(SandboxError):
            found = _NUMBER.search(self._request("--version"))
            return found[0] if found else ""
        return ""

    def objection(self) -> str | None:
        if _program(self.name) is None:
            return f"{self.name} is not installed; install it, or choose another isolation"
        if not self._image or self._image.startswith("-"):
            return f"{self.name} needs the name of an image; set sandbox.image for the language"
        return None

    def start(self, request: RunRequest, stdout: int, stderr: int) -> _Contained:
        self._sweep()
        name = f"wardround-{_identity(os.getpid())}-{os.urandom(8).hex()}"
        filter_file = request.home / "seccomp.json"
        filter_file.write_bytes(seccomp_profile())
        options = [*_isolation(self.name, name), *_limits(self.name, request.limits), *_view(request)]
        options += ["--security-opt", f"seccomp={filter_file}"]
        program, *arguments = request.command
        command = ["--entrypoint", program, self._image, *arguments]
        try:
            with warnings.catch_warnings():
                # Python warns of a fork with threads, which could hold a lock; the function takes none.
                warnings.simplefilter("ignore", DeprecationWarning)
                client = subprocess.Popen(
                    [_program(self.name) or self.name, "run", *options, *command],
                    stdin=subprocess.DEVNULL,
                    stdout=stdout,
                    stderr=stderr,
                    env=self._environ,
                    cwd="/",
                    start_new_session=True,
                    preexec_fn=bound_to_parent(lambda: None),  # noqa: PLW1509
                )
        except OSError as cause:
            raise SandboxError(f"{self.name} cannot be started: {cause.strerror}") from cause
        return _Contained(self, name, client)

    def kill(self, name: str) -> None:
        """Kill the processes of a container, if it runs."""
        with suppress(SandboxError):
            self._request("kill", "--signal", "KILL", name)

    def remove(self, name: str) -> None:
        """Remove a container with its processes, if it exists."""
        with suppress(SandboxError):
            self._request("rm", "--force", "--volumes", name)

    def end_of(self, name: str) -> tuple[int | None, bool]:
        """Return the exit status of a container, None if its command was not started; and True if its memory
        was used up.
        """
        try:
            reported = self._request("inspect", "--type", "container", "--format", _ENDED, name)
        except SandboxError:
            return None, False
        code, exhausted, *error = reported.split(maxsplit=2)
        return (None if error else int(code)), exhausted == "true"

    def _sweep(self) -> None:
        """Remove the containers of runs on this machine whose wardround was killed.

        Raises:
            SandboxError: the engine does not work.
        """
        label = f"label={_MACHINE_LABEL}={os.uname().nodename}"
        for name in self._request("ps", "--all", "--filter", label, "--format", "{{.Names}}").split():
            found = _NAME.fullmatch(name)
            if found and _identity(int(found[1])) != f"{found[1]}-{found[2]}":
                self.remove(name)

    def _request(self, *arguments: str) -> str:
        """Return the output of a command of the engine.

        Raises:
            SandboxError: it failed.
        """
        program = _program(self.name) or self.name
        try:
            done = subprocess.run(
                [program, *arguments], capture_output=True, text=True, errors="replace", env=self._environ,
                stdin=subprocess.DEVNULL, cwd="/", timeout=_REQUEST_S, check=False,
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError) as cause:
            raise SandboxError(f"{self.name} {arguments[0]} failed: {cause}") from cause
        if done.returncode != 0:
            reason = done.stderr.strip().rpartition("\n")[2] or f"exit status {done.returncode}"
            raise SandboxError(f"{self.name} {arguments[0]} failed: {reason}")
        return done.stdout


class _Contained:
    """The client of an engine that shows the output of one container."""

    def __init__(self, engine: Container, name: str, client: subprocess.Popen[bytes]) -> None:
        self._engine = engine
        self._name = name
        self._client = client
        self._usage: RunUsage | None = None

    @property
    def watched(self) -> int:
        return self._client.pid

    @property
    def measured(self) -> None:
        return None

    def kill(self) -> None:
        if self._client.poll() is None:
            self._engine.kill(self._name)
            self._client.kill()

    def wait(self) -> RunUsage:
        if self._usage is None:
            shown = self._client.wait()
            code, exhausted = self._engine.end_of(self._name)
            if code == 0 and shown > 0:  # podman creates the container before it fails to start the command
                code = None
            self._engine.remove(self._name)
            self._usage = RunUsage(exit_code=code, cpu_s=0.0, memory_bytes=0, memory_exhausted=exhausted)
        return self._usage


def _program(engine: str) -> str | None:
    return system_program(engine)


def _identity(process: int) -> str:
    """Return the number of a process with its start time, which no later process of the number has."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(") ")[2].split()
    except OSError:
        return f"{process}-"
    return f"{process}-{fields[19]}"


def _isolation(engine: str, name: str) -> list[str]:
    user = f"{os.getuid()}:{os.getgid()}"
    options = [
        "--name", name, "--label", f"{_MACHINE_LABEL}={os.uname().nodename}", "--pull", "never",
        "--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
        "--security-opt", "label=disable", "--ipc", "private", "--hostname", "sandbox", "--user", user,
        "--log-driver", "none", "--workdir", INNER_ROOT,
    ]  # fmt: skip
    if engine == PODMAN and os.getuid() != 0:
        options += ["--userns", "keep-id"]
    return options


def _limits(engine: str, limits: Limits) -> Iterator[str]:
    yield from ("--pids-limit", str(limits.processes))
    yield from ("--memory", f"{limits.memory_bytes}b", "--memory-swap", f"{limits.memory_bytes}b")
    if engine != PODMAN or os.getuid() == 0:  # many systems do not permit users to limit CPUs
        yield from ("--cpus", str(len(os.sched_getaffinity(0))))
    yield from ("--shm-size", f"{_SHARED_MEMORY_BYTES}b")
    for kind, most in hard_limits(limits):
        if kind in _ULIMITS:
            yield from ("--ulimit", f"{_ULIMITS[kind]}={most}:{most}")


def _view(request: RunRequest) -> Iterator[str]:
    size = f"rw,exec,nosuid,nodev,mode=1777,size={request.limits.scratch_bytes or request.limits.tree_bytes}"
    yield from ("--tmpfs", f"/tmp:{size}", "--tmpfs", f"{INNER_HOME}:{size}")  # noqa: S108
    for inside, end in _tree_mounts(request).items():
        outside = request.root / os.path.relpath(inside, INNER_ROOT)
        yield from ("--mount", f"{_bind(outside, inside)}{end}")
    for shown in request.visible.read_only:
        yield from ("--mount", f"{_bind(shown, str(shown))},readonly")
    for name, value in environment(request.visible, request.environ, INNER_HOME).items():
        yield from ("--env", f"{name}={value}")


def _tree_mounts(request: RunRequest) -> dict[str, str]:
    """Return the end of the mount of each part of the tree, by its path inside; a target has one mount."""
    found = {INNER_ROOT: ""}
    found |= {tree_path(path): ",readonly" for path in sorted(request.visible.fixed)}
    return found | {tree_path(path): "" for path in sorted(request.visible.writable)}


def _bind(source: Path, target: str) -> str:
    """Return a mount as the engines read it, a row of comma-separated values."""
    fields = ("type=bind", f"source={os.path.realpath(source)}", f"target={target}")
    return ",".join(
        '"' + field.replace('"', '""') + '"' if '"' in field or "," in field else field for field in fields
    )
