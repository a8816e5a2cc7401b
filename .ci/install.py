"""Installs wardround for a CI run, in an environment of its own outside every checkout.

Start it as ``python3 -I install.py DIRECTORY``: ``-I`` keeps modules of the current directory, of
PYTHONPATH and of the user's site-packages out. Each distribution has to have one of the digests listed in
``.github/requirements``; only wheels are taken, so no setup program of a distribution runs. wardround itself
is built from the folder this file is in, without a network.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
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
NEEDS_ALL = re.compile(r"^\s*[\"']?(?:run|models|model-folders|language-model|tickets)\b", re.MULTILINE)
"""Keys of a configuration that need more than the tools for the files."""


def main() -> int:
    """Install, and return an exit status: 0, or 2 with a sentence on standard error."""
    parser = argparse.ArgumentParser(prog="install.py", description="Install wardround for a CI run.")
    parser.add_argument("--extras", default="all", help="sets of tools, such as all or ci,web; or auto")
    parser.add_argument(
        "--workspace", type=Path, help="the checkout whose files auto is for; only names are read"
    )
    parser.add_argument(
        "--cache", type=Path, help="directory for downloads, which are checked again when used"
    )
    parser.add_argument(
        "--print-key", action="store_true", help="print a digest of the requirements, and stop"
    )
    parser.add_argument(
        "--outside", type=Path, help="a workspace that must hold neither wardround nor DIRECTORY"
    )
    parser.add_argument("directory", type=Path, nargs="?", help="a directory to make, outside the checkout")
    arguments = parser.parse_args()
    try:
        extras = arguments.extras
        if extras == AUTO:
            extras = chosen_sets(arguments.workspace)
        if arguments.print_key:
            print(key_of(locks(extras)))
            return 0
        if arguments.directory is None:
            raise InstallError("give the directory to make")
        if arguments.outside is not None:
            require_outside(arguments.outside, SOURCE, arguments.directory)
        print(f"wardround: sets of tools: {extras}", flush=True)
        install(arguments.directory, locks(extras), arguments.cache)
    except InstallError as cause:
        print(f"wardround: {cause}", file=sys.stderr)
        return 2
    return 0


class InstallError(Exception):
    """The installation is rejected or failed; one sentence."""


def require_outside(workspace: Path, *paths: Path) -> None:
    """Reject paths in a workspace: the change under review would control what is installed from there.

    Raises:
        InstallError: a path is in the workspace.
    """
    real = os.path.realpath(workspace)
    for path in paths:
        if Path(os.path.realpath(path)).is_relative_to(real):
            raise InstallError(f"{path} is in the workspace {workspace}; use a directory outside it")


def chosen_sets(workspace: Path | None) -> str:
    """The sets that the files of a checkout need; without a checkout all.

    A change can add files, and the tools for them, but cannot remove the tools for files that it contains.
    """
    if workspace is None or any(map(_needs_all, (workspace / name for name in CONFIGURATIONS))):
        return "all"
    names = set(_names(workspace))
    expected = [name for name, reviewed in SETS.items() if any(map(reviewed.search, names))]
    return ",".join(expected) or "base"


def _needs_all(configuration: Path) -> bool:
    if not configuration.is_file():
        return False
    with configuration.open(encoding="utf-8", errors="replace") as text:
        return NEEDS_ALL.search(text.read(MOST_BYTES)) is not None


def _names(workspace: Path) -> Iterator[str]:
    for _, folders, files in os.walk(workspace):
        folders[:] = [folder for folder in folders if folder not in (".git", "node_modules")]
        yield from map(str.lower, files)


def key_of(requirements: list[Path]) -> str:
    """A digest of requirements files, the version of Python and the kind of machine."""
    found = hashlib.sha256(repr((sys.version_info[:2], os.uname().machine)).encode())
    for file in requirements:
        found.update(file.read_bytes())
    return found.hexdigest()[:32]


def locks(extras: str) -> list[Path]:
    """The requirements files of some sets, in their order.

    Raises:
        InstallError: there is no such set.
    """
    known = {file.stem: file for file in sorted(REQUIREMENTS.glob("*.txt")) if file.stem != "build"}
    names = [name.strip() for name in extras.split(",") if name.strip()] or ["base"]
    for name in names:
        if name not in known:
            raise InstallError(f"extras: there is no set {name!r}; there are {', '.join(known)}")
    if "iac" in names:
        return [known["iac"]]  # has every set, with the older versions that checkov requires
    return [known[name] for name in dict.fromkeys(names)]


def install(directory: Path, requirements: list[Path], cache: Path | None = None) -> None:
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
    step("making an environment", [sys.executable, "-I", "-m", "venv", str(directory)], directory)
    pip = [str(directory / "bin" / "python"), "-I", "-m", "pip", "--disable-pip-version-check", "--no-input"]
    retained = [] if cache is None else ["--cache-dir", str(cache)]
    locked = [
        *pip,
        "install",
        "--quiet",
        *retained,
        "--require-hashes",
        "--no-deps",
        "--only-binary",
        ":all:",
    ]
    step("installing the build", [*locked, "--requirement", str(REQUIREMENTS / "build.txt")], directory)
    ours = ["install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", str(SOURCE)]
    step("installing wardround", [*pip, *ours], directory)
    names = {line for file in requirements for line in file.read_text().splitlines() if "==" in line}
    listed = [word for file in requirements for word in ("--requirement", str(file))]
    step(f"installing {len(names)} distributions", [*locked, *listed], directory)


def step(name: str, argv: list[str], directory: Path) -> None:
    """Run one step and print how long it took.

    Raises:
        InstallError: it failed.
    """
    print(f"wardround: {name} ...", flush=True)
    begun = time.monotonic()
    run(argv, directory)
    print(f"wardround: {name}: {time.monotonic() - begun:.0f} s", flush=True)


def run(argv: list[str], directory: Path) -> None:
    """Run a program in the new directory, without the caller's settings for Python.

    Raises:
        InstallError: a command failed; its output is on standard error.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(argv, cwd=directory, env=environment, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise InstallError(f"{' '.join(argv[:5])} ... exited with status {done.returncode}")


if __name__ == "__main__":
    sys.exit(main())
