"""Real git repositories for the tests, in an environment that has nothing of the caller's."""

from __future__ import annotations

import gc
import hashlib
import json
import os
import pkgutil
import re
import stat
import subprocess
import sys
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.postgresql_server import postgres_database, postgres_server
from tests.preloaded_wardround import WITHOUT_TOOLS, preloaded_wardround
from tests.records.places import store_place

__all__ = ["postgres_database", "postgres_server", "store_place"]  # fixtures for all tests
settings.register_profile("busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy machine")
SCRIPTS = Path(sys.executable).parent
_GIT_CONFIG = """\
[user]
    name = Test
    email = test@example.org
[init]
    defaultBranch = main
    templateDir =
[core]
    fsync = none
[maintenance]
    auto = false
[commit]
    gpgSign = false
[advice]
    detachedHead = false
[protocol "file"]
    allow = always
"""


_MEMORY = Path("/dev/shm")
_NEEDED_BYTES = 12 * 2**30
"""Minimum free memory for which temporary folders are placed there; the tests use about 4 GiB at a time."""


def pytest_configure(config: pytest.Config) -> None:
    """Put the folders of ``tmp_path`` in memory: thousands of repositories take twice as long on a disk."""
    if config.option.basetemp is None and _has_room():
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


def _has_room() -> bool:
    try:
        system = os.statvfs(_MEMORY)
        memory = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return False
    available = re.search(r"^MemAvailable:\s+(\d+) kB", memory, re.MULTILINE)
    free = int(available[1]) * 1024 if available else 0  # cached files are counted: they give way
    is_usable = os.access(_MEMORY, os.W_OK) and not system.f_flag & os.ST_NOEXEC
    return is_usable and min(free, system.f_bavail * system.f_frsize) > _NEEDED_BYTES


@pytest.fixture(scope="session", autouse=True)
def git_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give git an identity from the start: fixtures of modules and sessions run before those of a test."""
    file = tmp_path_factory.mktemp("git-settings") / "gitconfig"
    file.write_text(_GIT_CONFIG, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith("GIT_"):
                patch.delenv(name)
        patch.setenv("GIT_CONFIG_GLOBAL", str(file))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        yield file


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let the garbage collector ignore the tests themselves: they exist to the end, and fill the memory."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Let workers keep neighbouring tests, which share fixtures and imports, and steal at the end."""
    if getattr(config.option, "numprocesses", None) and config.option.dist == "no":
        config.option.dist = "worksteal"


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """The workers of ``pytest -n auto``: half as many again as cores, since tests wait for other programs."""
    return (os.cpu_count() or 1) * 3 // 2


TIMEOUT_S = 120


def _decoded(done: subprocess.CompletedProcess[bytes]) -> subprocess.CompletedProcess[str]:
    out, err = os.fsdecode(done.stdout), os.fsdecode(done.stderr)
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


@pytest.fixture(scope="session", autouse=True)
def end_of_preloaded_wardround() -> Iterator[None]:
    yield
    if preloaded_wardround.cache_info().currsize:
        preloaded_wardround().close()


