"""uv, which chooses the interpreter, reads its own lock file and installs wheels."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from wardround.errors import EnvironmentUnavailable
from wardround.lazy import LazyPattern
from wardround.sandbox.model import Visible
from wardround.semantics.supply_chain.urls import strip_credentials
from wardround.workflows.environments.download import Downloads, cache, inner, package_manager

_INDEX = LazyPattern(r"(?m)^--(?:extra-)?index-url (\S+)$")
_VERSION = LazyPattern(r"(?m)^version_info = (\S+)$")
_SPECIFIER = LazyPattern(r"^[0-9.,<>=!~* ]{1,200}$")
_VARIABLES = {
    "UV_NO_PROGRESS": "1", "UV_PYTHON_DOWNLOADS": "never", "UV_COMPILE_BYTECODE": "0", "UV_NO_ENV_FILE": "1",
    "UV_KEYRING_PROVIDER": "disabled", "NO_COLOR": "1",
}  # fmt: skip
_PASSED = ("HOME", "PATH", "LANG", "LC_ALL", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "UV_PYTHON_INSTALL_DIR")
"""Variables of the caller by which uv finds interpreters and the caller's own settings."""
_INDEX_VARIABLES = (
    "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_NO_INDEX", "UV_OFFLINE",
)  # fmt: skip
_CACHE = {"UV_CACHE_DIR": cache("uv"), "UV_LINK_MODE": "hardlink"}
_DEFAULTS = {"UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_NO_INDEX"}
_INSTALL_HINT = "pip install 'wardround[run]' includes it, and https://docs.astral.sh/uv/ has other ways"
_START_S = 60
_LARGEST_EXPORT = 64 * 1024 * 1024


