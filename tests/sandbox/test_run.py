"""A run has one outcome, which names its isolation and how it ended."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from benchmarks.sandbox import processes_with
from tests.conftest import GitRepository
from tests.security.sandbox.host import WORKING
from wardround.change.repository import Repository
from wardround.sandbox import bubblewrap
from wardround.sandbox.distribution import install_bubblewrap
from wardround.sandbox.model import Limits, Outcome, State, Visible
from wardround.sandbox.namespaces import Namespaces
from wardround.sandbox.run import run
from wardround.sandbox.tree import EphemeralTree
from wardround.sandbox.visible import python_profile


@pytest.fixture
def tree(repo: GitRepository) -> Iterator[EphemeralTree]:
    commit = repo.commit({"a.py": "A = 1\n", "tests/b.py": "B = 1\n"})
    with Repository(repo.root) as repository, EphemeralTree(repository, commit) as created:
        yield created


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "output.log"


def shell(tree: EphemeralTree, log: Path, script: str, isolation: str, **visible: object) -> Outcome:
    view = msgspec.convert(visible, Visible)
    return run(["sh", "-c", script], tree, Limits(wall_s=30), log=log, visible=view, isolation=isolation)


each = pytest.mark.parametrize("isolation", [*WORKING, "none"])
isolated = pytest.mark.parametrize("isolation", WORKING)


@each
def test_status_and_both_streams_are_reported(tree: EphemeralTree, log: Path, isolation: str) -> None:
    outcome = shell(tree, log, "cat a.py; echo problem >&2; exit 3", isolation)

    assert (outcome.backend, outcome.state, outcome.status, outcome.signal) == (
        isolation,
        State.FINISHED,
        3,
        None,
    )
    assert (outcome.stdout, outcome.stderr) == ("A = 1\n", "problem\n")
    assert sorted(log.read_text().splitlines()) == ["A = 1", "problem"]
    assert outcome.wall_s > 0


@each
def test_the_signal_that_ended_a_command_is_reported(tree: EphemeralTree, log: Path, isolation: str) -> None:
    outcome = shell(tree, log, "kill -SEGV $$", isolation)

    assert (outcome.state, outcome.status, outcome.signal) == (State.FINISHED, None, 11)


@each
def test_processor_time_of_ended_processes_is_counted(tree: EphemeralTree, log: Path, isolation: str) -> None:
    outcome = shell(tree, log, "(i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done)", isolation)

    assert outcome.cpu_s > 0.02


@each
def test_a_program_that_does_not_exist_is_rejected(tree: EphemeralTree, log: Path, isolation: str) -> None:
    outcome = run(["no-such-program"], tree, Limits(), log=log, isolation=isolation)

    assert (outcome.state, outcome.status) == (State.REFUSED, None)
    assert "no-such-program cannot be started" in outcome.detail


@each
def test_variables_are_passed_by_name_only(
    tree: EphemeralTree, log: Path, isolation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_TOKEN", "secret")
    monkeypatch.setenv("BUILD", "7")

    outcome = shell(tree, log, "env", isolation, environment=["BUILD"], variables=[["MODE", "test"]])

    lines = set(outcome.stdout.splitlines())
    assert {"BUILD=7", "MODE=test"} <= lines
    assert not [line for line in lines if "secret" in line or str(os.environ["HOME"]) in line]


@each
def test_a_run_can_write_its_tree_its_home_and_temporary_files(
    tree: EphemeralTree, log: Path, isolation: str
) -> None:
    outcome = shell(tree, log, 'echo x >tests/new; echo x >"$HOME/x"; echo x >"$TMPDIR/x"', isolation)

    assert outcome.status == 0, outcome
    assert tree.read("tests/new") == b"x\n"


def test_the_isolation_is_chosen_and_named(tree: EphemeralTree, log: Path) -> None:
    outcome = shell(tree, log, "true", "auto")

    assert (outcome.state, outcome.backend) == (State.FINISHED, WORKING[0])


@isolated
def test_the_version_of_the_isolation_is_recorded(tree: EphemeralTree, log: Path, isolation: str) -> None:
    outcome = shell(tree, log, "true", isolation)

    beginnings = {"bubblewrap": "0.", "namespaces": f"Linux {os.uname().release}, "}
    assert outcome.version.startswith(beginnings[isolation])


@isolated
def test_the_interface_of_a_run_is_its_own(tree: EphemeralTree, log: Path, isolation: str) -> None:
    view = Visible(loopback=True)
    command = ["sh", "-c", "cat /proc/net/dev | tail -n +3 | cut -d: -f1"]

    outcome = run(command, tree, Limits(), log=log, visible=view, isolation=isolation)

    assert "lo" in outcome.stdout.split()
    assert "eth0" not in outcome.stdout


@isolated
def test_a_service_on_loopback_can_be_reached_by_the_run(
    tree: EphemeralTree, log: Path, isolation: str
) -> None:
    program = (
        "import socket\nserver = socket.create_server(('127.0.0.1', 0))\n"
        "client = socket.create_connection(server.getsockname())\nprint('connected')"
    )
    profile = python_profile(Path(sys.prefix))
    view = msgspec.structs.replace(profile, loopback=True)

    outcome = run([sys.executable, "-c", program], tree, Limits(), log=log, visible=view, isolation=isolation)

    assert outcome.stdout == "connected\n", outcome


@isolated
def test_runs_in_threads_do_not_mix(tree: EphemeralTree, tmp_path: Path, isolation: str) -> None:
    def echo(number: int) -> Outcome:
        script = f"sleep 0.{number}; echo {number}; exit {number}"
        return shell(tree, tmp_path / f"{number}.log", script, isolation)

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(echo, range(6)))

    assert [(item.stdout, item.status) for item in outcomes] == [(f"{n}\n", n) for n in range(6)]


@isolated
def test_an_interrupted_caller_ends_the_run(tree: EphemeralTree, log: Path, isolation: str) -> None:
    class Interrupted(Exception):
        pass

    def interrupt(number: int, frame: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(Interrupted):
            shell(tree, log, "sleep 600; : marker-interrupted", isolation)
    finally:
        signal.signal(signal.SIGALRM, before)

    assert processes_with("marker-interrupted") == []


@isolated
def test_a_run_leaves_no_open_file(tree: EphemeralTree, log: Path, isolation: str) -> None:
    shell(tree, log, "true", isolation)
    before = os.listdir("/proc/self/fd")

    for script in ("true", "exit 1", "kill -9 $$", "exec no-such-program"):
        shell(tree, log, script, isolation)

    assert os.listdir("/proc/self/fd") == before


def test_without_bubblewrap_the_namespaces_of_the_kernel_are_used(
    tree: EphemeralTree, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "_program", lambda: None)

    outcome = shell(tree, log, "true", "auto")

    assert (outcome.backend, outcome.state) == ("namespaces", State.FINISHED), outcome


def test_where_bubblewrap_fails_the_namespaces_of_the_kernel_are_used(
    tree: EphemeralTree, log: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bubblewrap, "_program", lambda: str(_failing_bubblewrap(tmp_path)))

    outcome = shell(tree, log, "echo ran", "auto")

    assert (outcome.backend, outcome.stdout) == ("namespaces", "ran\n"), outcome
    assert log.read_text() == "ran\n"


def test_without_a_back_end_a_run_is_rejected_with_the_package(
    tree: EphemeralTree, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "_program", lambda: None)
    monkeypatch.setattr(Namespaces, "objection", lambda self: "user namespaces are switched off")

    outcome = shell(tree, log, "touch ran", "auto")

    assert (outcome.backend, outcome.state) == ("bubblewrap", State.REFUSED)
    assert outcome.detail == (
        f"bubblewrap is not installed; {install_bubblewrap()} (without it: user namespaces are switched off)"
    )
    assert not (tree.root / "ran").exists()


def test_a_view_of_private_files_is_rejected_by_every_back_end(tree: EphemeralTree, log: Path) -> None:
    for isolation in ("auto", *WORKING, "docker", "none"):
        outcome = shell(tree, log, "true", isolation, read_only=[Path("/etc")])

        assert outcome.state is State.REFUSED
        assert "would show private files" in outcome.detail


def test_an_old_version_is_rejected(
    tree: EphemeralTree, log: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho bubblewrap 0.6.1\n")
    program.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "_program", lambda: str(program))

    outcome = shell(tree, log, "true", "bubblewrap")

    assert outcome.state is State.REFUSED
    assert "is version 0.6.1" in outcome.detail


def test_a_system_that_forbids_namespaces_is_reported_with_its_reason(
    tree: EphemeralTree, log: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bubblewrap, "_program", lambda: str(_failing_bubblewrap(tmp_path)))

    outcome = shell(tree, log, "true", "bubblewrap")

    assert outcome.state is State.REFUSED
    assert "setting up uid map: Permission denied" in outcome.detail


def _failing_bubblewrap(folder: Path) -> Path:
    program = folder / "bwrap"
    program.write_text(
        "#!/bin/sh\n[ $1 = --version ] && { echo bubblewrap 0.9.0; exit; }\n"
        "echo 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n"
    )
    program.chmod(0o755)
    return program


def test_an_unknown_isolation_is_rejected(tree: EphemeralTree, log: Path) -> None:
    outcome = shell(tree, log, "true", "chroot")

    assert outcome.state is State.REFUSED
    assert outcome.detail == (
        "there is no isolation 'chroot'; choose auto, bubblewrap, namespaces, docker, podman or none"
    )


def test_an_outcome_survives_its_json(tree: EphemeralTree, log: Path) -> None:
    outcome = shell(tree, log, "true", "none")

    assert msgspec.json.decode(msgspec.json.encode(outcome), type=Outcome) == outcome
