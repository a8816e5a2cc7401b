"""The metadata of a project of Python, as its files state them, without a build."""

from __future__ import annotations

import ast
import configparser
import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from wardround.errors import EnvironmentUnavailable
from wardround.lazy import LazyPattern
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.project.projects import table, texts

_NAME = LazyPattern(r"^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$")
_VERSION = LazyPattern(r"^[A-Za-z0-9][A-Za-z0-9.!+_-]{0,99}$")
_ASSIGNED = LazyPattern(r"""(?m)^(?:__version__|version|VERSION)(?: ?: ?\w+)? ?= ?["']([^"'\n]{1,100})["']""")
_RELEASE = LazyPattern(r"\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.(?:post|dev)\d+)?")
_NO_VERSION = "0.0.0"
_GENERATED: tuple[tuple[tuple[str, ...], str], ...] = (
    (("tool", "setuptools_scm"), "version_file"),
    (("tool", "setuptools_scm"), "write_to"),
    (("tool", "hatch", "build", "hooks", "vcs"), "version-file"),
    (("tool", "hatch", "build", "hooks", "version"), "path"),
    (("tool", "hatch", "build", "targets", "wheel", "hooks", "vcs"), "version-file"),
    (("tool", "hatch", "build", "targets", "sdist", "hooks", "vcs"), "version-file"),
    (("tool", "pdm", "version"), "write_to"),
    (("tool", "versioningit", "write"), "file"),
)
"""Tables and keys of ``pyproject.toml`` that name the file to which a build writes the version."""
_STATED = ((("tool", "hatch", "version"), "path"), (("tool", "pdm", "version"), "path"))
"""Tables and keys that name the file from which a build reads it."""


class ProjectMetadata(msgspec.Struct, frozen=True):
    """The parts of the metadata that code reads at run time.

    Attributes:
        version: version in the files, or else that of the last tag.
        entry_points: group -> name -> object.
        generated: paths of files that a build writes the version to, relative to the repository.
    """

    name: str
    version: str
    summary: str = ""
    requirements: tuple[str, ...] = ()
    entry_points: Mapping[str, Mapping[str, str]] = {}
    generated: tuple[str, ...] = ()


def project_metadata(folder: str, files: TreeFiles, tag: str) -> ProjectMetadata | None:
    """Return the metadata of the project in a folder; None if its files state no name.

    Args:
        tag: the last tag of the history.
    """
    try:
        document = files.table(posixpath.join(folder, "pyproject.toml"))
    except EnvironmentUnavailable:
        return None
    stated = _Stated(folder, files, document)
    name = stated.text("name")
    if not _NAME.search(name):
        return None
    version = stated.text("version") or _read_version(stated) or release_of(tag)
    return ProjectMetadata(
        name,
        version if _VERSION.search(version) else release_of(tag),
        stated.text("description").partition("\n")[0],
        texts(table(document, "project").get("dependencies")),
        {group: found for group, found in _entry_points(stated) if found},
        tuple(dict.fromkeys(_generated_files(stated))),
    )


def release_of(tag: str) -> str:
    """Return the version in the name of a tag; ``0.0.0`` without one."""
    found = _RELEASE.search(tag)
    return found[0] if found else _NO_VERSION


class _Stated:
    """The statements of a project, in the order of their weight."""

    def __init__(self, folder: str, files: TreeFiles, document: Mapping[str, object]) -> None:
        self.folder = folder
        self.files = files
        self.document = document
        self.settings = _settings(files.text(posixpath.join(folder, "setup.cfg")) or "")
        self.arguments = _arguments(files.text(posixpath.join(folder, "setup.py")) or "")

    def text(self, key: str) -> str:
        """Return a string of the metadata; empty if no file states it."""
        section = self.settings.get("metadata", {})
        values = (
            table(self.document, "project").get(key),
            table(self.document, "tool", "poetry").get(key),
            section.get(key, ""),
            self.arguments.get(key),
        )
        found = next((value for value in values if isinstance(value, str) and value), "")
        return "" if found.startswith(("attr:", "file:")) else found.strip()

    def path(self, path: str) -> str:
        """Return a path of the project, relative to the repository."""
        return posixpath.normpath(posixpath.join(self.folder, path))


def _settings(text: str) -> Mapping[str, Mapping[str, str]]:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return {}
    return {name: dict(parser.items(name)) for name in parser.sections()}


def _arguments(text: str) -> dict[str, Any]:
    """Return the literal arguments of the call of ``setup``."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    calls = [node for node in nodes if isinstance(node, ast.Call) and _called_name(node) == "setup"]
    found: dict[str, Any] = {}
    for call in calls[:1]:
        for keyword in call.keywords:
            try:
                found[str(keyword.arg)] = ast.literal_eval(keyword.value)
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                continue
    return found


def _called_name(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _read_version(stated: _Stated) -> str:
    """Return the version in the module from which a build reads it; empty if it is computed."""
    for path in _version_paths(stated):
        found = _ASSIGNED.search(stated.files.text(path) or "")
        if found:
            return found[1]
    return ""


def _version_paths(stated: _Stated) -> Iterator[str]:
    for keys, key in _STATED:
        path = table(stated.document, *keys).get(key)
        if isinstance(path, str):
            yield stated.path(path)
    attribute = table(stated.document, "tool", "setuptools", "dynamic", "version").get("attr")
    setting = stated.settings.get("metadata", {}).get("version", "")
    if not isinstance(attribute, str):
        attribute = setting.removeprefix("attr:").strip() if setting.startswith("attr:") else ""
    backend = str(table(stated.document, "build-system").get("build-backend"))
    module = attribute.rpartition(".")[0].replace(".", "/")
    if not module and backend.startswith("flit"):
        module = stated.text("name").replace("-", "_").replace(".", "/")
    for stem in ("", "src/", "lib/") if module else ():
        yield stated.path(f"{stem}{module}.py")
        yield stated.path(f"{stem}{module}/__init__.py")


def _generated_files(stated: _Stated) -> Iterator[str]:
    named = [table(stated.document, *keys).get(key) for keys, key in _GENERATED]
    scm = stated.arguments.get("use_scm_version")
    if isinstance(scm, dict):
        named += [scm.get("version_file"), scm.get("write_to")]
    for path_text in named:
        path = stated.path(path_text) if isinstance(path_text, str) else ".."
        if not path.startswith(("..", "/")):
            yield path


def _entry_points(stated: _Stated) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the groups of entry points."""
    project, poetry = table(stated.document, "project"), table(stated.document, "tool", "poetry")
    groups = {**table(poetry, "plugins"), **table(project, "entry-points")}
    for scripts in (table(poetry, "scripts"), table(project, "scripts")):
        groups = {**groups, "console_scripts": {**table(groups, "console_scripts"), **scripts}}
    lists: dict[str, object] = dict(stated.settings.get("options.entry_points", {}))
    literal = stated.arguments.get("entry_points")
    lists |= literal if isinstance(literal, dict) else {}
    groups |= {group: _listed_entries(value) for group, value in lists.items()}
    for group in sorted(groups):
        entries = table(groups, group).items()
        one_line = {str(name): text for name, text in entries if isinstance(text, str) and "\n" not in text}
        yield group, one_line


def _listed_entries(value: object) -> dict[str, str]:
    """Return the entry points in lines as ``name = target``."""
    lines = value.splitlines() if isinstance(value, str) else texts(value)
    pairs = (line.partition("=") for line in lines if "=" in line)
    return {name.strip(): target.strip() for name, _, target in pairs}
