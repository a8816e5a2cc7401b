"""A container of an engine is started with every restriction, and removed however the run ends.

No engine runs here: a fake program records the command lines and starts the command directly.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from benchmarks.sandbox import processes_with
from tests.conftest import GitRepository
from wardround.change.repository import Repository
from wardround.sandbox import container
from wardround.sandbox.choices import DOCKER, ENGINES, PODMAN
from wardround.sandbox.model import Limits, Outcome, State, Visible
from wardround.sandbox.run import run
from wardround.sandbox.tree import EphemeralTree

FAKE = """\
#!{python} -IS
import contextlib, json, os, signal, subprocess, sys
STATE = "{state}"
name, *rest = sys.argv[1:]
with open(STATE + "/calls", "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
def path(container): return STATE + "/container-" + container
def write(container, text):
    with open(STATE + "/new", "w") as file:
        file.write(text)
    os.replace(STATE + "/new", path(container))
if name == "--version":
    print("Docker version 28.2.2, build e6534b4")
elif name == "ps":
    if os.path.exists(STATE + "/no-daemon"):
        sys.exit("Cannot connect to the Docker daemon at unix:///var/run/docker.sock.")
    print("\\n".join(one[10:] for one in os.listdir(STATE) if one.startswith("container-")))
elif name == "run":
    if os.path.exists(STATE + "/no-image"):
        print("docker: Error response from daemon: No such image: absent:1\\n\\n"
              "Run 'docker run --help' for more information", file=sys.stderr)
        sys.exit(125)
    option = dict(zip(rest, rest[1:]))
    if os.path.exists(STATE + "/only-created"):
        write(option["--name"], "0 false ")
        print("Error: the requested cgroup controller `pids` is not available", file=sys.stderr)
        sys.exit(126)
    at = rest.index("--entrypoint")
    root = next(one for one in rest if one.endswith(",target=/tree")).split(",")[1][len("source="):]
    try:
        process = subprocess.Popen([rest[at + 1], *rest[at + 3:]], cwd=root, start_new_session=True)
    except FileNotFoundError as cause:
        write(option["--name"], "127 false executable file not found")
        sys.exit("docker: Error response from daemon: executable file not found in $PATH")
    write(option["--name"], str(process.pid))
    code = process.wait()
    exhausted = str(os.path.exists(STATE + "/exhausted")).lower()
    with contextlib.suppress(FileNotFoundError):  # it was removed meanwhile
        with open(path(option["--name"]), "r+") as file:  # longer than the number that it replaces
            file.write(f"{code if code >= 0 else 128 - code} {exhausted} ")
    sys.exit(code if code >= 0 else 128 - code)
elif name == "kill":
    os.killpg(int(open(path(rest[-1])).read().split()[0]), signal.SIGKILL)
elif name == "inspect":
    state = open(path(rest[-1])).read()
    print(state if " " in state else "0 false ")  # of a container that runs
elif name == "rm":
    state = open(path(rest[-1])).read()
    if " " not in state and state:
        with contextlib.suppress(ProcessLookupError):  # it has ended, and nobody has noted that yet
            os.killpg(int(state), signal.SIGKILL)
    os.unlink(path(rest[-1]))
"""
LIMITS, VIEW = Limits(wall_s=30), Visible()
IMAGE = "registry.example/python:3.12@sha256:" + "0" * 64


@pytest.fixture
def tree(repo: GitRepository) -> Iterator[EphemeralTree]:
    commit = repo.commit({"a.py": "A = 1\n"})
    with Repository(repo.root) as repository, EphemeralTree(repository, commit) as created:
        yield created


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    folder = tmp_path / "engine"
    folder.mkdir()
    program = folder / "docker"
    program.write_text(FAKE.replace("{python}", sys.executable).replace("{state}", str(folder)))
    program.chmod(0o755)
    monkeypatch.setattr(container, "_program", lambda engine: str(program))
    return Engine(folder)


class Engine:
    """The folder in which the fake engine keeps its containers and the calls that it received."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def calls(self, name: str) -> list[list[str]]:
        lines = (self._folder / "calls").read_text().splitlines()
        return [call[1:] for call in map(json.loads, lines) if call[0] == name]

    def containers(self) -> list[str]:
        return sorted(item.name.removeprefix("container-") for item in self._folder.glob("container-*"))

    def add(self, name: str) -> None:
        (self._folder / f"container-{name}").write_text("0 false ")

    def set_condition(self, name: str) -> None:
        (self._folder / name).touch()


def contained(
    tree: EphemeralTree,
    *command: str,
    limits: Limits = LIMITS,
    engine: str = DOCKER,
    image: str = IMAGE,
    visible: Visible = VIEW,
) -> Outcome:
    view = msgspec.structs.replace(visible, image=image)
    log = tree.root.parent / "log"
    environ = {"HOME": str(tree.home), "DOCKER_HOST": "unix:///run/user/docker.sock", "TOKEN": "secret"}
    return run(command, tree, limits, log=log, isolation=engine, visible=view, environ=environ)


def value_of(call: list[str], option: str) -> list[str]:
    return [value for name, value in itertools.pairwise(call) if name == option]


def test_the_command_runs_in_the_tree_and_its_status_is_reported(tree: EphemeralTree, engine: Engine) -> None:
    outcome = contained(tree, "sh", "-c", "cat a.py; echo problem >&2; echo x >new; exit 3")

    assert (outcome.backend, outcome.version, outcome.state) == ("docker", "28.2.2", State.FINISHED)
    assert (outcome.status, outcome.stdout, outcome.stderr) == (3, "A = 1\n", "problem\n")
    assert tree.read("new") == b"x\n"
    assert engine.containers() == []


def test_the_container_has_every_restriction(tree: EphemeralTree, engine: Engine) -> None:
    limits = Limits(memory_bytes=1 << 30, processes=99, file_bytes=1 << 20, open_files=77, tree_bytes=1 << 21)

    contained(tree, "true", limits=limits)

    (call,) = engine.calls("run")
    assert "--read-only" in call
    assert {
        option: value_of(call, option)
        for option in (
            "--network", "--cap-drop", "--pids-limit", "--memory", "--memory-swap", "--user", "--pull",
            "--workdir", "--ipc", "--log-driver",
        )
    } == {
        "--network": ["none"],
        "--cap-drop": ["ALL"],
        "--pids-limit": ["99"],
        "--memory": [f"{1 << 30}b"],
        "--memory-swap": [f"{1 << 30}b"],
        "--user": [f"{os.getuid()}:{os.getgid()}"],
        "--pull": ["never"],
        "--workdir": ["/tree"],
        "--ipc": ["private"],
        "--log-driver": ["none"],
    }  # fmt: skip
    assert value_of(call, "--security-opt") == [
        "no-new-privileges", "label=disable", f"seccomp={tree.home}/seccomp.json",
    ]  # fmt: skip
    assert {f"fsize={1 << 20}:{1 << 20}", "nofile=77:77", "core=0:0"} <= set(value_of(call, "--ulimit"))
    assert all(f"size={1 << 21}" in item for item in value_of(call, "--tmpfs"))
    assert value_of(call, "--mount") == [f"type=bind,source={tree.root},target=/tree"]
    assert call[-3:] == ["--entrypoint", "true", IMAGE]


def test_the_view_is_bound_and_the_environment_is_limited_to_its_list(
    tree: EphemeralTree, engine: Engine, tmp_path: Path
) -> None:
    packages = tmp_path / 'packages, "all"'
    packages.mkdir()
    view = Visible(read_only=(packages,), programs=(packages,), variables=(("MODE", "test"),))

    contained(tree, "true", visible=view)

    (call,) = engine.calls("run")
    quoted = str(packages).replace('"', '""')
    assert value_of(call, "--mount")[1] == f'type=bind,"source={quoted}","target={quoted}",readonly'
    given = dict(item.split("=", 1) for item in value_of(call, "--env"))
    assert set(given) == {"HOME", "PATH", "TMPDIR", "MODE"}
    assert given["PATH"].startswith(f"{packages}:")


def test_podman_of_a_user_keeps_the_users_id(
    tree: EphemeralTree, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 1234)

    contained(tree, "true", engine=PODMAN)
    contained(tree, "true", engine=DOCKER)

    podman, docker = engine.calls("run")
    assert (value_of(podman, "--userns"), value_of(docker, "--userns")) == (["keep-id"], [])
    assert (value_of(podman, "--cpus"), len(value_of(docker, "--cpus"))) == ([], 1)


def test_a_run_that_exceeds_a_limit_is_killed_by_name(tree: EphemeralTree, engine: Engine) -> None:
    outcome = contained(tree, "sleep", "600.25", limits=Limits(wall_s=5))

    assert outcome.state is State.TIMED_OUT
    (call,) = engine.calls("run")
    assert engine.calls("kill") == [["--signal", "KILL", *value_of(call, "--name")]]
    assert engine.containers() == []
    assert processes_with("600.25") == []


def test_an_end_by_the_engine_for_memory_is_reported(tree: EphemeralTree, engine: Engine) -> None:
    engine.set_condition("exhausted")

    outcome = contained(tree, "sh", "-c", "kill -9 $$", limits=Limits(memory_bytes=1 << 26))

    assert outcome.state is State.KILLED_FOR_MEMORY
    assert outcome.detail == f"the command was killed because it used more than {1 << 26} bytes of memory"


def test_containers_of_a_killed_wardround_are_removed_by_the_next_run(
    tree: EphemeralTree, engine: Engine
) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    left = f"wardround-{ended.pid}-123456-{'a' * 16}"
    reused = f"wardround-{os.getpid()}-1-{'b' * 16}"
    running = f"wardround-{container._identity(os.getpid())}-{'c' * 16}"
    for name in (left, reused, running, "database"):
        engine.add(name)

    contained(tree, "true")

    assert engine.containers() == sorted([running, "database"])
    (listed,) = engine.calls("ps")
    assert value_of(listed, "--filter") == [f"label=wardround.machine={os.uname().nodename}"]


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        (
            "no-daemon",
            "docker ps failed: Cannot connect to the Docker daemon at unix:///var/run/docker.sock.",
        ),
        (
            "no-image",
            "true cannot be started in the sandbox: Error response from daemon: No such image: absent:1",
        ),
    ],
)
def test_an_engine_that_fails_rejects_the_run_with_its_reason(
    tree: EphemeralTree, engine: Engine, condition: str, reason: str
) -> None:
    engine.set_condition(condition)

    outcome = contained(tree, "true")

    assert (outcome.state, outcome.detail) == (State.REFUSED, reason)
    assert engine.containers() == []


