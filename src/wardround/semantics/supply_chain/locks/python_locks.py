"""The lock files of uv, Poetry, PDM and Pipenv.

The TOML of a large lock file takes seconds to parse. Its tables ``[[package]]`` are separated by lines, and
one is parsed only if it differs from the other version or describes a project.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from wardround.lazy import LazyPattern
from wardround.semantics.supply_chain.locks.entry import LockDetails, LockEntry, LockFile
from wardround.semantics.supply_chain.python_manifests import normal_name
from wardround.semantics.supply_chain.urls import host_of

_HEADER = "\n[[package]]"
_NAME = LazyPattern(r'^name = "([\w.-]{1,300})"[ \t\r]*$', re.MULTILINE)
_VERSION = LazyPattern(r'^version = "([\w.!+-]{1,200})"[ \t\r]*$', re.MULTILINE)
_CONTENT_HASH = LazyPattern(r'^content[-_]hash = "([\w:=-]{1,200})"', re.MULTILINE)
_URL = LazyPattern(r'\b(?:url|registry|git) = "([a-z+]{1,20}://[^/"]{1,300})')
_IS_PROJECT = LazyPattern(r"\b(?:editable|virtual)\s*=")
_MOST_TOML = 1_000_000
"""Maximum size of a file with multi-line strings that is parsed; no tool writes such strings."""


def read_toml_lock(text: str) -> LockFile:
    """Read uv.lock, poetry.lock or pdm.lock."""
    if '"""' in text or "'''" in text:
        return LockFile(problem="it contains text of several lines, which no tool writes")
    blocks = list(_blocks(text))
    entries, declared = [], {}
    try:
        for line, block in blocks:
            entries.append(_entry(block, line))
            if _IS_PROJECT.search(block):
                declared.update(_project(block))
    except (tomllib.TOMLDecodeError, RecursionError, KeyError) as cause:
        return LockFile(problem=f"it is not a lock file: {type(cause).__name__}")
    found = _CONTENT_HASH.search(text, max(0, len(text) - 100_000))
    content = found[1] if found else ""
    return LockFile(tuple(entries), _details, declared, hosts=_hosts(text), content_hash=content)


