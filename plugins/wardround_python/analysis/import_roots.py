"""The folders where imports start, as the settings and the workspaces of a repository declare them."""

from __future__ import annotations

import configparser
import posixpath
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

import msgspec

from wardround.change.repository_view import RepositoryView
from wardround.languages.jsonc import loads
from wardround.text.globs import matches_whole

_FILES = (
    "pyproject.toml", "setup.cfg", "setup.py", "pytest.ini", "tox.ini", "mypy.ini", "pyrightconfig.json",
)  # fmt: skip
_MOST_FILES = 400
"""Maximum number of settings files that are read; a repository with more declares nothing."""
_LAYOUTS = ("", "src")
_MYPY_FOLDER = "$MYPY_CONFIG_FILE_DIR"

Document = Mapping[str, Any]


class DeclaredRoot(msgspec.Struct, frozen=True, order=True):
    """A folder where imports start.

    Attributes:
        folder: a folder of the repository; empty for its root.
        owner: the folder of the settings that declare it.
        is_distribution: True if its packages are installed, so that other projects can import them too.
    """

    folder: str
    owner: str
    is_distribution: bool = False


class ImportRoots:
    """The declared import roots of a repository."""

    def __init__(self, project: RepositoryView) -> None:
        self._project = project

    def may_import_from(self, importer: str, root: str) -> bool:
        """Return True if a file can import the modules in a folder only by their names."""
        declared = [declared_root for declared_root in self._roots if declared_root.folder == root]
        return any(self._reaches_root(importer, declared_root) for declared_root in declared)

    def _reaches_root(self, importer: str, root: DeclaredRoot) -> bool:
        if _is_inside(importer, root.owner):
            return True
        if not root.is_distribution:
            return False
        own = self._project_of(importer)
        return _is_inside(root.owner, own) or self._shares_sources(own, root.owner)

    def _shares_sources(self, importing: str, imported: str) -> bool:
        """Return True if one project imports the sources of another, not a published version."""
        if any(importing in workspace and imported in workspace for workspace in self._workspaces):
            return True
        sources = _paths_of_sources(self._documents.get(importing, {}))
        return imported in {_join_folders(importing, source) for source in sources}

    def _project_of(self, path: str) -> str:
        """Return the folder of the project that a file belongs to; the top of the repository without one."""
        folder = posixpath.dirname(path)
        while folder and folder not in self._documents:
            folder = posixpath.dirname(folder)
        return folder

    @cached_property
    def _settings(self) -> list[str]:
        found = self._project.paths([*_FILES, *(f"*/{name}" for name in _FILES)])
        return list(found) if len(found) <= _MOST_FILES else []

    @cached_property
    def _documents(self) -> Mapping[str, Document]:
        """The ``pyproject.toml`` of each folder that has one."""
        paths = [path for path in self._settings if path.endswith("pyproject.toml")]
        return {posixpath.dirname(path): _toml(self._project.read(path) or "") for path in paths}

    @cached_property
    def _workspaces(self) -> list[set[str]]:
        """The folders of each workspace of uv: its root and its members."""
        found = []
        for root, document in self._documents.items():
            workspace = _table(document, "tool", "uv", "workspace")
            patterns = [_join_folders(root, text) for text in _strings_of(workspace.get("members"))]
            left_out = [_join_folders(root, text) for text in _strings_of(workspace.get("exclude"))]
            inside = {path for path in self._documents if matches_whole(path, patterns)}
            if workspace:
                found.append({root} | {path for path in inside if not matches_whole(path, left_out)})
        return found

    @cached_property
    def _roots(self) -> set[DeclaredRoot]:
        found: set[DeclaredRoot] = set()
        for path in self._settings:
            owner, _, name = path.rpartition("/")
            text = self._project.read(path) or ""
            for folder in _search_paths(name, text):
                found.add(DeclaredRoot(_join_folders(owner, folder), owner))
            for folder in _package_folders(name, text):
                found.add(DeclaredRoot(_join_folders(owner, folder), owner, is_distribution=True))
        return found


