"""A host that a run must not reach: a home with a key, a repository, sockets that listen, and a process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.conftest import GitRepository
from tests.security.sandbox.escapes import PRELUDE, Escape
from wardround.change.repository import Repository
from wardround.change.snapshot import Snapshot
from wardround.sandbox.choices import AUTO, BUBBLEWRAP, NAMESPACES
from wardround.sandbox.model import Limits, Outcome, Visible
from wardround.sandbox.probe import trouble_of
from wardround.sandbox.run import run
from wardround.sandbox.selection import candidates
from wardround.sandbox.tree import EphemeralTree
from wardround.sandbox.visible import python_profile

SECRET = "s3cret-of-the-host"
LIMITS = Limits(
    wall_s=60, cpu_s=60, processes=64, memory_bytes=1 << 30, file_bytes=32 << 20, tree_bytes=64 << 20
)


def _works(name: str) -> bool:
    with Snapshot() as snapshot:
        return trouble_of(candidates(name, "", os.environ)[0], snapshot, os.environ) is None


WORKING = tuple(filter(_works, (BUBBLEWRAP, NAMESPACES))) or (AUTO,)
"""The back ends in which the tests run: where none works, every test fails with the reason."""


@dataclass
class Host:
    """The targets of the attempts, and the messages that reached its sockets."""

    home: Path
    repo: GitRepository
    log: Path
    places: dict[str, str]
    isolation: str = AUTO
    received: list[bytes] = field(default_factory=list)

    @property
    def environ(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "API_TOKEN": SECRET,
            "SSH_AUTH_SOCK": self.places["socket"],
            "LANG": "C.UTF-8",
        }

    def attempt(self, escape: Escape) -> Outcome:
        """Run the program of an attempt on a separate tree."""
        program = PRELUDE + escape.program + '\nprint("TRIED")\n'
        for name, value in self.places.items():
            program = program.replace(f"<{name}>", value)
        return self.run([sys.executable, "-c", program], loopback=escape.loopback)

    def run(self, command: list[str], limits: Limits = LIMITS, loopback: bool = False) -> Outcome:
        with self.tree() as tree:
            return self.run_on(tree, command, _view(loopback), limits)

    def run_on(
        self, tree: EphemeralTree, command: list[str], visible: Visible | None = None, limits: Limits = LIMITS
    ) -> Outcome:
        """Run a command on a tree that the caller reads afterwards."""
        return run(
            command,
            tree,
            limits,
            log=self.log,
            visible=visible,
            isolation=self.isolation,
            environ=self.environ,
        )

    def python(self, program: str, limits: Limits = LIMITS) -> Outcome:
        """Run a program of Python in the sandbox."""
        return self.run([sys.executable, "-c", program], limits)

    @contextmanager
    def tree(self) -> Iterator[EphemeralTree]:
        with (
            Repository(self.repo.root) as repository,
            EphemeralTree(repository, repository.head() or "") as tree,
        ):
            yield tree


def _view(loopback: bool) -> Visible:
    profile = python_profile(Path(sys.prefix))
    return Visible(profile.read_only, profile.programs, variables=profile.variables, loopback=loopback)


@contextmanager
def open_host(folder: Path, isolation: str) -> Iterator[Host]:
    """Set up a host in a folder, and its process and sockets until the end."""
    home = folder / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id_ed25519").write_text(SECRET)
    repo = _repository(folder / "repo", home)
    socket_path = folder / "agent"
    names = {"home": str(home), "repo": str(repo.root), "git_dir": str(repo.root / ".git"), "secret": SECRET}
    names |= {
        "socket": str(socket_path),
        "abstract": f"wardround-{os.urandom(8).hex()}",
        "address": _address(),
    }
    with (
        closing(_listener(socket_path)) as by_path,
        closing(_listener("\0" + names["abstract"])) as by_name,
        closing(socket.create_server(("0.0.0.0", 0))) as by_port,
        _process(repo.root) as process,
        ExitStack() as receivers,
    ):
        names |= {"port": str(by_port.getsockname()[1]), "pid": str(process.pid)}
        host = Host(home, repo, folder / "output.log", names, isolation)
        for listener in (by_path, by_name, by_port):
            receivers.enter_context(_receiving(listener, host.received))
        yield host
        assert process.poll() is None, "a run killed a process of the host"


def _repository(root: Path, home: Path) -> GitRepository:
    root.mkdir()
    repo = GitRepository(root)
    repo.git("init", "--quiet")
    (root / "committed-link").symlink_to(home / ".ssh" / "id_ed25519")
    repo.commit({"a.py": "A = 1\n", "run.sh": "#!/bin/sh\n"})
    repo.git_hook("post-commit", "exit 0")
    repo.git("config", "credential.helper", SECRET)
    repo.write("untracked.env", SECRET)
    return repo


def _listener(address: Path | str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(address))
    listener.listen()
    return listener


@contextmanager
def _receiving(listener: socket.socket, received: list[bytes]) -> Iterator[None]:
    """Receive from the clients of a listener, in a thread that ends before the listener is closed.

    A thread that still waits for a client of a closed socket takes those of the next one with its number.
    """
    thread = threading.Thread(target=_receive, args=(listener, received))
    thread.start()
    try:
        yield
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def _receive(listener: socket.socket, received: list[bytes]) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            received.append(connection.recv(64))


@contextmanager
def _process(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        ["sleep", "600", "0.0"], cwd=folder, env={"TOKEN": SECRET, SECRET: "1", "PATH": os.environ["PATH"]}
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _address() -> str:
    """Return an address of this machine other than loopback, if it has one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as item:
        try:
            item.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(item.getsockname()[0])
