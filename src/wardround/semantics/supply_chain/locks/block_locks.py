"""The lock files of yarn and pnpm, which consist of indented blocks.

They are read line by line: a YAML parser takes seconds for a large lock file, and that of yarn's first
version is not YAML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wardround.lazy import LazyPattern
from wardround.semantics.supply_chain.locks.entry import LockDetails, LockEntry, LockFile
from wardround.semantics.supply_chain.locks.npm_locks import hashes_of, package_of
from wardround.semantics.supply_chain.plain_yaml import load_plain

_FIELD = LazyPattern(
    r"""^[ ]{2,4}["']?(version|resolved|resolution|integrity|checksum|linkType)["']?:?[ ]+"""
    r"""["']?([^"'\n]+?)["']?[ \t\r]*$""",
    re.MULTILINE,
)
_TARBALL = LazyPattern(r"\btarball: *[\"']?([^\s,}\"']{1,1000})")
_INTEGRITY = LazyPattern(r"\bintegrity: *[\"']?([^\s,}\"']{1,500})")
_REPO = LazyPattern(r"\brepo: *[\"']?([^\s,}\"']{1,1000})")
_BUILDS = LazyPattern(r"^ {4}requiresBuild: true", re.MULTILINE)
_NAME_OF_PATTERN = LazyPattern(r"(@?[^@\s]{1,300})@(.{0,2000})", re.DOTALL)
_PNPM_KEY = LazyPattern(r"/?(@?[^@()\s]{1,300}?)(?:@|/(?=\d))([^()\s]{1,1000})(?:\(.*)?$")
_DEPENDENCY_LINE = LazyPattern(
    r"""^ {4}["']?(@?[\w./~-]{1,300})["']?:? ["']?([^"'\n]{0,1000}?)["']?[ \r]*$""", 8
)


def _blocks(text: str, indent: int) -> Iterator[tuple[int, str, str]]:
    """Return line, first line and body of each block at an indentation; comments and markers are none."""
    start, first, number = 0, 0, 0
    prefix = " " * indent
    lines = text.split("\n")
    for number, line in enumerate([*lines, prefix + "end"], 1):
        is_header = line.startswith(prefix) and len(line) > indent and line[indent] not in " #\t\r-}"
        if is_header:
            if first:
                yield first, lines[start], "\n".join(lines[start + 1 : number - 1])
            start, first = number - 1, number


def read_yarn_lock(text: str) -> LockFile:
    """Read yarn.lock of any version."""
    entries: list[LockEntry] = []
    patterns: set[str] = set()
    declared: dict[str, dict[str, frozenset[str]]] = {}
    for line, header, body in _blocks(text, 0):
        keys = [
            key.strip().strip('"') for key in header.rstrip().rstrip(":").replace('", "', ", ").split(", ")
        ]
        fields = _fields(body)
        if "__metadata" in keys or "version" not in fields:
            continue
        patterns.update(_pattern(key) for key in keys)
        name = _NAME_OF_PATTERN.match(keys[0])
        if name is None:
            continue
        if fields.get("linkType") == "soft" or "@workspace:" in fields.get("resolution", ""):
            declared[_workspace_folder(keys)] = dict(_yarn_declarations(body))
            continue
        entries.append(LockEntry(name[1], fields["version"], keys[0], body, line))
    return LockFile(tuple(entries), _yarn_details, declared, frozenset(patterns))


def _fields(body: str) -> dict[str, str]:
    return {found[1]: found[2] for found in reversed(list(_FIELD.finditer(body)))}


def _pattern(key: str) -> str:
    """Return ``name@range`` without the protocol of the registry."""
    found = _NAME_OF_PATTERN.match(key)
    return key if found is None else f"{found[1]}@{found[2].removeprefix('npm:')}"


def _workspace_folder(keys: list[str]) -> str:
    paths = [key.partition("@workspace:")[2] for key in keys]
    folder = next((path for path in paths if path and path not in ("*", "^", "~")), ".")
    return "" if folder == "." else folder.strip("/")


