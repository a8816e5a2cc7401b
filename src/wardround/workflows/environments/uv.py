"""uv, which chooses the interpreter, reads its own lock file and installs wheels."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from wardround.checks.lazy import LazyPattern
from wardround.errors import EnvironmentUnavailable
from wardround.sandbox.model import Visible
from wardround.sandbox.visible import python_profile
from wardround.workflows.environments.download import PackageManager

_INDEX = LazyPattern(r"(?m)^--index-url (\S+)$")
_VERSION = LazyPattern(r"(?m)^version_info = (\S+)$")
_VARIABLES = {
    "UV_NO_PROGRESS": "1", "UV_PYTHON_DOWNLOADS": "never", "UV_COMPILE_BYTECODE": "0", "UV_NO_ENV_FILE": "1",
    "UV_KEYRING_PROVIDER": "disabled", "UV_NO_BUILD": "1", "NO_COLOR": "1",
}  # fmt: skip
_INSTALL_HINT = "pip install 'wardround[run]' includes it, and https://docs.astral.sh/uv/ has other ways"


class Uv:
    """Runs uv. It downloads and unpacks wheels, and builds nothing.

    Args:
        root: the work tree, whose programs are never started.
    """

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        own = os.path.join(sys.prefix, "bin")  # where the extra puts it, which is not on PATH in a hook
        folders = os.pathsep.join(filter(None, (environ.get("PATH"), own)))
        self._program = PackageManager("uv", _INSTALL_HINT, root, {**environ, "PATH": folders})
        home = environ.get("HOME") or str(Path.home())
        cache = environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
        self._variables = _VARIABLES | {
            "UV_CACHE_DIR": environ.get("UV_CACHE_DIR") or os.path.join(cache, "uv")
        }

    def interpreter(self, requests: Sequence[str], cwd: Path) -> str:
        """Return the path of an installed interpreter that meets the first request that one meets."""
        for request in requests or ("",):
            arguments = [
                "python",
                "find",
                "--no-project",
                "--no-config",
                "--system",
                *filter(None, [request]),
            ]
            with suppress(EnvironmentUnavailable):
                return self._run(arguments, cwd, "find Python").strip()
        versions = " or ".join(requests)
        raise EnvironmentUnavailable(
            f"the project needs Python {versions}".rstrip() + ", which uv does not find; install it"
        )

    def export(self, folder: Path, options: Sequence[str]) -> str:
        """Return the requirements of the lock file in a folder."""
        arguments = [
            "export",
            "--frozen",
            "--no-header",
            "--no-annotate",
            "--no-emit-package",
            "uv",
            *options,
        ]
        return self._run(arguments, folder, "read uv.lock")

    def index(self, cwd: Path) -> str:
        """Return the address of the default index."""
        (cwd / "empty.in").touch()
        arguments = ["pip", "compile", "--emit-index-url", "--no-header", "empty.in"]
        found = _INDEX.search(self._run(arguments, cwd, "find the index of packages"))
        return found[1] if found else ""

    def create(self, prefix: Path, interpreter: str, cwd: Path) -> VirtualEnvironment:
        """Create an empty virtual environment."""
        arguments = [
            "venv",
            "--relocatable",
            "--no-project",
            "--no-config",
            "--python",
            interpreter,
            str(prefix),
        ]
        self._run(arguments, cwd, "create a virtual environment")
        return VirtualEnvironment(prefix)

    def install(self, environment: VirtualEnvironment, options: Sequence[str], cwd: Path) -> None:
        """Install wheels into an empty environment.

        Afterwards its interpreter may run code of a package at its start, so that this works only once.
        """
        if not environment.is_empty:
            raise ValueError(f"{environment.prefix} has packages already")
        environment.is_empty = False
        python = str(environment.prefix / "bin" / "python3")
        arguments = ["pip", "install", "--no-build", "--python", python, *options]
        self._run(arguments, cwd, "install the packages")

    def _run(self, arguments: Sequence[str], cwd: Path, purpose: str) -> str:
        return self._program.output(arguments, cwd, purpose, self._variables)


class VirtualEnvironment:
    """A virtual environment whose interpreter is started only in the sandbox.

    Attributes:
        is_empty: True until packages are installed.
        version: of the interpreter.
        visible: the view of a run with it, fixed before a package can replace a program.
    """

    def __init__(self, prefix: Path) -> None:
        self.prefix = prefix
        self.is_empty = True
        self.visible: Visible = python_profile(prefix)
        found = _VERSION.search((prefix / "pyvenv.cfg").read_text("utf-8", "replace"))
        self.version = ".".join(found[1].split(".")[:3]) if found else ""

    @property
    def installation(self) -> str:
        """The folder of the interpreter; empty if it is part of the system."""
        return next((str(one) for one in self.visible.read_only if one != self.prefix), "")

    def packages(self) -> tuple[str, ...]:
        """Return names and versions of the installed packages, by the names of their metadata folders."""
        folders = (self.prefix / "lib").glob("python*/site-packages/*.dist-info")
        return tuple(sorted(one.name.removesuffix(".dist-info") for one in folders))
