"""The content of a lock file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec


class LockEntry(msgspec.Struct, frozen=True):
    """One locked version of a package.

    Attributes:
        name: in the normal form of its ecosystem.
        key: unique in the lock file.
        raw: the source of the entry; entries that are equal here need no comparison.
        line: 1-based; 1 if the format does not keep it.
    """

    name: str
    version: str
    key: str
    raw: Any
    line: int = 1


class LockDetails(msgspec.Struct, frozen=True):
    """The origin of one locked version.

    Attributes:
        urls: URLs of its archives, or of its index.
        hashes: archive -> hash, with its algorithm in front.
        runs_script: an installation runs code of the package.
        package: the name of the archive in its URL; empty if the URL does not contain it.
    """

    urls: tuple[str, ...] = ()
    hashes: Mapping[str, str] = {}
    runs_script: bool = False
    package: str = ""


class LockFile(msgspec.Struct, frozen=True):
    """A lock file.

    Attributes:
        declared: folder of a manifest, relative to the lock file -> package -> the locked requirements.
        patterns: the requirements, ``name@range``, that have an entry; for formats that list them.
        overridden: the packages whose requirements the lock file replaces.
        hosts: hosts of all archives and indexes; None: they are those of the details.
        content_hash: hash of the manifest's content when it was locked.
        problem: the reason why it cannot be read; empty if it can.
    """

    entries: tuple[LockEntry, ...] = ()
    details: Callable[[LockEntry], LockDetails] = lambda entry: LockDetails()
    declared: Mapping[str, Mapping[str, frozenset[str]]] = {}
    patterns: frozenset[str] = frozenset()
    overridden: frozenset[str] = frozenset()
    hosts: frozenset[str] | None = None
    content_hash: str = ""
    problem: str = ""
