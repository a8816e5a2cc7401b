"""The package managers, started outside of the sandbox to download packages and to unpack them.

They get options that keep them from running code of packages and of the repository, and an environment
without the caller's secrets.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from wardround.errors import EnvironmentUnavailable
from wardround.workflows.environments.existing_node import program_on_path

_PASSED = (
    "HOME", "LANG", "LC_ALL", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy",
    "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "XDG_CACHE_HOME", "XDG_DATA_HOME",
    "TMPDIR", "UV_CACHE_DIR", "UV_PYTHON_INSTALL_DIR", "UV_DEFAULT_INDEX", "UV_INDEX_URL",
    "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_NO_INDEX", "UV_OFFLINE",
)  # fmt: skip
"""Variables of the caller. Names of indexes with their passwords are not among them: a change can give the
same name to another index.
"""
_MOST_S = 1800
_LONGEST_REASON = 400


class DownloadFailed(EnvironmentUnavailable):
    """A package manager failed.

    Attributes:
        output: everything that it reported as errors.
    """

    def __init__(self, text: str, output: str) -> None:
        super().__init__(text)
        self.output = output


class PackageManager:
    """A program of the caller that downloads packages.

    Args:
        hint: the way to install it, as an imperative clause.
        root: the work tree, whose programs are never started.
    """

    def __init__(self, name: str, hint: str, root: Path, environ: Mapping[str, str]) -> None:
        found = program_on_path(name, root, environ)
        if found is None:
            raise EnvironmentUnavailable(
                f"building this environment needs {name}, which is not on PATH; {hint}"
            )
        self._name = name
        self._program = found
        real = os.path.realpath(root)
        folders = [
            one
            for one in environ.get("PATH", "").split(os.pathsep)
            if os.path.isabs(one) and not Path(os.path.realpath(one)).is_relative_to(real)
        ]
        self._environ = {name: environ[name] for name in _PASSED if name in environ}
        self._environ["PATH"] = os.pathsep.join(folders)

    def output(
        self,
        arguments: Sequence[str],
        cwd: Path,
        purpose: str,
        variables: Mapping[str, str] | None = None,
    ) -> str:
        """Run to the end and return the standard output.

        Args:
            purpose: an infinitive clause for the message, as ``install the packages``.

        Raises:
            EnvironmentUnavailable: it failed, or took longer than half an hour.
        """
        process = subprocess.Popen(
            [self._program, *arguments],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self._environ | dict(variables or {}),
            start_new_session=True,
        )
        try:
            out, errors = process.communicate(timeout=_MOST_S)
        except subprocess.TimeoutExpired:
            self._fail(purpose, f"it took longer than {_MOST_S} s", b"")
        finally:
            if process.returncode is None:  # also on Ctrl-C: no download continues without its caller
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if process.returncode != 0:
            self._fail(purpose, _reason(errors, out), errors)
        return out.decode("utf-8", "replace")

    def _fail(self, purpose: str, reason: str, errors: bytes) -> NoReturn:
        raise DownloadFailed(f"{self._name} cannot {purpose}: {reason}", errors.decode("utf-8", "replace"))


def _reason(*outputs: bytes) -> str:
    """Return the first lines that report an error, as one line."""
    for output in outputs:
        lines = [" ".join(line.split()) for line in output.decode("utf-8", "replace").splitlines()]
        told = [line for line in lines if line and not line.startswith(("warning:", "Using ", "Resolved "))]
        first = next((n for n, line in enumerate(told) if "error" in line.lower() or "ERR" in line), 0)
        if told:
            return " ".join(told[first:]).removeprefix("error: ")[:_LONGEST_REASON].rstrip(" .")
    return "it reported no reason"
