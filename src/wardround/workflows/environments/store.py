"""The environments that were built, outside every work tree, by the digest of their inputs."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from wardround.storage.paths import cache_dir

_FORMAT = "1"
"""A part of every key; another value makes environments of earlier versions unreachable."""
_DESCRIPTION = "environment.json"
_UNUSED_S = 30 * 24 * 3600
TREE = "tree"
"""The folder in an environment with the files that the build added to the tree."""
PREFIX = "python"
"""The folder in an environment with its virtual environment."""


class BuiltEnvironment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The description of an environment in the store.

    Attributes:
        source: the files that name its packages, as a noun phrase.
        version: version of the interpreter.
        installation: the folder of the interpreter; empty if it is part of the system.
        packages: names and versions, sorted.
        added: paths of files and folders that the build added to the tree, outermost only.
    """

    language: str
    source: str
    version: str
    installation: str = ""
    packages: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """The digest of the interpreter's version and the packages."""
        return hashlib.sha256("\0".join((self.version, *self.packages)).encode()).hexdigest()


def store_folder() -> Path:
    """Return the folder of all environments; it can be deleted at any time."""
    return cache_dir() / "environments"


def key_of(language: str, inputs: Iterable[tuple[str, bytes]]) -> str:
    """Return the key of an environment.

    Args:
        inputs: path and content of every file that decides its packages.
    """
    found = hashlib.sha256("\0".join((_FORMAT, language, sys.platform, platform.machine())).encode())
    for path, content in sorted(inputs):
        found.update(f"\0{path}\0{len(content)}\0".encode("utf-8", "surrogateescape"))
        found.update(content)
    return found.hexdigest()[:32]


def find_built(key: str, version: str = "") -> tuple[Path, BuiltEnvironment] | None:
    """Return the folder and the description of the newest environment of a key; None if there is none.

    One whose interpreter is not installed any more is not returned.

    Args:
        version: the beginning of the version of the interpreter.
    """
    found = []
    for folder in store_folder().glob(f"{key}-{version}*"):
        with suppress(OSError, msgspec.MsgspecError):
            content = (folder / _DESCRIPTION).read_bytes()
            described = msgspec.json.decode(content, type=BuiltEnvironment)
            if not described.installation or os.path.isdir(described.installation):
                found.append((folder.stat().st_mtime_ns, folder, described))
    if not found:
        return None
    _, location, description = max(found, key=lambda environment: environment[0])
    with suppress(OSError):
        os.utime(location)
    return location, description


def find_prefix(prefix: Path) -> tuple[Path, BuiltEnvironment] | None:
    """Return the folder and the description of the environment whose virtual environment is at a prefix; None
    if it is not in the store.
    """
    location = Path(os.path.abspath(prefix)).parent
    if prefix.name != PREFIX or location.parent != store_folder():
        return None
    with suppress(OSError, msgspec.MsgspecError):
        found = msgspec.json.decode((location / _DESCRIPTION).read_bytes(), type=BuiltEnvironment)
        os.utime(location)
        return location, found
    return None


def remove_unused() -> None:
    """Remove the environments that no command has used for a month."""
    for folder in store_folder().glob("*-*"):
        with suppress(OSError):
            if (folder / _DESCRIPTION).is_file() and time.time() - folder.stat().st_mtime > _UNUSED_S:
                shutil.rmtree(folder, ignore_errors=True)


def keep(built: Path, key: str, description: BuiltEnvironment) -> Path:
    """Move a complete environment to its path in the store atomically.

    Args:
        built: a folder on the file system of the store.
    """
    (built / _DESCRIPTION).write_bytes(msgspec.json.encode(description))
    location = store_folder() / f"{key}-{description.version}"
    replaced = built.with_name("replaced")
    with suppress(FileNotFoundError):
        os.rename(location, replaced)
    try:
        os.rename(built, location)
    except OSError:  # another build of the same key ended in between
        if not (location / _DESCRIPTION).is_file():
            raise
    shutil.rmtree(replaced, ignore_errors=True)
    return location
