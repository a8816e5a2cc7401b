"""Every back end shows a run the same files, with the same rights."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.security.sandbox.host import WORKING, Host, open_host
from wardround.sandbox.visible import python_profile

_FILES = r"""
find / \( -path '/proc/*' -o -path '/usr/*' \) -prune -o -printf '%p %M %u %g %l\n'
find /usr -maxdepth 1 -printf '%p %M %u %g %l\n'
find /proc -maxdepth 1 ! -name '[0-9]*' -printf '%p %M\n'
"""
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
    with host.tree() as tree:
        outcome = host.run_on(tree, ["sh", "-c", script], python_profile(Path(sys.prefix)))
        assert outcome.log, outcome
        return set(Path(outcome.log).read_text().splitlines())


@pytest.mark.parametrize("script", [_FILES, _STATE], ids=["files", "state"])
def test_the_back_ends_show_the_same(tmp_path: Path, script: str) -> None:
    with open_host(tmp_path, WORKING[0]) as host:
        first, *others = (lines(host, name, script) for name in WORKING)

    assert all(one ^ first == set() for one in others)


def test_a_mount_is_writable_only_where_the_view_has_it_so(host: Host) -> None:
    with host.tree() as tree:
        outcome = host.run_on(tree, ["sh", "-c", _MOUNTS], python_profile(Path(sys.prefix)))

    rows = [line.split() for line in outcome.stdout.splitlines()]
    writable = {path for path, options in rows if "rw" in options.split(",")}
    devices = {f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty", "pts")}
    assert writable == {"/tree", "/tmp", "/dev/shm", "/proc", *devices}
    assert all("nosuid" in options.split(",") for _, options in rows)