@dataclass(frozen=True, slots=True)
class GitRepository:
    """A repository on disk and the programs that run in it.

    Every program gets the environment of the test process, modified by ``env``; output that is not UTF-8 is
    decoded with surrogate escapes.

    Attributes:
        timeout: the seconds that a program may run.
    """

    root: Path
    timeout: int = TIMEOUT_S

    def run(
        self,
        *argv: str | Path,
        env: Mapping[str, str] | None = None,
        stdin: str | bytes = b"",
        cwd: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a program in the repository and return its result, for any exit status."""
        return _decoded(
            subprocess.run(
                argv,
                cwd=cwd or self.root,
                env={**os.environ, **(env or {})},
                input=os.fsencode(stdin) if isinstance(stdin, str) else stdin,
                capture_output=True,
                check=False,
                timeout=self.timeout,
            )
        )

    def git(self, *arguments: str | Path, env: Mapping[str, str] | None = None, stdin: bytes = b"") -> str:
        """Run git, which must succeed, and return its output."""
        done = self.run("git", *arguments, env=env, stdin=stdin)
        assert done.returncode == 0, f"git {arguments}: {done.stderr}"
        return done.stdout

    def wardround(
        self,
        *arguments: str | Path,
        env: Mapping[str, str] | None = None,
        stdin: str | bytes = b"",
        cwd: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run ``wardround`` of this environment, as ``run`` would, in a process that is forked."""
        complete = {**os.environ, **(env or {})}
        preloaded = preloaded_wardround()
        if not preloaded.can_run(complete):
            return self.run(SCRIPTS / "wardround", *arguments, env=env, stdin=stdin, cwd=cwd)
        content = os.fsencode(stdin) if isinstance(stdin, str) else stdin
        return _decoded(
            preloaded.run(list(map(str, arguments)), complete, content, cwd or self.root, self.timeout)
        )

    def report(self, *arguments: str | Path, env: Mapping[str, str] | None = None) -> dict[str, Any]:
        """The JSON report of ``wardround review`` with these arguments."""
        done = self.wardround("review", "--format", "json", *arguments, env=env)
        assert done.stdout, done.stderr
        report: dict[str, Any] = json.loads(done.stdout)
        return report

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file, with the folders above it."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def read(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def staged(self, path: str) -> bytes:
        """The content the index has at a path."""
        return os.fsencode(self.git("cat-file", "blob", f":{path}"))

    def stage(self, files: Mapping[str, str | bytes] | None = None) -> None:
        """Write files and stage everything."""
        for path, content in (files or {}).items():
            self.write(path, content)
        self.git("add", "--all")

    def commit(self, files: Mapping[str, str | bytes] | None = None, message: str = "change") -> str:
        """Write files, commit everything without git hooks, and return the commit's id."""
        self.stage(files)
        self.git("commit", "--quiet", "--no-verify", "--allow-empty", "--message", message)
        return self._head()

    def _head(self) -> str:
        """The id that a commit has just written; git is started only where the ref is not a file here."""
        try:
            head = self.read(".git/HEAD").decode().strip()
            return self.read(f".git/{head[5:]}").decode().strip() if head.startswith("ref: ") else head
        except OSError:
            return self.git("rev-parse", "HEAD").strip()

    def git_hook(self, name: str, script: str) -> None:
        """Install a git hook of this repository."""
        file = Path(self.git("rev-parse", "--path-format=absolute", "--git-path", f"hooks/{name}").strip())
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o755)

    def fingerprint(self) -> dict[str, tuple[int, str]]:
        """Mode and SHA-256 of everything in the work tree, and of the index file byte for byte."""
        index = self.git("rev-parse", "--path-format=absolute", "--git-path", "index").strip()
        found = {}
        for folder, folders, names in os.walk(self.root):
            if ".git" in folders:
                folders.remove(".git")
            for name in (*folders, *names):
                path = Path(folder, name)
                found[str(path.relative_to(self.root))] = _state(path)
        if os.path.exists(index):
            found[":index"] = _state(Path(index))
        return found


def _state(path: Path) -> tuple[int, str]:
    mode = path.lstat().st_mode
    content = b""
    if stat.S_ISLNK(mode):
        content = os.fsencode(os.readlink(path))
    elif stat.S_ISREG(mode):
        content = path.read_bytes()
    return mode, hashlib.sha256(content).hexdigest()


@pytest.fixture(scope="session")
def proven_tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of caches that all workers share: proofs that the tools work, and files that each start reads.

    An entry's name is a digest of everything that it depends on. An entry is replaced, never modified; one
    that a test damages is created again.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "proven-tools"
    for kind in _SHARED_CACHES:
        (folder / kind).mkdir(parents=True, exist_ok=True)
    return folder


_SHARED_CACHES = ("programs", "proofs", "checks", "rules", "installed", "ast-grep", "sources")


@pytest.fixture(autouse=True)
def isolated_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proven_tools: Path) -> Path:
    """Give the test its own home, caches and temporary folder, and git only our configuration."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "PRE_COMMIT", "PREK", "LEFTHOOK")):
            monkeypatch.delenv(name)
    locations = tmp_path / "places"
    for variable, folder in {
        "HOME": "home",
        "XDG_CACHE_HOME": "cache",
        "XDG_STATE_HOME": "state",
        "XDG_CONFIG_HOME": "config",
        "PRE_COMMIT_HOME": "pre-commit",
        "PREK_HOME": "prek",
        "TMPDIR": "tmp",
    }.items():
        (locations / folder).mkdir(parents=True)
        monkeypatch.setenv(variable, str(locations / folder))
    monkeypatch.setenv("WARDROUND_BACKGROUND_INDEX", "off")  # no process may outlive its test
    (locations / "gitconfig").write_text(_GIT_CONFIG, encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(locations / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("PATH", f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}")
    cache = locations / "cache" / "wardround"
    cache.mkdir()
    for kind in _SHARED_CACHES:
        os.symlink(proven_tools / kind, cache / kind)
    return locations


SLOW_TOOLS = ("wardround_python.tools.pyright:Pyright", "wardround_secrets.tools.gitleaks:Gitleaks")


@pytest.fixture
def without_slow_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out of reviews the two tools whose start takes a second of processor time.

    For modules that review in CI, but are not about tools: ruff, ty, ast-grep and the checks remain.
    """
    for name in SLOW_TOOLS:
        monkeypatch.setattr(pkgutil.resolve_name(name), "profiles", frozenset())
    monkeypatch.setenv(WITHOUT_TOOLS, " ".join(SLOW_TOOLS))


@pytest.fixture
def repo(isolated_folders: Path, tmp_path: Path) -> GitRepository:
    """An empty repository."""
    root = tmp_path / "repo"
    root.mkdir()
    repository = GitRepository(root)
    repository.git("init", "--quiet")
    return repository
