"""Installs wardround for a CI run, in an environment of its own outside every checkout.

Start it as ``python3 -I install.py DIRECTORY``: ``-I`` keeps modules of the current directory, of
PYTHONPATH and of the user's site-packages out. Each distribution has to have one of the digests listed in
``.github/requirements``; only wheels are taken, so no setup program of a distribution runs. wardround itself
is built from the folder this file is in, without a network.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
REQUIREMENTS = SOURCE / ".github" / "requirements"
OLDEST = (3, 11)


def main() -> int:
    """Install, and return an exit status: 0, or 2 with a sentence on standard error."""
    parser = argparse.ArgumentParser(prog="install.py", description="Install wardround for a CI run.")
    parser.add_argument("--extras", default="all", help="sets of tools, such as all or ci,web")
    parser.add_argument(
        "--outside", type=Path, help="a workspace that must hold neither wardround nor DIRECTORY"
    )
    parser.add_argument("directory", type=Path, help="a directory to make, outside the checkout")
    arguments = parser.parse_args()
    try:
        if arguments.outside is not None:
            require_outside(arguments.outside, SOURCE, arguments.directory)
        install(arguments.directory, locks(arguments.extras))
    except InstallError as cause:
        print(f"wardround: {cause}", file=sys.stderr)
        return 2
    return 0


class InstallError(Exception):
    """The installation is refused or failed; one sentence."""


def require_outside(workspace: Path, *paths: Path) -> None:
    """Refuse paths in a workspace: what is installed from there, the change under review decides.

    Raises:
        InstallError: a path is in the workspace.
    """
    real = os.path.realpath(workspace)
    for path in paths:
        if Path(os.path.realpath(path)).is_relative_to(real):
            raise InstallError(f"{path} is in the workspace {workspace}; use a directory outside it")


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


def install(directory: Path, requirements: list[Path]) -> None:
    """Make a virtual environment and install wardround into it.

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
    run([sys.executable, "-I", "-m", "venv", str(directory)], directory)
    pip = [str(directory / "bin" / "python"), "-I", "-m", "pip", "--disable-pip-version-check", "--no-input"]
    locked = [*pip, "install", "--quiet", "--require-hashes", "--no-deps", "--only-binary", ":all:"]
    run([*locked, "--requirement", str(REQUIREMENTS / "build.txt")], directory)
    ours = ["install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", str(SOURCE)]
    run([*pip, *ours], directory)
    run([*locked, *(word for file in requirements for word in ("--requirement", str(file)))], directory)


def run(argv: list[str], directory: Path) -> None:
    """Run a program in the new directory, without the caller's settings for Python.

    Raises:
        InstallError: it failed; what it printed is on standard error.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(argv, cwd=directory, env=environment, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise InstallError(f"{' '.join(argv[:5])} ... exited with status {done.returncode}")


if __name__ == "__main__":
    sys.exit(main())