def _search_paths(name: str, text: str) -> Iterator[str]:
    """Yield the folders that test runners and type checkers search for modules."""
    if name == "pyproject.toml":
        yield from _paths_of_tools(_toml(text))
    elif name == "pyrightconfig.json":
        yield from _pyright_paths(loads(text) or {})
    else:
        ini = _ini(text)
        for section in ("pytest", "tool:pytest"):
            yield from ini(section, "pythonpath").split()
        yield from _mypy_paths(ini("mypy", "mypy_path"))


def _paths_of_tools(document: Document) -> Iterator[str]:
    pytest = _table(document, "tool", "pytest", "ini_options") or _table(document, "tool", "pytest")
    paths = pytest.get("pythonpath")
    yield from paths.split() if isinstance(paths, str) else _strings_of(paths)
    for checker in ("pyright", "basedpyright"):
        yield from _pyright_paths(_table(document, "tool", checker))
    paths = _table(document, "tool", "mypy").get("mypy_path")
    yield from _mypy_paths(paths if isinstance(paths, str) else ":".join(_strings_of(paths)))
    ty = _table(document, "tool", "ty", "environment")
    yield from (*_strings_of(ty.get("root")), *_strings_of(ty.get("extra-paths")))


def _pyright_paths(settings: Document) -> Iterator[str]:
    yield from _strings_of(settings.get("extraPaths"))
    for environment in _tables(settings.get("executionEnvironments")):
        yield from _strings_of([environment.get("root")])
        yield from _strings_of(environment.get("extraPaths"))


def _mypy_paths(value: str) -> list[str]:
    parts = value.replace(",", ":").replace("\n", ":").split(":")
    return [part.strip().removeprefix(_MYPY_FOLDER).lstrip("/") or "." for part in parts if part.strip()]


def _package_folders(name: str, text: str) -> Iterator[str]:
    """Yield the folders whose packages a project installs: the configured ones and the usual ones."""
    match name:
        case "pyproject.toml":
            document = _toml(text)
            if "project" in document or _table(document, "tool", "poetry"):
                yield from _LAYOUTS
            yield from _folders_of_builds(document)
        case "setup.py":
            yield from _LAYOUTS
        case "setup.cfg":
            ini = _ini(text)
            yield from _LAYOUTS if ini("metadata", "name") else ()
            lines = ini("options", "package_dir").splitlines()
            yield from (line.partition("=")[2].strip() for line in lines if line.lstrip().startswith("="))
            yield from ini("options.packages.find", "where").split()


def _folders_of_builds(document: Document) -> Iterator[str]:
    setuptools = _table(document, "tool", "setuptools")
    yield from _strings_of([_table(setuptools, "package-dir").get("")])
    yield from _strings_of(_table(setuptools, "packages", "find").get("where"))
    wheel = _table(document, "tool", "hatch", "build", "targets", "wheel")
    yield from map(posixpath.dirname, _strings_of(wheel.get("packages")))
    yield from _strings_of(wheel.get("sources"))
    for package in _tables(_table(document, "tool", "poetry").get("packages")):
        yield from _strings_of([package.get("from")])
    yield from _strings_of([_table(document, "tool", "pdm", "build").get("package-dir")])
    yield from _strings_of([_table(document, "tool", "uv", "build-backend").get("module-root")])


def _paths_of_sources(document: Document) -> Iterator[str]:
    """Yield the folders of the projects that a project depends on by path."""
    sources = _table(document, "tool", "uv", "sources")
    poetry = _table(document, "tool", "poetry")
    groups = [_table(group, "dependencies") for group in _tables([*_table(poetry, "group").values()])]
    for table in (sources, _table(poetry, "dependencies"), *groups):
        for source in _tables([*table.values()]):
            yield from _strings_of([source.get("path")])


def _join_folders(owner: str, folder: str) -> str:
    joined = posixpath.normpath(posixpath.join(owner, folder))
    return "" if joined == "." else joined


def _is_inside(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def _toml(text: str) -> Document:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _ini(text: str) -> Callable[[str, str], str]:
    """Return a reader of the options of a file; what the file does not have is empty."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        parser.clear()
    return lambda section, option: parser.get(section, option, fallback="") or ""


def _table(document: Document, *names: str) -> Document:
    for name in names:
        inner = document.get(name)
        document = inner if isinstance(inner, dict) else {}
    return document


def _tables(value: object) -> list[Document]:
    return [table for table in value if isinstance(table, dict)] if isinstance(value, list) else []


def _strings_of(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
