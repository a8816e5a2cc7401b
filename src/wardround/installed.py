"""What is installed beside wardround: plugins by entry point, and the versions of distributions.

Reading the metadata of every distribution costs more than a whole review from the cache, so the answer is
kept until a folder it was read from changes.
"""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import suppress
from functools import cache

import msgspec

from wardround import __version__
from wardround.kept import kept


class Plugin(msgspec.Struct, frozen=True, order=True):
    """One entry point: its name, the module it names, and the distribution that has it."""

    name: str
    module: str
    distribution: str
    version: str


class Installed(msgspec.Struct, frozen=True):
    """Entry points of a group, sorted, and distribution -> version."""

    plugins: tuple[Plugin, ...]
    versions: dict[str, str]


@cache
def installed(group: str) -> Installed:
    """Everything installed that matters, from the cache if no folder on the path has changed."""
    return kept("installed", _state(group), lambda: _read(group), Installed)


def _state(group: str) -> str:
    """What changes when a distribution is installed or removed."""
    parts = [group, __version__, sys.version]
    for folder in sys.path:
        with suppress(OSError):
            parts.append(f"{folder} {os.stat(folder or '.').st_mtime_ns}")
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _read(group: str) -> Installed:
    from importlib import metadata

    plugins = set()
    for point in metadata.entry_points(group=group):
        name, version = (point.dist.name, point.dist.version) if point.dist else ("wardround", __version__)
        plugins.add(Plugin(point.name, point.value, name, version))
    versions = {dist.name.lower(): dist.version for dist in metadata.distributions() if dist.name}
    return Installed(tuple(sorted(plugins)), versions)
