"""The lock files of npm and Bun."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from wardround.lazy import LazyPattern
from wardround.semantics.supply_chain.locks.entry import LockDetails, LockEntry, LockFile
from wardround.semantics.supply_chain.npm_manifests import TABLES

_STRING_OR_LAST_COMMA = LazyPattern(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])')
_DEEPEST = 50
_LONGEST_URL = 2_000
_DECLARED = [table for table in TABLES if table != "resolutions"]


class NpmPackage(msgspec.Struct, frozen=True, rename="camel"):
    """An entry of package-lock.json, if it is compared."""

    version: str = ""
    name: str = ""
    resolved: str | bool = ""
    integrity: str = ""
    has_install_script: bool = False
    link: bool = False
    dependencies: dict[str, Any] = {}
    dev_dependencies: dict[str, Any] = {}
    optional_dependencies: dict[str, Any] = {}
    peer_dependencies: dict[str, Any] = {}


class _PackageLock(msgspec.Struct, frozen=True):
    packages: dict[str, NpmPackage] = {}
    dependencies: dict[str, Any] = {}


def read_package_lock(text: str) -> LockFile:
    """Read package-lock.json or npm-shrinkwrap.json of any version."""
    try:
        lock = msgspec.json.decode(text.removeprefix("\ufeff"), type=_PackageLock)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as cause:
        return LockFile(problem=f"it is not a lock file: {type(cause).__name__}")
    entries, declared = list(_first_version(lock.dependencies)), {}
    for path, package in lock.packages.items():
        _, installed, name = path.rpartition("node_modules/")
        if not installed:
            declared[path] = _declared_ranges(package)
        elif not package.link:
            entries.append(LockEntry(name, package.version, path, package))
    return LockFile(tuple(entries), _details, declared)


def _declared_ranges(package: NpmPackage) -> dict[str, frozenset[str]]:
    tables = [package.peer_dependencies, package.dev_dependencies]
    tables += [package.dependencies, package.optional_dependencies]
    found: dict[str, set[str]] = {}
    for table in tables:
        for name, range_ in table.items():
            found.setdefault(name, set()).add(str(range_))
    return {name: frozenset(ranges) for name, ranges in found.items()}


def _first_version(tree: Mapping[str, Any], path: str = "", depth: int = 0) -> Iterator[LockEntry]:
    """Return the nested entries of the first version of the format, which the second one also has."""
    for name, entry in tree.items() if depth < _DEEPEST else ():
        if not isinstance(entry, dict):
            continue
        location = f"{path}/{name}"
        known = {key: entry[key] for key in ("version", "resolved", "integrity") if key in entry}
        try:
            package = msgspec.convert(known, NpmPackage)
        except msgspec.ValidationError:
            continue
        yield LockEntry(name, package.version, location, package)
        nested = entry.get("dependencies")
        if isinstance(nested, dict):
            yield from _first_version(nested, location, depth + 1)


def _details(entry: LockEntry) -> LockDetails:
    package = entry.raw
    url = package.resolved if isinstance(package.resolved, str) else ""
    return LockDetails(
        urls=(url,) if url else (),
        hashes=dict(hashes_of(package.integrity)),
        runs_script=package.has_install_script,
        package="" if package.name else package_of(url),
    )


def hashes_of(integrity: str) -> Iterator[tuple[str, str]]:
    """Return the algorithm and the hash of each part of an integrity text."""
    for part in integrity.split():
        algorithm, dash, _ = part.partition("-")
        if dash:
            yield algorithm, part


def package_of(url: str) -> str:
    """Return the package that an archive of a registry belongs to; empty for another URL."""
    path, separator, _ = url[:_LONGEST_URL].replace("%2f", "/").replace("%2F", "/").rpartition("/-/")
    *folders, name = path.partition("://")[2].split("/")
    if not separator or not folders:
        return ""
    return f"{folders[-1]}/{name}" if folders[-1].startswith("@") else name


def read_bun_lock(text: str) -> LockFile:
    """Read bun.lock, JSON with commas before closing brackets."""
    try:
        document = msgspec.json.decode(_strip_trailing_commas(text))
    except (msgspec.DecodeError, RecursionError, UnicodeError) as cause:
        return LockFile(problem=f"it is not a lock file: {type(cause).__name__}")
    if not isinstance(document, dict):
        return LockFile(problem="it is not a lock file")
    packages, workspaces = document.get("packages"), document.get("workspaces")
    entries = [item for pair in _items(packages) if (item := _bun_entry(*pair)) is not None]
    declared = {}
    for folder, tables in _items(workspaces):
        retained = {
            key: value for key, value in _items(tables) if key in _DECLARED and isinstance(value, dict)
        }
        declared[folder] = _declared_ranges(msgspec.convert(retained, NpmPackage))
    return LockFile(tuple(entries), _bun_details, declared)


def _items(table: object) -> list[tuple[str, Any]]:
    return list(table.items()) if isinstance(table, dict) else []


def _bun_entry(key: str, item: object) -> LockEntry | None:
    if not isinstance(item, list) or not item or not isinstance(item[0], str):
        return None
    name, at, version = item[0].rpartition("@")
    return LockEntry(name, version, key, item) if at and name else None


def _bun_details(entry: LockEntry) -> LockDetails:
    texts = [part for part in entry.raw[1:] if isinstance(part, str)]
    urls = tuple(part for part in texts if "://" in part)
    integrity = next((part for part in texts if part.startswith(("sha512-", "sha1-", "sha256-"))), "")
    version = entry.version if "://" in entry.version or entry.version.startswith("github:") else ""
    return LockDetails((*urls, *((version,) if version else ())), dict(hashes_of(integrity)))


def _strip_trailing_commas(text: str) -> str:
    """Remove the commas before closing brackets, outside of strings."""
    return _STRING_OR_LAST_COMMA.sub(lambda found: found[1] or "", text)
