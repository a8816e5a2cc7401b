"""The installed distributions: plugins by entry point, and versions.

Reading the metadata of every distribution costs more than a cached review, so the result is cached until a
folder it was read from changes.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from wardround import __version__
from wardround.storage.digest import sha256
from wardround.storage.memo import memoize_on_disk

if TYPE_CHECKING:
    from importlib.metadata import Distribution

GROUP = "wardround"
"""The group of the entry points of plugins."""
_RECORD = ".dist-info"


class Plugin(msgspec.Struct, frozen=True, order=True):
    """One entry point: its name, its module, and its distribution."""

    name: str
    module: str
    distribution: str
    version: str


class InstalledPlugins(msgspec.Struct, frozen=True):
    """Entry points of a group, sorted, and distribution -> version; names in lower case, with dashes."""

    plugins: tuple[Plugin, ...]
    versions: dict[str, str]


@cache
def discover(group: str) -> InstalledPlugins:
    """Return the installed plugins and versions, from the cache if no folder on the path has changed."""
    return memoize_on_disk("installed", _state(group), lambda: _read(group), InstalledPlugins)


def _state(group: str) -> str:
    """Return a text that changes when a distribution is installed or removed."""
    parts = [group, __version__, sys.version]
    for folder in sys.path:
        with suppress(OSError):
            parts.append(f"{folder} {os.stat(folder or '.').st_mtime_ns}")
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _read(group: str) -> InstalledPlugins:
    from importlib import metadata

    plugins = set()
    for point in metadata.entry_points(group=group):
        name, version = _name_and_version(point.dist) if point.dist else ("wardround", __version__)
        plugins.add(Plugin(point.name, point.value, name, version))
    return InstalledPlugins(tuple(sorted(plugins)), _versions())


def _name_and_version(dist: Distribution) -> tuple[str, str]:
    """Parse two lines of a distribution's metadata; ``dist.name`` parses all of it, long descriptions
    included.
    """
    text = dist.read_text("METADATA") or dist.read_text("PKG-INFO") or ""
    head = text.partition("\n\n")[0].splitlines()
    reported = dict(line.partition(": ")[::2] for line in head if line.startswith(("Name: ", "Version: ")))
    return reported.get("Name", "").strip(), reported.get("Version", "").strip()


def _versions() -> dict[str, str]:
    """Return name -> version of the installed distributions, by folder name (PEP 427); the first on the path
    wins.
    """
    found: dict[str, str] = {}
    for folder in sys.path:
        with suppress(OSError):
            for name in sorted(os.listdir(folder or ".")):
                if name.endswith(_RECORD):
                    distribution, _, version = name.removesuffix(_RECORD).partition("-")
                    found.setdefault(re.sub(r"[-_.]+", "-", distribution).lower(), version)
    return found
