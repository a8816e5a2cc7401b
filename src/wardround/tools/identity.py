"""The identity of a tool's program: the digest of its file, and the version it reports itself.

Package metadata describe the installed distribution; the program that is started may be another. Hashing and
starting it take up to seconds, so the identity is cached until the file changes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec

from wardround.errors import ToolFailed
from wardround.plugin_discovery import GROUP, discover
from wardround.storage.digest import sha256
from wardround.storage.memo import memoize_on_disk
from wardround.storage.paths import cache_dir
from wardround.tools.process import Processes, minimal_env, scripts_folder
from wardround.tools.tool import Tool

_KIND = "programs"
_VERSION_TIMEOUT_S = 120.0
"""Long enough for the slowest under load: a version must not depend on the load."""


class Identity(msgspec.Struct, frozen=True):
    """A program on disk.

    Attributes:
        digest: ``sha256:`` and 64 hex digits, of the file that is started, links followed: the binary, or its
            wrapper script; empty if it may be run but not read.
        version: the output of ``--version``; ``unknown`` if it contains no version.
    """

    digest: str
    version: str


def identity(tool: Tool, program: Path) -> Identity:
    """Return the identity of a tool's program."""
    return _identity(program, tool.version_options, tuple(sorted(tool.variables.items())))


def identify(programs: Iterable[tuple[Tool, Path]]) -> None:
    """Compute the unknown identities of programs in parallel: each may take a while."""
    new = {program: tool for tool, program in programs if not _is_known(program, tool.version_options)}
    threads = [threading.Thread(target=identity, args=(tool, program)) for program, tool in new.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@cache
def _identity(program: Path, options: tuple[str, ...], variables: tuple[tuple[str, str], ...]) -> Identity:
    def compute() -> Identity:
        return Identity(_digest(program), _version(program, options, variables))

    return memoize_on_disk(_KIND, _name(program, options), compute, Identity)


def _is_known(program: Path, options: tuple[str, ...]) -> bool:
    return (cache_dir() / _KIND / _name(program, options)).is_file()


def _name(program: Path, options: tuple[str, ...]) -> str:
    """Return a string that changes with the path or the content of a program, not its modification time."""
    file = os.path.realpath(program)
    found = os.stat(file)
    state = (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_dev, found.st_ino)
    parts = "\0".join((file, *map(str, state), *options))
    return sha256(parts.encode("utf-8", "surrogateescape")).hexdigest()


def _digest(file: Path) -> str:
    import hashlib  # OpenSSL's is several times faster over megabytes, and rarely needed

    try:
        with file.open("rb") as content:
            return f"sha256:{hashlib.file_digest(content, 'sha256').hexdigest()}"
    except OSError:
        return ""


def _version(program: Path, options: tuple[str, ...], variables: tuple[tuple[str, str], ...]) -> str:
    """Return the version that a program reports, which may take seconds."""
    try:
        printed = Processes().run(
            [str(program), *options],
            cwd=program.parent,
            timeout_s=_VERSION_TIMEOUT_S,
            clean=frozenset({0}),
            env=minimal_env(program, Path("/nonexistent"), dict(variables)),
        )
    except (ToolFailed, OSError):
        return "unknown"
    words = [word.removeprefix("v") for word in printed.decode("utf-8", "replace").split()]
    return next((word for word in words if word[:1].isdigit()), "unknown")


def distribution_version(tool: Tool, program: Path) -> str | None:
    """Return the version of the installed distribution that a program of our own environment belongs to."""
    if tool.distribution is None or str(program.parent) != os.path.abspath(scripts_folder()):
        return None
    return discover(GROUP).versions.get(tool.distribution)
