"""The files that decide how script modules are found: packages and the path aliases of the compiler."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from wardround.languages.jsonc import loads

_ENTRY_FIELDS = ("source", "types", "module", "main", "svelte")
_MOST_EXPORTS = 200


class Manifest(msgspec.Struct, frozen=True, array_like=True):
    """The settings of a folder.

    Attributes:
        path: path of the file, which ends in ``package.json`` or ``tsconfig*.json``.
        name: name of the package; empty for compiler settings.
        entries: exported subpath, ``.`` for the package itself -> files, if they are relative paths.
        base: the folder that paths without a dot are relative to; None if there is none.
        paths: alias pattern -> replacement patterns, relative to ``base`` or to the folder.
        extends: relative paths of the settings that these complete.
    """

    path: str
    name: str = ""
    entries: Mapping[str, tuple[str, ...]] = {}
    base: str | None = None
    paths: Mapping[str, tuple[str, ...]] = {}
    extends: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        return posixpath.dirname(self.path)


def is_manifest(path: str) -> bool:
    """Return True for a file that has settings of modules, by its name."""
    name = path.rpartition("/")[2]
    is_settings = name.startswith(("tsconfig", "jsconfig")) and name.endswith(".json")
    return (name == "package.json" or is_settings) and "node_modules/" not in path


def read_manifest(path: str, text: str) -> Manifest:
    """Return the settings of a file; empty ones for a file that is not valid."""
    document = loads(text) or {}
    if path.endswith("package.json"):
        name = document.get("name")
        return Manifest(path, name if isinstance(name, str) else "", dict(_entries(document)))
    options = document.get("compilerOptions")
    options = options if isinstance(options, dict) else {}
    base, extended = options.get("baseUrl"), document.get("extends")
    extends = tuple(_strings_of([extended] if isinstance(extended, str) else extended))
    paths = options.get("paths")
    aliases = {str(alias): tuple(_strings_of(targets)) for alias, targets in _pairs(paths)}
    return Manifest(path, "", {}, base if isinstance(base, str) else None, aliases, extends)


def _entries(document: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    main = tuple(_strings_of([document.get(field) for field in _ENTRY_FIELDS]))
    exports = document.get("exports")
    if not isinstance(exports, dict) or not any(str(key).startswith(".") for key in exports):
        exports = {".": exports}
    for subpath, target in list(exports.items())[:_MOST_EXPORTS]:
        files = tuple(dict.fromkeys(_targets(target)))
        yield str(subpath), (*files, *main) if subpath == "." else files
    if "." not in exports:
        yield ".", main


def _targets(target: object) -> Iterator[str]:
    """Yield the files of an export, whatever its conditions."""
    open_ = [target]
    while open_:
        entry = open_.pop()
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry, dict):
            open_ += reversed(list(entry.values()))
        elif isinstance(entry, list):
            open_ += reversed(entry)


def _pairs(value: object) -> list[tuple[object, object]]:
    return list(value.items()) if isinstance(value, dict) else []


def _strings_of(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
