"""Installs wardround for a CI run, in an environment of its own outside every checkout.

Start it as ``python3 -I install.py DIRECTORY``: ``-I`` keeps modules of the current directory, of
PYTHONPATH and of the user's site-packages out. Each distribution has to have one of the digests listed in
``.github/requirements``; only wheels are taken, so no setup program of a distribution runs. pip downloads
what the cache lacks; uv, itself one of the wheels, installs from the downloads and compares each with its
digest again. wardround itself is built from the folder this file is in, without a network.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
REQUIREMENTS = SOURCE / ".github" / "requirements"
OLDEST = (3, 11)
AUTO = "auto"
SETS = {
    "ci": re.compile(r"\.(?:pyi?|[cm]?[jt]sx?|vue|svelte)$"),
    "web": re.compile(r"\.(?:[cm]?[jt]sx?|vue|svelte)$"),
    "docker-ci": re.compile(r"(?:docker|container|jenkins)file|\.(?:ya?ml|(?:ba|k|z|da)?sh)$"),
}
"""Set -> the names of files, in lower case, that its tools review."""
MOST_BYTES = 1_000_000
CONFIGURATIONS = (".wardround.toml", "pyproject.toml")
SETTINGS = {
    "all": re.compile(r"^\s*[\"']?run\b", re.MULTILINE),
    "models": re.compile(r"^\s*[\"']?model(?:s|-folders)\b|^\s*\[+[\w.]*\bmodels\b", re.MULTILINE),
    "language-model": re.compile(r"^\s*(?:\[[\w.]*\b)?[\"']?language-model\b", re.MULTILINE),
    "tickets": re.compile(r"^\s*(?:\[[\w.]*\b)?[\"']?tickets\b", re.MULTILINE),
}
"""Set -> the keys of a configuration that need it."""
SEPARATE = ("build", "uv")
"""Files of requirements that are no sets of tools."""
OWN_VARIABLES = re.compile(
    r"PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|PIP_\w+|XDG_\w+|SSL_CERT_\w+|REQUESTS_CA_BUNDLE|"
    r"(?:HTTPS?|ALL|NO)_PROXY|(?:https?|all|no)_proxy"
)
"""The variables that the programs of an installation get: no token of the job is among them."""
SECONDS_FOR_GIT = 30


def main() -> int:
    """Install, and return an exit status: 0, or 2 with a sentence on standard error."""
    arguments = parse_arguments(sys.argv[1:])
    try:
        extras = requested_sets(arguments)
        if arguments.print_outputs:
            print(f"extras={extras}\nkey={key_of(locks(extras))}")
        elif arguments.once is not None:
            environment = install_once(arguments.once, locks(extras), arguments.outside)
            print(f"wardround: sets of tools: {extras}, in {environment}", file=sys.stderr)
            print(environment)
        else:
            install_new(arguments, extras)
    except InstallError as cause:
        print(f"wardround: {cause}", file=sys.stderr)
        return 2
    return 0


def parse_arguments(words: Sequence[str]) -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(prog="install.py", description="Install wardround for a CI run.")
    add = parser.add_argument
    add("--extras", default="all", help="sets of tools, such as all or ci,web; or auto")
    add("--also", default="", help="further sets, which auto does not choose, such as records")
    add("--workspace", type=Path, help="the checkout whose files auto is for; only names are read")
    add("--base", default="", help="with --workspace: auto is for the files that differ from this commit")
    add("--head", default="", help="the last commit of the change")
    add("--event", type=Path, help="the event of GitHub that names these commits")
    add("--cache", type=Path, help="directory for downloads, which are checked again when used")
    add(
        "--print-outputs",
        action="store_true",
        help="print the sets and a digest of their requirements, and stop",
    )
    add("--outside", type=Path, help="a workspace that must hold neither wardround nor DIRECTORY")
    add("--once", type=Path, metavar="FOLDER", help="install into FOLDER unless this was done before")
    add("directory", type=Path, nargs="?", help="a directory to make, outside the checkout")
    return parser.parse_args(words)


class InstallError(Exception):
    """The installation is rejected or failed; one sentence."""


def require_outside(workspace: Path, *paths: Path) -> None:
    """Reject paths in a workspace: the change under review would control the installation.

    Raises:
        InstallError: a path is in the workspace.
    """
    real = os.path.realpath(workspace)
    for path in paths:
        if Path(os.path.realpath(path)).is_relative_to(real):
            raise InstallError(f"{path} is in the workspace {workspace}; use a directory outside it")


# The sets of tools


def requested_sets(arguments: argparse.Namespace) -> str:
    """The names of the sets, separated by commas."""
    extras = arguments.extras
    if extras == AUTO:
        extras = chosen_sets(arguments.workspace, change_of(arguments))
    names = [name.strip() for name in f"{extras},{arguments.also}".split(",") if name.strip()]
    return "all" if "all" in names and set(names) <= covered_by_all() else ",".join(dict.fromkeys(names))


def covered_by_all() -> set[str]:
    """The sets that the set of all contains."""
    inside = distributions([REQUIREMENTS / "all.txt"])
    names = {file.stem for file in REQUIREMENTS.glob("*.txt")}
    return {name for name in names if distributions([REQUIREMENTS / f"{name}.txt"]) <= inside}


def change_of(arguments: argparse.Namespace) -> tuple[str, str]:
    """The two commits whose difference is reviewed; empty where they are not known."""
    base, head = arguments.base, arguments.head
    if arguments.event is None or base:
        return base, head or "HEAD"
    try:
        payload = json.loads(arguments.event.read_bytes())
        request = payload.get("pull_request") or {}
        group = payload.get("merge_group") or {}
        base = request.get("base", {}).get("sha") or group.get("base_sha") or payload.get("before") or ""
    except (OSError, ValueError, AttributeError):
        return "", ""
    return str(base), head or "HEAD"


def chosen_sets(workspace: Path | None, change: tuple[str, str] = ("", "")) -> str:
    """The sets that the files of a change need, or those of the checkout if its commits are not there.

    A change can add files, and the tools for them, but cannot remove the tools for files that it contains.
    Without a checkout these are all sets.
    """
    if workspace is None:
        return "all"
    configured = [
        name for name in SETTINGS if any(_configures(workspace / file, name) for file in CONFIGURATIONS)
    ]
    if "all" in configured:
        return "all"
    changed = changed_names(workspace, *change)
    names = set(_names(workspace)) if changed is None else changed
    expected = [name for name, reviewed in SETS.items() if any(map(reviewed.search, names))]
    return ",".join([*expected, *configured]) or "base"


def _configures(configuration: Path, name: str) -> bool:
    if not configuration.is_file():
        return False
    with configuration.open(encoding="utf-8", errors="replace") as text:
        return SETTINGS[name].search(text.read(MOST_BYTES)) is not None


def changed_names(workspace: Path, base: str, head: str) -> set[str] | None:
    """The names of the files that a change touches, in lower case; None if git cannot compare its commits.

    These are all files that differ between the merge base and the head, or between the base and the head:
    the review compares one of these pairs.
    """
    if not base or not head or base.startswith("-") or head.startswith("-"):
        return None
    start = _git(workspace, "merge-base", base, head)
    if start is None:
        return None
    listed = [
        _git(workspace, "diff-tree", "-r", "-z", "--name-only", "--no-renames", commit, f"{head}^{{tree}}")
        for commit in (f"{start.decode().strip()}^{{tree}}", f"{base}^{{tree}}")
    ]
    if None in listed:
        return None
    return {os.fsdecode(name).lower() for names in listed for name in (names or b"").split(b"\0") if name}


def _git(workspace: Path, *arguments: str) -> bytes | None:
    """The output of a command of git that reads only objects and starts no program; None if it fails."""
    environment = {
        **own_environment(), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "none",
    }  # fmt: skip
    safe = ("-c", f"safe.directory={workspace.resolve()}", "-c", "core.fsmonitor=false")
    argv = ["git", *safe, "-C", str(workspace), *arguments]
    try:
        done = subprocess.run(
            argv,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS_FOR_GIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _names(workspace: Path) -> Iterator[str]:
    for _, folders, files in os.walk(workspace):
        folders[:] = [folder for folder in folders if folder not in (".git", "node_modules")]
        yield from map(str.lower, files)


def key_of(requirements: Iterable[Path]) -> str:
    """A digest of requirements files, the version of Python and the kind of machine."""
    found = hashlib.sha256(repr((sys.version_info[:2], os.uname().machine)).encode())
    for file in requirements:
        found.update(file.read_bytes())
    return found.hexdigest()[:32]


def locks(extras: str) -> list[Path]:
    """The requirements files of some sets, in their order.

    Raises:
        InstallError: a set does not exist.
    """
    known = {file.stem: file for file in sorted(REQUIREMENTS.glob("*.txt")) if file.stem not in SEPARATE}
    names = [name.strip() for name in extras.split(",") if name.strip()] or ["base"]
    for name in names:
        if name not in known:
            raise InstallError(f"extras: there is no set {name!r}; there are {', '.join(known)}")
    if "iac" in names:
        return [known["iac"]]  # has every set, with the older versions that checkov requires
    return [known[name] for name in dict.fromkeys(names)]


def distributions(requirements: Iterable[Path]) -> set[str]:
    """The pinned distributions of requirements files."""
    return {
        line.split()[0] for file in requirements for line in file.read_text().splitlines() if "==" in line
    }


# The installation


def install_new(arguments: argparse.Namespace, extras: str) -> None:
    """Install into the directory that the arguments name.

    Raises:
        InstallError: no directory is named, it is in the workspace or exists, or a step failed.
    """
    if arguments.directory is None:
        raise InstallError("give the directory to make")
    if arguments.outside is not None:
        require_outside(arguments.outside, SOURCE, arguments.directory)
    print(f"wardround: sets of tools: {extras}", flush=True)
    install(arguments.directory, locks(extras), arguments.cache)


def install(directory: Path, requirements: Sequence[Path], cache: Path | None = None) -> None:
    """Make a virtual environment and install wardround into it.

    Args:
        cache: folder of downloads; each is verified by its digest whenever it is installed.

    Raises:
        InstallError: the Python is too old, the directory is in use, or a step failed.
    """
    if sys.version_info < OLDEST:
        raise InstallError(f"{sys.executable} is older than Python 3.11; give another in the input python")
    if not sys.flags.isolated:
        raise InstallError("start it as python3 -I install.py, so that no module of the checkout is imported")
    directory = Path(os.path.abspath(directory))
    try:
        directory.mkdir(mode=0o700)
    except OSError as cause:
        raise InstallError(f"{directory}: {cause.strerror}; give a directory that does not exist") from cause
    step(
        "making an environment",
        [sys.executable, "-I", "-m", "venv", "--without-pip", str(directory)],
        directory,
    )
    with tempfile.TemporaryDirectory(prefix="wardround-install-") as scratch:
        downloads = Path(os.path.abspath(cache or Path(scratch) / "downloads"))
        Installation(directory, requirements, downloads, Path(scratch)).run()


class Installation:
    """Fills a new environment from a folder of downloads."""

    def __init__(self, directory: Path, requirements: Sequence[Path], downloads: Path, scratch: Path) -> None:
        self._directory = directory
        self._downloads = downloads
        self._scratch = scratch
        files = [REQUIREMENTS / "build.txt", *requirements]
        self._distributions = f"{len(distributions(requirements))} distributions"
        self._listed = [word for file in files for word in ("--requirement", str(file))]

    def run(self) -> None:
        """Install the distributions, then wardround.

        Raises:
            InstallError: a step failed.
        """
        uv = find_uv(self._downloads, self._scratch)
        if uv is None or not self._install_distributions(uv, is_last=False):
            self._download()
            uv = find_uv(self._downloads, self._scratch)
            if uv is None:
                raise InstallError(
                    f"uv is not among the downloads for {os.uname().machine}; use another machine"
                )
            self._install_distributions(uv, is_last=True)
        ours = ["--no-deps", "--no-build-isolation", str(SOURCE)]
        step("building and installing wardround", [*self._pip_of(uv), *ours], self._directory)

    def _pip_of(self, uv: Path) -> list[str]:
        caches = ["--cache-dir", str(self._scratch / "unpacked"), "--link-mode", "hardlink"]
        target = ["--python", str(self._directory / "bin" / "python"), "--offline", "--no-index"]
        return [str(uv), "--no-config", "--quiet", "pip", "install", *caches, *target]

    def _install_distributions(self, uv: Path, *, is_last: bool) -> bool:
        locked = ["--require-hashes", "--no-deps", "--only-binary", ":all:", *self._listed]
        argv = [*self._pip_of(uv), "--find-links", self._downloads.as_uri(), *locked]
        if is_last or self._is_complete():
            step(f"installing {self._distributions}", argv, self._directory)
            return True
        return False

    def _is_complete(self) -> bool:
        """Return True if the downloads are those of these requirements, which an earlier run wrote down."""
        try:
            return (self._downloads / "complete").read_text() == self._digest()
        except OSError:
            return False

    def _digest(self) -> str:
        return key_of([Path(word) for word in self._listed if word != "--requirement"])

    def _download(self) -> None:
        """Download the wheels with pip, whose own environment is removed afterwards."""
        self._downloads.mkdir(mode=0o700, exist_ok=True)
        pip = self._scratch / "pip"
        step("making an environment for pip", [sys.executable, "-I", "-m", "venv", str(pip)], self._directory)
        options = ["--disable-pip-version-check", "--no-input", "download", "--quiet"]
        locked = ["--require-hashes", "--no-deps", "--only-binary", ":all:", "--dest", str(self._downloads)]
        files = ["--requirement", str(REQUIREMENTS / "uv.txt"), *self._listed]
        argv = [str(pip / "bin" / "python"), "-I", "-m", "pip", *options, *locked, *files]
        step(f"downloading {self._distributions}", argv, self._directory)
        (self._downloads / "complete").write_text(self._digest())


def find_uv(downloads: Path, scratch: Path) -> Path | None:
    """Take uv out of its wheel, if that is among the downloads and has one of the listed digests."""
    digests = set(re.findall(r"sha256:([0-9a-f]{64})", (REQUIREMENTS / "uv.txt").read_text()))
    for wheel in sorted(downloads.glob("uv-*.whl")):
        content = wheel.read_bytes()
        if hashlib.sha256(content).hexdigest() not in digests:
            raise InstallError(f"{wheel.name} among the downloads has another digest than listed; remove it")
        with zipfile.ZipFile(io.BytesIO(content)) as opened:
            (name,) = (name for name in opened.namelist() if name.endswith(".data/scripts/uv"))
            program = scratch / "uv"
            program.write_bytes(opened.read(name))
            program.chmod(0o700)
            return program
    return None


# One installation for all jobs of an agent


def install_once(folder: Path, requirements: Sequence[Path], workspace: Path | None) -> Path:
    """Install wardround unless this version of it is in the folder; return its environment.

    Jobs that start at the same time wait for the first one. An installation that was interrupted is not
    used, as the link to an environment is made last.

    Raises:
        InstallError: the folder is in the workspace or belongs to another user, or a step failed.
    """
    if workspace is not None:
        require_outside(workspace, SOURCE, folder)
    folder = Path(os.path.abspath(folder))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    state = folder.stat()
    if state.st_uid != os.getuid() or state.st_mode & 0o022:
        raise InstallError(f"{folder} can be written by others; give a folder of this user alone")
    link = folder / environment_key(requirements)
    with lock(folder / "lock"):
        if not link.exists():
            directory = Path(tempfile.mkdtemp(prefix=f"{link.name}.", dir=folder)) / "venv"
            with redirect_to_stderr():
                install(directory, requirements)
            link.unlink(missing_ok=True)
            link.symlink_to(directory.relative_to(folder), target_is_directory=True)
    return link.resolve()


def environment_key(requirements: Iterable[Path]) -> str:
    """A digest of everything that is installed: the distributions, and the files of wardround."""
    return key_of([*requirements, REQUIREMENTS / "build.txt", *sorted(source_files())])


def source_files() -> Iterator[Path]:
    """The files from which wardround is built."""
    yield SOURCE / "pyproject.toml"
    for top in ("src", "plugins", "rules", "adapters", ".ci"):
        for folder, folders, files in os.walk(SOURCE / top):
            folders[:] = [name for name in folders if name != "__pycache__"]
            yield from (Path(folder) / name for name in files)


@contextmanager
def lock(file: Path) -> Iterator[None]:
    """Hold a lock, which the system releases when the process ends in any way."""
    with file.open("w") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield


@contextmanager
def redirect_to_stderr() -> Iterator[None]:
    """Print the progress to standard error, so that standard output is the environment alone."""
    stdout, sys.stdout = sys.stdout, sys.stderr
    try:
        yield
    finally:
        sys.stdout = stdout


# Programs


def step(name: str, argv: Sequence[str], directory: Path) -> None:
    """Run one step and print how long it took.

    Raises:
        InstallError: it failed.
    """
    print(f"wardround: {name} ...", flush=True)
    begun = time.monotonic()
    run(argv, directory)
    print(f"wardround: {name}: {time.monotonic() - begun:.1f} s", flush=True)


def run(argv: Sequence[str], directory: Path) -> None:
    """Run a program in the new directory, with the variables of an installation and no others.

    Raises:
        InstallError: a command failed; its output is on standard error.
    """
    done = subprocess.run(
        argv, cwd=directory, env=own_environment(), stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False
    )
    if done.returncode != 0:
        raise InstallError(f"{' '.join(argv[:5])} ... exited with status {done.returncode}")


def own_environment() -> dict[str, str]:
    """The variables of this process that the programs of an installation get."""
    return {name: value for name, value in os.environ.items() if OWN_VARIABLES.fullmatch(name)}


if __name__ == "__main__":
    sys.exit(main())
