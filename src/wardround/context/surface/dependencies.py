"""Requirements, commands and extras of published packages."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wardround.context.surface.model import SurfaceChange, SurfaceKind
from wardround.context.surface.packages import (
    PYTHON_MANIFESTS,
    Package,
    line_of,
    node_packages,
    python_packages,
    table,
)
from wardround.context.surface.python_requirement import python_requirement
from wardround.context.surface.sides import Sides
from wardround.context.surface.version_ranges import is_narrower
from wardround.lazy import LazyPattern

KIND = SurfaceKind.DEPENDENCIES
_REQUIREMENT = LazyPattern(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*\(?([^;@()]*)\)?\s*(;.*)?")
_DEVELOPMENT = LazyPattern(
    r"(?i)(?:dev(?:el(?:op(?:ment)?)?)?|tests?|testing|docs?|lint(?:ing)?|typ(?:es|ing)|mypy|ci|bench\w*|build|release|coverage)"
    r"(?:[-_.]\w+)*"
)
"""Extras for those who work on the package."""
_NAMES = LazyPattern(r"[-_.]+")
_ALWAYS_EXPORTED = frozenset({".", "./package.json"})
"""Further imports of a package without a map of exports."""


def compare(sides: Sides) -> Iterator[SurfaceChange]:
    """Yield what the manifests of published packages require more, or offer less."""
    changed = [path for pair in sides.files for path in pair[:1] if path is not None]
    yield from _python_versions(sides, changed)
    manifests = [path for path in changed if posixpath.basename(path) == "pyproject.toml"]
    for base, head, text in _packages_at_base_and_head(sides, manifests, python_packages):
        yield from _python(base, head, text)
    manifests = [path for path in changed if posixpath.basename(path) == "package.json"]
    for base, head, text in _packages_at_base_and_head(sides, manifests, node_packages):
        yield from _node(base, head, text)


def _python_versions(sides: Sides, changed: Sequence[str]) -> Iterator[SurfaceChange]:
    """Yield the distributions that run on fewer versions of Python."""
    manifests = [path for path in changed if posixpath.basename(path) in PYTHON_MANIFESTS]
    for package in python_packages(sides.base, manifests):
        before = python_requirement(sides.base, package.folder)
        after = python_requirement(sides.head, package.folder)
        old = "" if before is None else before.versions
        if after is not None and old != after.versions and is_narrower(old, after.versions):
            detail = f"is narrowed from `{old or '*'}` to `{after.versions}`"
            yield SurfaceChange(KIND, after.path, after.line, "requires-python", detail, True)


def _packages_at_base_and_head(
    sides: Sides, manifests: list[str], find: Any
) -> Iterator[tuple[Package, Package, _Place]]:
    """Yield the packages whose manifests change, at base and head, with the text of the head."""
    for base in find(sides.base, manifests):
        if base.manifest not in manifests:
            continue
        for head in find(sides.head, [base.manifest]):
            if head.manifest == base.manifest:
                texts = sides.base.read(base.manifest) or "", sides.head.read(head.manifest) or ""
                yield base, head, _Place(base.manifest, *texts)


class _Place:
    """The positions of keys in a manifest."""

    def __init__(self, path: str, base: str, head: str) -> None:
        self._path, self._base, self._head = path, base, head

    def change(self, name: str, detail: str, *words: str, is_breaking: bool = True) -> SurfaceChange:
        """Return a change at the line of some words at the head."""
        line = line_of(self._head, *words)
        return SurfaceChange(KIND, self._path, line, name, detail, is_breaking)

    def removal(self, name: str, *words: str, kind: SurfaceKind = KIND) -> SurfaceChange:
        """Return a removal, at the line of some words at the base."""
        return SurfaceChange(kind, self._path, line_of(self._base, *words), name, "is removed", True)


def _python(base: Package, head: Package, place: _Place) -> Iterator[SurfaceChange]:
    is_known = "optional-dependencies" not in table(head.document, "project").get("dynamic", ())
    for name in _lost_names(_extras(base), _extras(head)) if is_known else ():
        if _DEVELOPMENT.fullmatch(name):
            continue
        yield place.removal(f"extra `{name}`", "dependencies", name)
    for keys in (("scripts",), ("gui-scripts",)):
        for name in _lost_names(_project_table(base, *keys), _project_table(head, *keys)):
            yield place.removal(f"command `{name}`", "scripts", name, kind=SurfaceKind.CLI_OPTIONS)
    yield from _ranges(_requirements(base), _requirements(head), place)


def _ranges(before: Mapping[str, str], after: Mapping[str, str], place: _Place) -> Iterator[SurfaceChange]:
    """Yield dependencies with a narrower range, which installers resolve for most users."""
    for name, text in after.items():
        if name in before and before[name] != text and is_narrower(before[name], text):
            detail = f"is narrowed from `{before[name] or '*'}` to `{text}`"
            yield place.change(f"dependency `{name}`", detail, "dependencies", name, is_breaking=False)


def _project_table(package: Package, *keys: str) -> Mapping[str, Any]:
    own = table(package.document, "project", *keys)
    return own or table(package.document, "tool", "poetry", *keys)


def _extras(package: Package) -> Mapping[str, Any]:
    own = table(package.document, "project", "optional-dependencies")
    return own or table(package.document, "tool", "poetry", "extras")


def _requirements(package: Package) -> dict[str, str]:
    """Return the ranges by normalised name; of those with a marker, or listed twice, none."""
    found: dict[str, list[str | None]] = {}
    for text in table(package.document, "project").get("dependencies") or ():
        match = _REQUIREMENT.fullmatch(text) if isinstance(text, str) else None
        if match:
            name = _NAMES.sub("-", match[1]).lower()
            found.setdefault(name, []).append(None if match[3] else match[2].strip())
    return {name: texts[0] for name, texts in found.items() if len(texts) == 1 and texts[0] is not None}


def _node(base: Package, head: Package, place: _Place) -> Iterator[SurfaceChange]:
    before, after = table(base.document, "engines"), table(head.document, "engines")
    for name in ("node", "npm", "pnpm", "vscode"):
        old, new = str(before.get(name, "")), str(after.get(name, ""))
        if new and old != new and is_narrower(old, new, npm=True):
            yield place.change(
                f"engines.{name}", f"is narrowed from `{old or '*'}` to `{new}`", "engines", name
            )
    yield from _peers(base, head, place)
    for name in _lost_names(_commands(base), _commands(head)):
        yield place.removal(f"command `{name}`", '"bin"', name, kind=SurfaceKind.CLI_OPTIONS)
    for name in _lost_names(_subpaths(base), _subpaths(head)):
        if "exports" not in head.document and name in _ALWAYS_EXPORTED:
            continue
        yield place.removal(f"export `{name}`", '"exports"', f'"{name}"', kind=SurfaceKind.SCRIPT_EXPORTS)
    if (
        base.document.get("type") != "module"
        and head.document.get("type") == "module"
        and not _has_require(head)
    ):
        yield place.change("package", "can only be imported as an ES module", '"type"')
    yield from _ranges_of(base, head, place)


def _peers(base: Package, head: Package, place: _Place) -> Iterator[SurfaceChange]:
    before, after = table(base.document, "peerDependencies"), table(head.document, "peerDependencies")
    optional = table(head.document, "peerDependenciesMeta")
    for name, text in after.items():
        is_optional = table(optional, name).get("optional") is True
        if name not in before and not is_optional and name not in table(base.document, "dependencies"):
            yield place.change(f"peer dependency `{name}`", "is added", "peerDependencies", f'"{name}"')
        elif name in before and before[name] != text and is_narrower(str(before[name]), str(text), npm=True):
            detail = f"is narrowed from `{before[name]}` to `{text}`"
            yield place.change(f"peer dependency `{name}`", detail, "peerDependencies", f'"{name}"')


def _ranges_of(base: Package, head: Package, place: _Place) -> Iterator[SurfaceChange]:
    before, after = table(base.document, "dependencies"), table(head.document, "dependencies")
    for name, text in after.items():
        old = before.get(name)
        if isinstance(old, str) and old != text and is_narrower(old, str(text), npm=True):
            detail = f"is narrowed from `{old}` to `{text}`"
            yield place.change(f"dependency `{name}`", detail, '"dependencies"', name, is_breaking=False)


def _commands(package: Package) -> Mapping[str, Any]:
    commands = package.document.get("bin")
    if isinstance(commands, str):
        return {package.name.rpartition("/")[2]: commands}
    return commands if isinstance(commands, Mapping) else {}


def _subpaths(package: Package) -> Mapping[str, Any]:
    exports = package.document.get("exports")
    if not isinstance(exports, Mapping) or not any(str(name).startswith(".") for name in exports):
        return {} if exports is None else {".": exports}  # the short form for the only entry point
    return {
        name: export for name, export in exports.items() if str(name).startswith(".") and export is not None
    }


def _has_require(package: Package) -> bool:
    """Return True if a package has files for ``require``."""
    text = str(package.document.get("exports", "")) + str(package.document.get("main", ""))
    return "require" in text or ".cjs" in text


def _lost_names(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    patterns = [name.partition("*")[0] for name in after if "*" in name]
    lost = [str(name) for name in before if name not in after]
    return [name for name in lost if not any(name.startswith(pattern) for pattern in patterns)]
