"""The published packages of a tree: those with build metadata that are not private."""

from __future__ import annotations

import configparser
import posixpath
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from wardround.context.surface.sides import Side
from wardround.languages.jsonc import loads
from wardround.lazy import LazyPattern

UNPUBLISHED = LazyPattern(
    r"(?i)(?:^|/)(?:tests?|testing|__tests__|e2e|examples?|docs?|documentation|benchmarks?|node_modules"
    r"|vendor(?:ed)?|_vendor|third[_-]party|fixtures?|templates?|samples?|demos?|website|playgrounds?"
    r"|\.[\w-]+)/"
)
"""Folders whose files nobody outside of the repository uses."""
_PRIVATE = "Private :: Do Not Upload"
_SETUP_NAME = LazyPattern(r"\bsetup\([^#]*?\bname\s*=\s*['\"]([\w.-]+)['\"]", 16)
_NOT_IMPORTED = frozenset(
    {"build", "ci", "conftest", "docs", "examples", "noxfile", "scripts", "setup", "tasks", "test"}
    | {"testing", "tests", "tools", "benchmarks", "performance", "versioneer", "qa", "e2e"}
)
"""Top-level modules that distributions do not contain."""
PYTHON_MANIFESTS = ("pyproject.toml", "setup.cfg", "setup.py")


@dataclass(frozen=True)
class Package:
    """A published package.

    Attributes:
        manifest: the path of the file that names it.
        document: that file, parsed; empty if it is not TOML or JSON.
        modules: files and folders of a Python package that users import.
    """

    manifest: str
    name: str
    document: Mapping[str, Any] = field(default_factory=dict)
    modules: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """The folder of the manifest; empty for the root."""
        return posixpath.dirname(self.manifest)


