"""Every back end shows a run the same files, with the same rights."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.security.sandbox.escapes import Escape
from tests.security.sandbox.host import SECRET, WORKING, Host, open_host
from wardround.sandbox import layout, visible
from wardround.sandbox.model import Visible
from wardround.sandbox.visible import SYSTEM_FILES

_FIELDS = r"-printf '%p %y %l\n' \( -readable -printf '%p r\n' , -writable -printf '%p w\n' , -printf '' \)"
_FILES = rf"""
find / \( -path '/proc/*' -o -path '/usr/*' \) -prune -o {_FIELDS}
find /usr -maxdepth 1 {_FIELDS}
find /proc -maxdepth 1 ! -name '[0-9]*' {_FIELDS}
"""
_OWNER_ONLY = {"/dev/pts w"}
"""The folder of terminals, in which nobody can create a file, has another owner."""
_STATE = """
grep -E '^(Cap|NoNewPrivs|Seccomp:|Groups)' /proc/self/status
env; pwd; umask; hostname; id; cut -d: -f1 /proc/net/dev
grep -E 'file size|data size|open files|core' /proc/self/limits
"""
_MOUNTS = "cut -d' ' -f5,6 /proc/self/mountinfo"


@pytest.fixture(params=WORKING)
def host(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Host]:
    with open_host(tmp_path_factory.mktemp("host"), request.param) as item:
        yield item


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

    for item in others:
        assert sorted((item ^ first) - _OWNER_ONLY) == []


def test_a_mount_is_writable_only_where_the_view_has_it_so(host: Host) -> None:
    with host.tree() as tree:
        outcome = host.run_on(tree, ["sh", "-c", _MOUNTS])

    rows = [line.split() for line in outcome.stdout.splitlines()]
    writable = {path for path, options in rows if "rw" in options.split(",")}
    devices = {f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty", "pts")}
    assert writable == {"/tree", "/tmp", "/dev/shm", "/proc", *devices}
    assert all("nosuid" in options.split(",") for _, options in rows)


@pytest.fixture
def in_system_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that every run sees, as ``/usr``, with private folders in it."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        shown = Path(name, "usr")
        shown.mkdir()
        for module in (layout, visible):
            monkeypatch.setattr(module, "SYSTEM_FILES", (*SYSTEM_FILES, str(shown)))
        yield shown


_PRIVATE_FILES = """
for folder in (HOME, REPO, '<state>/wardround', '<main>'):
    if os.path.isdir(folder) and os.listdir(folder): escaped(folder)
search(HOME + '/.ssh/id_ed25519', REPO + '/untracked.env', GIT_DIR + '/config', '<state>/wardround/key')
for folder in (HOME, REPO): attempt(os.mkdir, folder + '/new')
"""


@pytest.mark.parametrize("isolation", WORKING)
def test_private_folders_below_those_of_the_system_are_empty(
    in_system_folder: Path, isolation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, main = in_system_folder / "state", in_system_folder / "main"
    (state / "wardround").mkdir(parents=True)
    (state / "wardround" / "key").write_text(SECRET)
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    with open_host(in_system_folder / "src", isolation) as host:
        host.repo.git("clone", "--quiet", host.repo.root, main)
        host.repo.git("-C", str(main), "worktree", "add", "-q", in_system_folder / "linked")
        host.places |= {"state": str(state), "main": str(main)}
        attempts = [host.attempt(Escape("private files", _PRIVATE_FILES.replace("<main>", "/nowhere")))]
        host.repo = GitRepository(in_system_folder / "linked")
        host.places |= {"repo": str(host.repo.root), "git_dir": str(main / ".git")}
        attempts.append(host.attempt(Escape("main work tree", _PRIVATE_FILES)))

    for outcome in attempts:
        assert (outcome.stdout, outcome.stderr) == ("TRIED\n", "")


@pytest.mark.parametrize("isolation", WORKING)
def test_packages_in_a_covered_work_tree_are_visible(in_system_folder: Path, isolation: str) -> None:
    with open_host(in_system_folder / "src", isolation) as host, host.tree() as tree:
        packages = host.repo.root / "node_modules"
        packages.mkdir()
        (packages / "index.js").write_text("content")
        script = f"cat {packages}/index.js; ls {host.repo.root}"
        outcome = host.run_on(tree, ["sh", "-c", script], Visible(read_only=(packages,)))

    assert (outcome.detail, outcome.stdout) == ("", "contentnode_modules\n")


def test_a_repository_instead_of_a_system_folder_has_no_run(in_system_folder: Path) -> None:
    with open_host(in_system_folder, WORKING[0]) as host:
        host.repo.git("init", "--quiet", in_system_folder)
        host.repo = GitRepository(in_system_folder)
        host.repo.commit({"a.py": "A = 1\n"})
        outcome = host.run(["true"])

    assert outcome.state == "refused"
    assert outcome.detail == (
        f"{in_system_folder} is shown to every run; move the repository into a folder of its own"
    )
