"""The package managers, started in the sandbox to download packages and to unpack them.

They read files of the change, which can tell them to run programs and to write anywhere. In the sandbox they
can write to one folder, and reach registries through a proxy; they get no variable of the caller other than
those named here.
"""

from __future__ import annotations

import os
import posixpath
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import msgspec

from wardround.errors import EnvironmentUnavailable
from wardround.sandbox.model import Limits, State, Visible
from wardround.sandbox.proxy import SOCKET, Proxy
from wardround.sandbox.registry_access import RegistryAccess
from wardround.sandbox.run import run
from wardround.sandbox.tree import RunFolder
from wardround.sandbox.visible import INNER_ROOT, SYSTEM_FILES
from wardround.workflows.environments.conditions import BuildConditions
from wardround.workflows.environments.existing_node import PACKAGES, program_on_path
from wardround.workflows.environments.registries import Registries
from wardround.workflows.inner_program import PACKAGE

_RELAY = PACKAGE / "builds" / "proxy_relay.py"
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS")
_LOCALE = ("LANG", "LC_ALL")
_CACHE = ".wardround-cache"
"""The folder of the caches of package managers: each build has its own, as a build could manipulate packages
in a shared one.
"""
_MIB = 1024 * 1024
_MOST_S = 1800.0
_LEAST = {
    "memory_bytes": 4096 * _MIB,
    "processes": 512,
    "file_bytes": 8192 * _MIB,
    "tree_bytes": 32768 * _MIB,
}
"""The least limits of a download: packages are larger than what their users write."""
_SCRATCH_BYTES = 1024 * _MIB
_OPEN_FILES = 4096
_LONGEST_REASON = 400
_IN_FOLDER = ("sh", "-c", 'cd "$0" && exec "$@"')


class DownloadFailed(EnvironmentUnavailable):
    """A package manager failed.

    Attributes:
        output: the end of its standard error.
    """

    def __init__(self, text: str, output: str) -> None:
        super().__init__(text)
        self.output = output


class Tool(msgspec.Struct, frozen=True):
    """A program of the caller that downloads packages.

    Attributes:
        program: its path.
        visible: the files that a run needs to start it.
    """

    name: str
    program: str
    visible: Visible = Visible()


def package_manager(name: str, hint: str, root: Path, environ: Mapping[str, str]) -> Tool:
    """Find a package manager.

    Args:
        hint: the way to install it, as an imperative clause.
        root: the work tree, whose programs are never started.

    Raises:
        EnvironmentUnavailable: it is not installed.
    """
    found = program_on_path(name, root, environ)
    if found is None:
        raise EnvironmentUnavailable(f"building this environment needs {name}, which is not on PATH; {hint}")
    real = Path(os.path.realpath(found))
    return Tool(name, str(real), Visible(read_only=tuple(_outside_system(_installation(real)))))


def own_python() -> Tool:
    """Return the interpreter that runs wardround, without the packages of its environment."""
    installation = Path(os.path.realpath(sys.base_prefix))
    return Tool(
        "python",
        os.path.realpath(sys.executable),
        Visible(read_only=tuple(_outside_system(installation))),
    )


def _installation(program: Path) -> Path:
    """Return the folder of the package that a program is part of; the program itself if there is none."""
    parts = program.parts
    if PACKAGES not in parts:
        return program
    start = len(parts) - parts[::-1].index(PACKAGES)
    return Path(*parts[: start + (2 if parts[start].startswith("@") else 1)])


def _outside_system(*paths: Path) -> Iterator[Path]:
    return (path for path in paths if not path.is_relative_to("/usr"))