def is_in(path: str, folder: str) -> bool:
    """Return True if a path is below a folder, or is that file; the empty folder is the root."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def python_packages(side: Side, changed: Iterable[str]) -> list[Package]:
    """Return the published Python packages that changed files may belong to, by their manifests."""
    return _nearest(side, changed, PYTHON_MANIFESTS, _python_package)


def node_packages(side: Side, changed: Iterable[str]) -> list[Package]:
    """Return the published packages of npm that changed files may belong to, by their manifests."""
    return _nearest(side, changed, ("package.json",), _node_package)


def _nearest(
    side: Side,
    changed: Iterable[str],
    names: tuple[str, ...],
    read: Callable[[Side, str], Package | None],
) -> list[Package]:
    """Return the packages in the nearest folder with a manifest above each changed file."""
    found: dict[str, Package | None] = {}
    for folder in {folder for path in changed for folder in _nearest_folder(side, path, names)}:
        packages = (read(side, posixpath.join(folder, name)) for name in names)
        found[folder] = next((package for package in packages if package is not None), None)
    return [package for _, package in sorted(found.items()) if package is not None]


def _nearest_folder(side: Side, path: str, names: tuple[str, ...]) -> Iterator[str]:
    folder = posixpath.dirname(path)
    while True:
        if any(side.has(posixpath.join(folder, name)) for name in names):
            if not UNPUBLISHED.search(f"{folder}/"):
                yield folder
            return
        if not folder:
            return
        folder = posixpath.dirname(folder)


def _python_package(side: Side, path: str) -> Package | None:
    text = side.read(path)
    if text is None:
        return None
    document = toml(text) if path.endswith(".toml") else {}
    name = _python_name(path, text, document)
    if not name:
        return None
    modules = () if _has_no_modules(document) else _modules(side, posixpath.dirname(path), name)
    return Package(path, name, document, modules)


def _has_no_modules(document: Mapping[str, Any]) -> bool:
    """Return True for a distribution of requirements alone, whose build leaves out all files."""
    excluded = table(document, "tool", "hatch", "build").get("exclude")
    return isinstance(excluded, list) and "*" in excluded


def _python_name(path: str, text: str, document: Mapping[str, Any]) -> str:
    """Return the name of a distribution; empty if the file makes none that is published."""
    if path.endswith("setup.cfg"):
        parser = configparser.RawConfigParser(strict=False)
        with suppress(configparser.Error):
            parser.read_string(text)
        return parser.get("metadata", "name", fallback="").strip()
    if path.endswith("setup.py"):
        match = _SETUP_NAME.search(text)
        return match[1] if match else ""
    project, poetry = table(document, "project"), table(document, "tool", "poetry")
    if _PRIVATE in (*project.get("classifiers", ()), *poetry.get("classifiers", ())):
        return ""
    if table(document, "tool", "uv").get("package") is False or poetry.get("package-mode") is False:
        return ""
    is_built = bool(table(document, "build-system"))
    name = project.get("name") or poetry.get("name")
    return name if is_built and isinstance(name, str) else ""


def _node_package(side: Side, path: str) -> Package | None:
    document = loads(side.read(path) or "") or {}
    name = document.get("name")
    if document.get("private") or not isinstance(name, str) or not document.get("version"):
        return None
    folder = posixpath.dirname(path)
    if any(side.has(posixpath.join(folder, action)) for action in ("action.yml", "action.yaml")):
        return None  # users of an action do not install its package
    return None if _is_contained(side, folder) else Package(path, name, document)


def _is_contained(side: Side, folder: str) -> bool:
    """Return True if a package above a folder publishes it as a part of itself."""
    above, own = posixpath.split(folder)
    while own:
        document = loads(side.read(posixpath.join(above, "package.json")) or "") or {}
        files = document.get("files")
        names = [str(file).strip("./") for file in files] if isinstance(files, list) else []
        if any(is_in(own, name) for name in names if name):
            return True
        above, last = posixpath.split(above)
        own = f"{last}/{own}" if last else ""
    return False


def has_commands(side: Side, package: Package) -> bool:
    """Return True if a Python package installs commands."""
    project, poetry = table(package.document, "project"), table(package.document, "tool", "poetry")
    if table(project, "scripts") or table(poetry, "scripts"):
        return True
    paths = (posixpath.join(package.folder, name) for name in ("setup.py", "setup.cfg"))
    return any("console_scripts" in (side.read(path) or "") for path in paths if side.has(path))


def _modules(side: Side, folder: str, name: str) -> tuple[str, ...]:
    """Return what users of a distribution import: in ``src`` or ``lib``, or else next to the manifest."""
    for parent in ("src", "lib", "python", ""):
        root = posixpath.join(folder, parent) if parent else folder
        found = sorted(set(_importable(side, root)))
        own = [package for package in found if _is_named(package, name)]
        if found and (parent or own):
            return tuple(own or found)
        if found:
            return tuple(found)
    return ()


def _importable(side: Side, root: str) -> Iterator[str]:
    start = len(root) + 1 if root else 0
    for path in side.paths:
        if not is_in(path, root) or not path.endswith((".py", ".pyi")):
            continue
        parts = path[start:].split("/")
        first = parts[0].removesuffix(".py").removesuffix(".pyi")
        if first in _NOT_IMPORTED or first.startswith((".", "_")):
            continue
        if len(parts) == 1 or parts[1:] in (["__init__.py"], ["__init__.pyi"]):
            yield posixpath.join(root, parts[0])


def _is_named(path: str, name: str) -> bool:
    own = posixpath.basename(path).removesuffix(".pyi").removesuffix(".py")
    plain = name.lower().replace("-", "_").replace(".", "_")
    return own.lower() in (plain, plain.removeprefix("python_"), plain.removesuffix("_python"))


def toml(text: str) -> Mapping[str, Any]:
    """Return a TOML document; an empty one if it is not valid."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def table(document: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Return the table at the end of a path of keys; an empty one if there is none."""
    found: Any = document
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def line_of(text: str, *words: str) -> int:
    """Return the line on which the words follow one another in a text; else 1."""
    location = 0
    for word in words:
        found = text.find(word, location)
        if found < 0:
            break
        location = found
    return text.count("\n", 0, location) + 1