def _hosts(text: str) -> frozenset[str]:
    return frozenset(map(host_of, {found[1] for found in _URL.finditer(text)})) - {""}


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Return each table of a package, and the line it begins at."""
    start = 0 if text.startswith(_HEADER[1:]) else text.find(_HEADER) + 1
    line = text.count("\n", 0, start) + 1
    while start > 0 or text.startswith(_HEADER[1:], start):
        end = text.find(_HEADER, start)
        block = text[start : end + 1] if end >= 0 else text[start : _end(text, start)]
        yield line, block
        if end < 0:
            return
        line += text.count("\n", start, end + 1)
        start = end + 1


def _end(text: str, start: int) -> int:
    """Return the end of the last table: that of the file, or the start of the next table."""
    ends = [
        text.find(header, start) for header in ("\n[metadata", "\n[manifest", "\n[extras", "\n[[metadata")
    ]
    return min((end for end in ends if end >= 0), default=len(text))


def _entry(block: str, line: int) -> LockEntry:
    name, version = _NAME.search(block), _VERSION.search(block)
    if name is not None and version is not None:
        return LockEntry(normal_name(name[1]), version[1], block, block, line)
    package = _package(block)
    return LockEntry(normal_name(str(package["name"])), str(package.get("version", "")), block, block, line)


def _package(block: str) -> Mapping[str, Any]:
    """Parse one table.

    Raises:
        KeyError: the table has another form.
        tomllib.TOMLDecodeError: it is not TOML.
    """
    if len(block) > _MOST_TOML:
        raise KeyError("a table is too large")
    packages = tomllib.loads(block)["package"]
    if not isinstance(packages, list) or not isinstance(packages[0], dict):
        raise KeyError("package")
    return packages[0]


def _details(entry: LockEntry) -> LockDetails:
    try:
        package = _package(entry.raw)
    except (tomllib.TOMLDecodeError, RecursionError, KeyError):
        return LockDetails()
    files = [
        table
        for table in (package.get("sdist"), *_list(package, "wheels"), *_list(package, "files"))
        if isinstance(table, dict)
    ]
    urls = [str(file["url"]) for file in files if "url" in file] + list(_source_urls(package.get("source")))
    hashes = {_file_name(file): str(file["hash"]) for file in files if "hash" in file}
    return LockDetails(tuple(dict.fromkeys(urls)), hashes)


def _list(package: Mapping[str, Any], key: str) -> list[Any]:
    value = package.get(key)
    return value if isinstance(value, list) else []


def _file_name(file: Mapping[str, Any]) -> str:
    return (
        str(file.get("file") or file.get("url") or file.get("path") or "")
        .partition("#")[0]
        .rpartition("/")[2]
    )


def _source_urls(source: object) -> Iterator[str]:
    """Return the URLs of the source of a package; a path is not a URL."""
    if isinstance(source, dict):
        for key in ("registry", "url", "git"):
            if isinstance(source.get(key), str):
                yield source[key]


def _project(block: str) -> dict[str, dict[str, frozenset[str]]]:
    """Return the requirements of a project of the workspace, by its folder."""
    package = _package(block)
    source = package.get("source")
    folder = (source.get("editable") or source.get("virtual")) if isinstance(source, dict) else None
    if not isinstance(folder, str):
        return {}
    ranges: dict[str, set[str]] = {}
    for requirement in _project_requirements(package.get("metadata")):
        if isinstance(requirement, dict) and isinstance(requirement.get("name"), str):
            specifier = str(requirement.get("specifier", ""))
            ranges.setdefault(normal_name(requirement["name"]), set()).add(specifier)
    return {_folder(folder): {name: frozenset(of_name) for name, of_name in ranges.items()}}


def _project_requirements(metadata: object) -> Iterator[Any]:
    """Yield the requirements of a project, then those of its groups for development."""
    if not isinstance(metadata, dict):
        return
    yield from _list(metadata, "requires-dist")
    groups = metadata.get("requires-dev")
    for group in groups.values() if isinstance(groups, dict) else ():
        yield from group if isinstance(group, list) else ()


def _folder(folder: str) -> str:
    return "" if folder == "." else folder.strip("/")


class _PipfileLock(msgspec.Struct, frozen=True):
    """The part of Pipfile.lock that is compared."""

    default: dict[str, Any] = {}
    develop: dict[str, Any] = {}
    meta: dict[str, Any] = msgspec.field(default={}, name="_meta")


def read_pipfile_lock(text: str) -> LockFile:
    """Read Pipfile.lock."""
    try:
        lock = msgspec.json.decode(text, type=_PipfileLock)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as cause:
        return LockFile(problem=f"it is not a lock file: {type(cause).__name__}")
    entries = [
        LockEntry(
            normal_name(name), str(package.get("version", "")).lstrip("="), f"{section} {name}", package
        )
        for section, packages in (("default", lock.default), ("develop", lock.develop))
        for name, package in packages.items()
        if isinstance(package, dict)
    ]
    digest = lock.meta.get("hash")
    content = str(digest.get("sha256", "")) if isinstance(digest, dict) else ""
    return LockFile(tuple(entries), _pipfile_details, content_hash=content)


def _pipfile_details(entry: LockEntry) -> LockDetails:
    """Hashes without the names of files: at least one of them must remain."""
    urls = [entry.raw[key] for key in ("git", "file") if isinstance(entry.raw.get(key), str)]
    hashes = entry.raw.get("hashes")
    known = sorted(str(digest) for digest in hashes) if isinstance(hashes, list) else []
    return LockDetails(tuple(urls), {digest: digest for digest in known})