def test_a_container_that_was_created_and_not_started_is_rejected(
    tree: EphemeralTree, engine: Engine
) -> None:
    engine.set_condition("only-created")

    outcome = contained(tree, "true", engine=PODMAN)

    assert (outcome.state, outcome.status) == (State.REFUSED, None)
    assert engine.containers() == []


def test_a_program_that_the_image_lacks_is_rejected(tree: EphemeralTree, engine: Engine) -> None:
    outcome = contained(tree, "no-such-program")

    assert outcome.state is State.REFUSED
    assert "no-such-program cannot be started" in outcome.detail
    assert engine.containers() == []


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_that_is_not_installed_is_rejected(
    tree: EphemeralTree, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(container, "_program", lambda engine: None)

    outcome = contained(tree, "true", engine=name)

    assert (outcome.backend, outcome.state) == (name, State.REFUSED)
    assert outcome.detail == f"{name} is not installed; install it, or choose another isolation"


@pytest.mark.parametrize("image", ["", "--privileged"])
def test_a_name_that_is_not_an_image_is_rejected(tree: EphemeralTree, engine: Engine, image: str) -> None:
    outcome = contained(tree, "true", image=image)

    assert outcome.state is State.REFUSED
    assert outcome.detail == "docker needs the name of an image; set sandbox.image for the language"


def test_an_outcome_of_a_container_survives_its_json(tree: EphemeralTree, engine: Engine) -> None:
    outcome = contained(tree, "true")

    assert msgspec.json.decode(msgspec.json.encode(outcome), type=Outcome) == outcome
