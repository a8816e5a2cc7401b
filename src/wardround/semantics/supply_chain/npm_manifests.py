"""Dependencies of JavaScript projects: package.json, pnpm-workspace.yaml and the settings of registries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wardround.lazy import LazyPattern
from wardround.semantics.supply_chain.dependency import Dependency, LineFinder, Manifest, Scope
from wardround.semantics.supply_chain.plain_yaml import load_plain

TABLES = {
    "dependencies": Scope.RUNTIME,
    "devDependencies": Scope.DEV,
    "optionalDependencies": Scope.OPTIONAL,
    "peerDependencies": Scope.PEER,
    "resolutions": Scope.CONSTRAINT,
}
_EXACT = LazyPattern(r"[v=\s]*\d{1,9}\.\d{1,9}\.\d{1,9}(?:[-+][\w.+-]{1,100})?")
_COMMIT = LazyPattern(r"[0-9a-f]{40}")
_HOSTED = LazyPattern(r"(?:github|gitlab|bitbucket|gist):|[\w-]{1,100}/[\w.-]{1,100}(?:#|$)")
_REGISTRY_LINE = LazyPattern(
    r"[ \t]*((?:@[\w.-]{1,100}:)?registry|npmRegistryServer)\s*[=:]\s*[\"']?([^\s\"']{1,500})"
)
_PACKAGE_MANAGER = LazyPattern(r"([a-z]{1,20})@([\w.-]{1,50})(\+[\w.=/-]{1,300})?")
_DEEPEST = 6


def read_package_json(text: str) -> Manifest:
    """Read all tables of package.json."""
    document = load_json(text)
    if document is None:
        return Manifest(problem="it is not JSON")
    lines = LineFinder(text)
    found: list[Dependency] = []
    for table, scope in TABLES.items():
        lines.line_of(f'"{table}"')
        found += _entries(document.get(table), scope, lines)
    pnpm = document.get("pnpm")
    overrides = [document.get("overrides"), pnpm.get("overrides") if isinstance(pnpm, dict) else None]
    for override in overrides:
        found += _entries(dict(_flatten_overrides(override)), Scope.CONSTRAINT, lines)
    return Manifest((*found, *_package_manager(document.get("packageManager"), lines)))


def load_json(text: str) -> dict[str, Any] | None:
    """Return the object of a JSON text; None if it is another text."""
    import msgspec

    try:
        document = msgspec.json.decode(text.removeprefix("\ufeff"))
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
    return document if isinstance(document, dict) else None


def _entries(table: object, scope: Scope, lines: LineFinder) -> Iterator[Dependency]:
    for name, range_ in table.items() if isinstance(table, dict) else ():
        if isinstance(name, str) and isinstance(range_, str):
            key = name.rpartition(">")[2]
            line = lines.line_of(f'"{key}": "{range_}"', f'"{key}":"{range_}"', f'"{key}"', key)
            yield npm_dependency(name, range_.strip(), scope, line)


def npm_dependency(name: str, range_: str, scope: Scope, line: int = 1) -> Dependency:
    """Return a dependency by the syntax of npm, yarn and pnpm."""
    if range_.startswith(("workspace:", "catalog:")):
        return Dependency("npm", name, scope, range_, "workspace", line=line)
    if range_.startswith(("file:", "link:", "portal:", "./", "../")):
        return Dependency("npm", name, scope, "", "path", range_, line=line)
    is_git = range_.startswith(("git+", "git://", "git@")) or bool(_HOSTED.match(range_))
    if is_git or range_.startswith(("http://", "https://")):
        url, _, revision = range_.partition("#")
        is_pinned = bool(_COMMIT.fullmatch(revision.removeprefix("commit=")))
        return Dependency(
            "npm", name, scope, revision, "git" if is_git else "url", url, is_pinned=is_pinned, line=line
        )
    alias, at, aliased = range_.removeprefix("npm:").rpartition("@")
    if range_.startswith("npm:") and at and alias:
        return Dependency(
            "npm", name, scope, aliased, "", f"npm:{alias}", is_pinned=_is_exact(aliased), line=line
        )
    plain = range_.removeprefix("npm:")
    return Dependency("npm", name, scope, plain, is_pinned=_is_exact(plain), line=line)


def _is_exact(range_: str) -> bool:
    return bool(_EXACT.fullmatch(range_))


def _flatten_overrides(table: object, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Return the entries of nested overrides: ``parent>child`` -> range."""
    if not isinstance(table, dict) or depth > _DEEPEST:
        return
    for name, value in table.items():
        key = f"{prefix}>{name}" if prefix else str(name)
        if isinstance(value, str):
            yield key, value
        else:
            yield from _flatten_overrides(value, key, depth + 1)


def _package_manager(value: object, lines: LineFinder) -> Iterator[Dependency]:
    found = _PACKAGE_MANAGER.fullmatch(value) if isinstance(value, str) else None
    if found is not None:
        line = lines.line_of('"packageManager"')
        yield Dependency(
            "npm", found[1], Scope.TOOL, found[2], is_pinned=True, has_hash=bool(found[3]), line=line
        )


def read_pnpm_workspace(text: str) -> Manifest:
    """Read the catalogs and overrides of pnpm-workspace.yaml."""
    document = load_plain(text)
    if document is None:
        return Manifest(problem="it is not plain YAML")
    lines = LineFinder(text)
    tables: list[Any] = [document.get("catalog")]
    catalogs = document.get("catalogs")
    tables += catalogs.values() if isinstance(catalogs, dict) else []
    found: list[Dependency] = []
    for number, table in enumerate(tables):
        found += _yaml_entries(table, Scope.CATALOG, "" if number == 0 else str(number), lines)
    return Manifest((*found, *_yaml_entries(document.get("overrides"), Scope.CONSTRAINT, "", lines)))


def _yaml_entries(table: object, scope: Scope, catalog: str, lines: LineFinder) -> Iterator[Dependency]:
    from msgspec.structs import replace

    for name, range_ in table.items() if isinstance(table, Mapping) else ():
        line = lines.line_of(f"{name}:", f"'{name}'", f'"{name}"')
        found = npm_dependency(str(name), str(range_), scope, line)
        yield replace(found, marker=f"catalog {catalog}" if catalog else "")


def read_npm_settings(text: str) -> Manifest:
    """Read the registries of .npmrc and .yarnrc.yml."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if (entry := _REGISTRY_LINE.match(line[:2_000])) is not None:
            found.append(Dependency("npm", entry[1], Scope.INDEX, origin=entry[2], line=number))
    return Manifest(tuple(found))