def _yarn_declarations(body: str) -> Iterator[tuple[str, frozenset[str]]]:
    _, _, after = body.partition("dependencies:\n")
    for line in after.split("\n"):
        found = _DEPENDENCY_LINE.match(line)
        if found is None:
            return
        yield found[1], frozenset({found[2].removeprefix("npm:")})


def _yarn_details(entry: LockEntry) -> LockDetails:
    fields = _fields(entry.raw)
    url, _, sha1 = fields.get("resolved", "").partition("#")
    hashes = dict(hashes_of(fields.get("integrity", "")))
    if sha1 and len(sha1) == 40:
        hashes["sha1#"] = sha1
    if "checksum" in fields:
        cache, _, checksum = fields["checksum"].rpartition("/")
        hashes[f"checksum {cache}"] = checksum
    resolution = fields.get("resolution", "")
    if not url:
        url = resolution if "://" in resolution else ""
    package = "" if "@npm:" in entry.key else package_of(url)
    return LockDetails((url,) if url else (), hashes, package=package)


def read_pnpm_lock(text: str) -> LockFile:
    """Read pnpm-lock.yaml of any version."""
    entries: list[LockEntry] = []
    declared: dict[str, dict[str, frozenset[str]]] = {}
    root: list[str] = []
    overridden: frozenset[str] = frozenset()
    for line, header, body in _blocks(text, 0):
        section = header.rstrip().rstrip(":")
        if section == "packages":
            entries += _pnpm_entries(body, line)
        elif section == "overrides":
            overridden = frozenset(_overridden_packages(body))
        elif section in ("importers", "catalogs"):
            found = _importers(f"{header}\n{body}", section)
            if found is None:
                return LockFile(problem=f"its section {section} is not plain YAML")
            declared |= found
        elif section in ("specifiers", "dependencies", "devDependencies", "optionalDependencies"):
            root += [header, body]
    if root and not declared:
        declared[""] = _importer(load_plain("\n".join(root)) or {})
    return LockFile(tuple(entries), _pnpm_details, declared, overridden=overridden)


def _overridden_packages(body: str) -> Iterator[str]:
    """Return the packages of overrides, such as ``parent>name@1``."""
    for line in body.split("\n"):
        key = line.strip().partition(":")[0].strip("'\"").rpartition(">")[2]
        yield key[:1] + key[1:].partition("@")[0]


def _pnpm_entries(body: str, start: int) -> Iterator[LockEntry]:
    for line, header, fields in _blocks(body, 2):
        found = _PNPM_KEY.match(header.strip().rstrip(":").strip("'\""))
        if found is not None:
            yield LockEntry(found[1], found[2], header, fields, start + line)


def _importers(text: str, section: str) -> dict[str, dict[str, frozenset[str]]] | None:
    document = load_plain(text)
    tables = document.get(section) if document is not None else None
    if not isinstance(tables, dict):
        return None
    if section == "catalogs":
        return {f"catalog {name}": _specifiers(table) for name, table in tables.items()}
    return {("" if folder == "." else str(folder)): _importer(tables[folder]) for folder in tables}


def _importer(tables: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    if not isinstance(tables, dict):
        return {}
    if isinstance(tables.get("specifiers"), dict):
        return {name: frozenset({str(range_)}) for name, range_ in tables["specifiers"].items()}
    found: dict[str, frozenset[str]] = {}
    for table in ("dependencies", "devDependencies", "optionalDependencies"):
        found |= _specifiers(tables.get(table))
    return found


def _specifiers(table: object) -> dict[str, frozenset[str]]:
    if not isinstance(table, dict):
        return {}
    listed = {name: entry.get("specifier") for name, entry in table.items() if isinstance(entry, dict)}
    return {str(name): frozenset({str(range_)}) for name, range_ in listed.items() if range_ is not None}


def _pnpm_details(entry: LockEntry) -> LockDetails:
    fields = entry.raw
    urls = tuple(found[1] for pattern in (_TARBALL, _REPO) for found in pattern.finditer(fields))
    integrity = _INTEGRITY.search(fields)
    hashes = dict(hashes_of(integrity[1])) if integrity is not None else {}
    package = package_of(urls[0]) if len(urls) == 1 else ""
    return LockDetails(urls, hashes, bool(_BUILDS.search(fields)), package)
