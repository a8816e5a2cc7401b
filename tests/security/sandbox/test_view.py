"""Every back end shows a run the same files, with the same rights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.security.sandbox.host import WORKING, Host, open_host
from wardround.sandbox.model import Visible

_FIELDS = r"-printf '%p %y %l\n' \( -readable -printf '%p r\n' , -writable -printf '%p w\n' , -printf '' \)"
_FILES = rf"""
find / \( -path '/proc/*' -o -path '/usr/*' \) -prune -o {_FIELDS}
find /usr -maxdepth 1 {_FIELDS}
find /proc -maxdepth 1 ! -name '[0-9]*' {_FIELDS}
"""
_OWNER_ONLY = {"/dev/pts w"}
"""The folder of terminals, in which nobody can make a file, has another owner."""
_STATE = """
grep -E '^(Cap|NoNewPrivs|Seccomp:|Groups)' /proc/self/status
env; pwd; umask; hostname; id; cut -d: -f1 /proc/net/dev
grep -E 'file size|data size|open files|core' /proc/self/limits
"""
_MOUNTS = "cut -d' ' -f5,6 /proc/self/mountinfo"


@pytest.fixture(params=WORKING)
def host(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Host]:
    with open_host(tmp_path_factory.mktemp("host"), request.param) as one:
        yield one


def lines(host: Host, isolation: str, script: str) -> set[str]:
    """Return the lines that a script prints."""
    host.isolation = isolation
    shown = host.log.parent / "packages"
    shown.mkdir(exist_ok=True)
    (shown / "module.py").write_text("A = 1")
    with host.tree() as tree:
        outcome = host.run_on(tree, ["sh", "-c", script], Visible(read_only=(shown,)))
        assert outcome.log, outcome
        return set(Path(outcome.log).read_text().splitlines())


@pytest.mark.parametrize("script", [_FILES, _STATE], ids=["files", "state"])
def test_the_back_ends_show_the_same(tmp_path: Path, script: str) -> None:
    with open_host(tmp_path, WORKING[0]) as host:
        first, *others = (lines(host, name, script) for name in WORKING)

    for one in others:
        assert sorted((one ^ first) - _OWNER_ONLY) == []


def test_a_mount_is_writable_only_where_the_view_has_it_so(host: Host) -> None:
    with host.tree() as tree:
        outcome = host.run_on(tree, ["sh", "-c", _MOUNTS])

    rows = [line.split() for line in outcome.stdout.splitlines()]
    writable = {path for path, options in rows if "rw" in options.split(",")}
    devices = {f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty", "pts")}
    assert writable == {"/tree", "/tmp", "/dev/shm", "/proc", *devices}
    assert all("nosuid" in options.split(",") for _, options in rows)
