"""The back end of our own launcher isolates only by kernel features, or reports why it cannot."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from wardround.change.repository import Repository
from wardround.sandbox import layout, namespaces
from wardround.sandbox.backend import RunRequest
from wardround.sandbox.confinement.rights import landlock_version
from wardround.sandbox.model import Limits, Outcome, State, Visible
from wardround.sandbox.namespaces import Namespaces
from wardround.sandbox.process_control import adopted_orphans
from wardround.sandbox.run import run
from wardround.sandbox.tree import EphemeralTree


@pytest.fixture
def tree(repo: GitRepository) -> Iterator[EphemeralTree]:
    commit = repo.commit({"a.py": "A = 1\n"})
    with Repository(repo.root) as repository, EphemeralTree(repository, commit) as created:
        yield created


def isolated(tree: EphemeralTree, log: Path, *command: str) -> Outcome:
    return run(command, tree, Limits(wall_s=30), log=log, isolation="namespaces")


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("user/max_user_namespaces", "0", "switched off (sysctl user.max_user_namespaces)"),
        (
            "kernel/unprivileged_userns_clone",
            "0",
            "reserved to root (sysctl kernel.unprivileged_userns_clone)",
        ),
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "reserved to root (sysctl kernel.apparmor_restrict_unprivileged_userns)",
        ),
    ],
)
def test_a_setting_of_the_kernel_that_forbids_namespaces_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, reason: str
) -> None:
    setting = tmp_path / "sys" / name
    setting.parent.mkdir(parents=True)
    setting.write_text(f"{value}\n")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    assert Namespaces(tmp_path).objection() == f"user namespaces are {reason}"


def test_a_system_that_has_none_of_these_settings_is_tried(tmp_path: Path) -> None:
    assert Namespaces(tmp_path).objection() is None


def test_an_old_kernel_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    old = os.uname_result(("Linux", "machine", "5.4.0-generic", "#1", "x86_64"))
    monkeypatch.setattr(os, "uname", lambda: old)

    assert Namespaces().objection() == "the kernel is not Linux 5.12 or later"


def test_a_refusal_of_the_kernel_is_reported_with_its_reason(
    tree: EphemeralTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "USER", "-1")

    outcome = isolated(tree, tmp_path / "log", "true")

    assert outcome.state is State.REFUSED
    assert outcome.detail == (
        "namespaces cannot isolate a command here; this system permits no user namespaces (Invalid argument)"
    )


def test_a_folder_that_cannot_be_shown_is_named(
    tree: EphemeralTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [("ro-bind", str(tmp_path / "absent"), "/absent")]
    monkeypatch.setattr(layout, "steps", lambda request: steps)

    outcome = isolated(tree, tmp_path / "log", "true")

    assert outcome.state is State.REFUSED
    assert outcome.detail.endswith(f"; {tmp_path}/absent does not exist")


def test_the_start_program_loads_no_package_of_the_environment() -> None:
    program = (
        "import sys; sys.path.append(sys.argv[1]); import wardround.sandbox.confinement.program\n"
        "ours = [one for one in sys.modules if one.startswith('wardround')]\n"
        "print(len(sys.modules) < 60, sorted(ours), 'typing' in sys.modules)"
    )
    root = Path(namespaces.__file__).parents[2]

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, root], capture_output=True, text=True, check=True
    )

    package = "wardround.sandbox.confinement"
    ours = ["wardround", "wardround.sandbox", package]
    ours += [f"{package}.{item}" for item in ("kernel", "mounts", "program", "rights")]
    assert done.stdout.strip() == f"True {ours} False"


@pytest.mark.skipif(not landlock_version(), reason="this kernel has no Landlock")
def test_landlock_denies_a_write_that_the_mounts_permit(
    tree: EphemeralTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = "echo x >/dev/shm/x && mv /dev/shm/x /dev/shm/y && echo x >/tree/x && echo x >/tmp/x"
    assert isolated(tree, tmp_path / "log", "sh", "-c", written).status == 0

    monkeypatch.setattr(namespaces, "_WRITABLE", ("/tree",))
    assert isolated(tree, tmp_path / "log", "sh", "-c", "echo x >/tree/x").status == 0
    denied = isolated(tree, tmp_path / "log", "sh", "-c", "echo x >/tmp/x")

    assert "Permission denied" in denied.stderr, denied


def test_a_kernel_without_landlock_isolates_by_its_mounts(
    tree: EphemeralTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(namespaces, "landlock_version", lambda: 0)

    outcome = isolated(tree, tmp_path / "log", "sh", "-c", "echo x >/tree/x; echo x >/usr/x")

    assert outcome.version.endswith("without Landlock")
    assert "Read-only file system" in outcome.stderr
    assert tree.read("x") == b"x\n"


@pytest.mark.parametrize("victim", ["monitor", "first"])
def test_a_killed_process_of_the_isolation_ends_the_run_by_a_signal(
    tree: EphemeralTree, tmp_path: Path, victim: str
) -> None:
    request = RunRequest(["sleep", "600"], tree.root, tree.home, Limits(), Visible(), os.environ)
    with adopted_orphans(), open(tmp_path / "out", "wb") as out:
        started = Namespaces().start(request, out.fileno(), out.fileno())
        first = started.measured
        assert first is not None
        with closing(_Handle(first)) as handle:
            os.kill(started.watched if victim == "monitor" else first, signal.SIGKILL)
            usage = started.wait()

            assert handle.has_ended()

    assert usage.exit_code == 128 + signal.SIGKILL


class _Handle:
    """A handle on a process that is not a child of this one."""

    def __init__(self, process: int) -> None:
        self._file = os.pidfd_open(process)

    def has_ended(self) -> bool:
        try:
            signal.pidfd_send_signal(self._file, 0)
        except ProcessLookupError:
            return True
        return False

    def close(self) -> None:
        os.close(self._file)