class Downloads:
    """Runs package managers in one folder, which a run sees at the path of the tree.

    Use it within ``open_downloads``.

    Attributes:
        folder: their folder; its content is that of the change, and no link in it is followed.
        registries: those that a run reaches.
    """

    def __init__(
        self, folder: RunFolder, registries: Registries, conditions: BuildConditions, proxy: Proxy
    ) -> None:
        self.folder = folder
        self.registries = registries
        self._conditions = conditions
        self._proxy = proxy
        self._certificates = dict(self._shown_certificates()) | {
            name: self.add(f"{_CACHE}/{name}.pem", content) for name, content in proxy.access.certificates()
        }

    def _shown_certificates(self) -> Iterator[tuple[str, str]]:
        """Yield the variables for the caller's own certificates, whose files are copied."""
        for name in _CERTIFICATES:
            path = Path(self._conditions.environ.get(name, ""))
            if any(path.is_relative_to(file) for file in SYSTEM_FILES):
                yield name, str(path)
            elif path.is_file():
                yield name, self.add(f"{_CACHE}/{name}.pem", path.read_bytes())

    def run(
        self,
        tool: Tool,
        arguments: Sequence[str],
        purpose: str,
        *,
        folder: str = "",
        variables: Mapping[str, str] | None = None,
        visible: Sequence[Path] = (),
    ) -> None:
        """Run to the end.

        Args:
            purpose: an infinitive clause for the message, as ``install the packages``.
            folder: in which it runs, relative to the folder of downloads.
            visible: further files and folders.

        Raises:
            EnvironmentUnavailable: it failed, or exceeded a limit.
        """
        self._proxy.refused.clear()
        self._proxy.silent.clear()
        python = own_python()
        relay = [python.program, "-I", "-S", "-c", _RELAY.read_text("utf-8"), inner(SOCKET)]
        outcome = run(
            [*_IN_FOLDER, inner(folder), *relay, tool.program, *arguments],
            self.folder,
            _limits(self._conditions.limits),
            log=self.folder.root.with_name("download.log"),
            visible=self._view([tool.visible, python.visible], visible, variables or {}),
            isolation=self._conditions.isolation,
            environ=self._conditions.environ,
        )
        if outcome.state is not State.FINISHED or outcome.status != 0:
            reason = outcome.detail or _reason(outcome.stderr, outcome.stdout)
            self._fail(f"{tool.name} cannot {purpose}: {reason}", outcome.stderr)

    def add(self, path: str, content: bytes) -> str:
        """Write a file, and return its path as a run has it.

        Raises:
            EnvironmentUnavailable: a run has replaced its folder by a link.
        """
        root = os.path.realpath(self.folder.root)
        location = Path(root, path)
        location.parent.mkdir(parents=True, exist_ok=True)
        if os.path.realpath(location.parent) != str(location.parent):
            raise EnvironmentUnavailable(
                f"a download put a link in place of {location.parent.name}; nothing was built"
            )
        remove(location)
        with location.open("xb") as file:
            file.write(content)
        return inner(path)

    def remove_caches(self) -> None:
        """Remove the caches of package managers, which can have the same files as what they installed."""
        remove(self.folder.root / _CACHE)

    def _view(self, views: Sequence[Visible], paths: Sequence[Path], own: Mapping[str, str]) -> Visible:
        shown = [*paths, *(path for view in views for path in view.read_only)]
        variables = {
            "NO_COLOR": "1", "CI": "1", "TMPDIR": inner(_CACHE, "tmp"), "XDG_CACHE_HOME": inner(_CACHE),
            **self._certificates, **own,
        }  # fmt: skip
        return Visible(
            read_only=tuple(dict.fromkeys(shown)),
            programs=tuple(dict.fromkeys(path for view in views for path in view.programs)),
            environment=_LOCALE,
            variables=tuple(variables.items()),
            loopback=True,
        )

    def _fail(self, text: str, output: str) -> NoReturn:
        if self._proxy.silent:
            text += f"; {', '.join(sorted(self._proxy.silent))} cannot be reached"
        elif self._proxy.refused:
            hosts = ", ".join(sorted(self._proxy.refused))
            text += f"; it requested {hosts}, which is not among the registries: "
            text += "name it in sandbox.registries at the base"
        if self.registries.missing:
            text += f"; no token of {', '.join(self.registries.missing)} was sent, as it is not set"
        raise DownloadFailed(text, output)


@contextmanager
def open_downloads(
    folder: RunFolder, registries: Registries, conditions: BuildConditions
) -> Iterator[Downloads]:
    """Open the proxy of a folder for downloads, until the end of the context."""
    (folder.root / _CACHE / "tmp").mkdir(parents=True)
    access = RegistryAccess(registries.credentials, conditions.environ)
    proxy = Proxy(registries.addresses, conditions.environ, access)
    with proxy.listening(folder.root):
        yield Downloads(folder, registries, conditions, proxy)


def inner(*parts: str) -> str:
    """Return the path of something in the folder of downloads, as a run has it."""
    return posixpath.join(INNER_ROOT, *parts)


def cache(name: str) -> str:
    """Return the path of the cache of a package manager, as a run has it."""
    return inner(_CACHE, name)


def remove(path: Path) -> None:
    """Remove a file or a folder, never the target of a link."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _limits(limits: Limits) -> Limits:
    least = {name: max(least, getattr(limits, name)) for name, least in _LEAST.items()}
    return msgspec.structs.replace(
        limits,
        **least,
        wall_s=_MOST_S,
        cpu_s=_MOST_S,
        open_files=max(limits.open_files, _OPEN_FILES),
        scratch_bytes=_SCRATCH_BYTES,
    )


def _reason(*outputs: str) -> str:
    """Return the first lines that report an error, as one line."""
    for output in outputs:
        lines = [" ".join(line.split()) for line in output.splitlines()]
        reported = [
            line for line in lines if line and not line.startswith(("warning:", "Using ", "Resolved "))
        ]
        first = next((n for n, line in enumerate(reported) if "error" in line.lower() or "ERR" in line), 0)
        if reported:
            return " ".join(reported[first:]).removeprefix("error: ")[:_LONGEST_REASON].rstrip(" .")
    return "it reported no reason"