class Uv:
    """Runs uv: outside of the sandbox only for what depends on nothing but the machine and its user.

    Args:
        root: the work tree, whose programs are never started.
        day: see the attribute.

    Attributes:
        day: the last day of releases that it installs; empty for all.
    """

    def __init__(self, root: Path, environ: Mapping[str, str], day: str = "") -> None:
        own = os.path.join(sys.prefix, "bin")  # where the extra puts it, which is not on PATH in a hook
        environ = {**environ, "PATH": os.pathsep.join(filter(None, (environ.get("PATH"), own)))}
        self.day = day
        self._tool = package_manager("uv", _INSTALL_HINT, root, environ)
        indexes = {name: environ[name] for name in _INDEX_VARIABLES if name in environ}
        self._indexes = {name: strip_credentials(value) for name, value in indexes.items()}
        real = os.path.realpath(root)
        folders = [
            directory
            for directory in environ.get("PATH", "").split(os.pathsep)
            if os.path.isabs(directory) and not Path(os.path.realpath(directory)).is_relative_to(real)
        ]
        self._environ = {name: environ[name] for name in _PASSED if name in environ}
        self._environ |= self._indexes | _VARIABLES | {"PATH": os.pathsep.join(folders)}

    def interpreter(self, requests: Sequence[str]) -> str:
        """Return the path of an installed interpreter that meets the first request that one meets.

        Args:
            requests: specifiers of versions. Others, as a path, are not met: uv would start what they name.
        """
        for request in requests or ("",):
            if not request or _SPECIFIER.search(request):
                arguments = ["python", "find", "--no-project", "--no-config", "--system"]
                found = self._outside([*arguments, *filter(None, [request])])
                if found.strip():
                    return found.strip()
        versions = " or ".join(requests)
        raise EnvironmentUnavailable(
            f"the project needs Python {versions}".rstrip() + ", which uv does not find; install it"
        )

    @property
    def indexes(self) -> tuple[str, ...]:
        """The addresses of the caller's indexes without passwords, the default one first."""
        return tuple(map(strip_credentials, self.configured_indexes))

    @cached_property
    def configured_indexes(self) -> tuple[str, ...]:
        """The URLs of the caller's indexes in the form of uv's settings, only for the proxy."""
        arguments = ["pip", "compile", "--emit-index-url", "--no-header", "--offline", "--no-cache", "-"]
        return tuple(_INDEX.findall(self._outside(arguments)))

    def export(self, downloads: Downloads, folder: str, options: Sequence[str]) -> str:
        """Return the requirements of the lock file in a folder."""
        arguments = [
            "export", "--frozen", "--no-config", "--no-header", "--no-annotate", "--no-emit-package", "uv",
            "--output-file", inner("exported.txt"), "--quiet", *options,
        ]  # fmt: skip
        self._run(downloads, arguments, "read uv.lock", folder=folder)
        content = downloads.folder.read("exported.txt", _LARGEST_EXPORT) or b""
        return content.decode("utf-8", "replace")

    def create(self, downloads: Downloads, name: str, interpreter: str) -> VirtualEnvironment:
        """Create an empty virtual environment in the folder of downloads."""
        prefix = downloads.folder.root / name
        arguments = [
            "venv",
            "--relocatable",
            "--no-project",
            "--no-config",
            "--python",
            interpreter,
            inner(name),
        ]
        found = VirtualEnvironment(prefix, interpreter)
        self._run(downloads, arguments, "create a virtual environment", found)
        settings = downloads.folder.read(f"{name}/pyvenv.cfg") or b""
        version = _VERSION.search(settings.decode("utf-8", "replace"))
        found.version = ".".join(version[1].split(".")[:3]) if version else ""
        return found

    def install(
        self, downloads: Downloads, environment: VirtualEnvironment, options: Sequence[str], *, builds: bool
    ) -> None:
        """Install into an empty environment.

        Afterwards its interpreter may run code of a package at its start, so that this works only once.

        Args:
            builds: True to build packages from git, for which there are no wheels, in the sandbox as well.
        """
        if not environment.is_empty:
            raise ValueError(f"{environment.prefix} has packages already")
        environment.is_empty = False
        python = inner(environment.prefix.name, "bin", "python3")
        arguments = ["pip", "install", "--no-config", *([] if builds else ["--no-build"]), "--python", python]
        if self.day:
            arguments.append(f"--exclude-newer={self.day}")
        arguments += options
        self._run(downloads, arguments, "install the packages", environment)

    def _run(
        self,
        downloads: Downloads,
        arguments: Sequence[str],
        purpose: str,
        environment: VirtualEnvironment | None = None,
        folder: str = "",
    ) -> None:
        links = Path(self._indexes.get("UV_FIND_LINKS", ""))
        downloads.run(
            self._tool,
            arguments,
            purpose,
            folder=folder,
            variables=_VARIABLES
            | self._index_variables()
            | {"UV_CACHE_DIR": cache("uv"), "UV_LINK_MODE": "hardlink"},
            visible=[
                *([environment.base] if environment is not None and environment.base else []),
                *([links] if links.is_absolute() and links.is_dir() else []),
            ],
        )

    def _index_variables(self) -> dict[str, str]:
        """Return variables for the caller's indexes, those of the caller's own settings included."""
        if _DEFAULTS.isdisjoint(self._indexes) and self.indexes:
            default, *others = self.indexes
            return {"UV_DEFAULT_INDEX": default, "UV_EXTRA_INDEX_URL": " ".join(others)} | self._indexes
        return self._indexes

    def _outside(self, arguments: Sequence[str]) -> str:
        """Return the output of a command that reads nothing of the change; empty if it failed.

        It runs in the root, as uv obeys settings and starts interpreters of the folders above its own.
        """
        with suppress(OSError, subprocess.SubprocessError):
            done = subprocess.run(
                [self._tool.program, *arguments], cwd="/", env=self._environ, capture_output=True, check=True,
                stdin=subprocess.DEVNULL, timeout=_START_S,
            )  # fmt: skip
            return done.stdout.decode("utf-8", "replace")
        return ""


class VirtualEnvironment:
    """A virtual environment whose interpreter is started only in the sandbox.

    Attributes:
        is_empty: True until packages are installed.
        base: the folder of its base interpreter; None if that is part of the system.
        version: version of the interpreter.
    """

    def __init__(self, prefix: Path, interpreter: str) -> None:
        self.prefix = prefix
        self.is_empty = True
        base = Path(os.path.realpath(interpreter)).parent.parent
        self.base = None if base.is_relative_to("/usr") else base
        self.version = ""

    @property
    def visible(self) -> Visible:
        """The view of a run with it; it does not depend on files in its folder."""
        return Visible(
            read_only=tuple(filter(None, (self.prefix, self.base))),
            programs=(self.prefix / "bin",),
            variables=(("PYTHONDONTWRITEBYTECODE", "1"), ("VIRTUAL_ENV", str(self.prefix))),
        )

    @property
    def installation(self) -> str:
        """The folder of the interpreter; empty if it is part of the system."""
        return str(self.base or "")

    def packages(self) -> tuple[str, ...]:
        """Return names and versions of the installed packages, by the names of their metadata folders."""
        folders = (self.prefix / "lib").glob("python*/site-packages/*.dist-info")
        return tuple(sorted(folder.name.removesuffix(".dist-info") for folder in folders))
