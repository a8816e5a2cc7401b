"""The files of a project that an installation would create, for an environment in which it is not installed.

An environment that a person created only for the dependencies lacks the metadata of the project, and the tree
of a commit lacks the files that a build writes. A run gets both as files of its tree.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path

import msgspec

from wardround.sandbox.visible import INNER_ROOT
from wardround.workflows.environments.model import Environment
from wardround.workflows.environments.project_metadata import ProjectMetadata, project_metadata
from wardround.workflows.environments.requirements import normal
from wardround.workflows.environments.tree_files import TreeFiles

_FOLDER = ".wardround-metadata"
"""The folder of the tree with the metadata, on the path of imports."""
_PATHS = "PYTHONPATH"
_SOURCES = (".py", ".pyx", ".c", ".cpp", ".rs")
_MOST_COMPILED = 500
_SHOWN = 3
_MODULE = """\
# The version is that of the last tag; a build would write this file.
__version__ = version = full_version = short_version = {version!r}
__version_tuple__ = version_tuple = {numbers!r}
__commit_id__ = commit_id = None


def get_versions():
    return {{"version": version, "full-revisionid": None, "dirty": None, "error": None, "date": None}}
"""


def add_unbuilt_files(
    environment: Environment, folders: Iterable[str], files: TreeFiles, tag: Callable[[], str]
) -> Environment:
    """Return an environment that has the metadata of the projects in some folders, and their version files.

    Args:
        folders: relative to the repository.
        files: files in the tree of the run.
        tag: returns the last tag of its history.
    """
    added: dict[str, str] = {}
    supplied: list[str] = []
    paths = [value for name, value in environment.visible.variables if name == _PATHS]
    last = ""
    for folder in folders:
        last = last or tag()
        found = project_metadata(folder, files, last)
        if found is None:
            continue
        if normal(found.name) not in environment.packages:
            added.update(_metadata(found))
            supplied.append(f"the metadata of {found.name} {found.version}, which is not installed")
        for path in found.generated:
            if path not in files.paths and path not in dict(environment.copies):
                added[path] = _version_file(path, found.version)
                supplied.append(f"{path} with version {found.version}, as a build would write it")
    if not added:
        return environment
    variables = tuple(variable for variable in environment.visible.variables if variable[0] != _PATHS)
    search = (_PATHS, ":".join((*paths, posixpath.join(INNER_ROOT, _FOLDER))))
    return msgspec.structs.replace(
        environment,
        texts=(*environment.texts, *added.items()),
        supplied=(*environment.supplied, *supplied),
        visible=msgspec.structs.replace(environment.visible, variables=(*variables, search)),
    )


def add_compiled_modules(environment: Environment, root: Path, paths: Collection[str]) -> Environment:
    """Return an environment that has the modules that a person compiled next to the sources of the project.

    Args:
        root: root folder of the working tree.
        paths: those of the run's tree, which contains none of them.
    """
    found = list(islice(_compiled_modules(root, paths), _MOST_COMPILED))
    if not found or environment.copies:  # a build of wardround has its own
        return environment
    rest = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    supplied = f"compiled modules of the work tree: {', '.join(found[:_SHOWN])}{rest}"
    return msgspec.structs.replace(
        environment,
        copies=tuple((path, str(root / path)) for path in found),
        supplied=(*environment.supplied, supplied),
    )


def _compiled_modules(root: Path, paths: Collection[str]) -> Iterator[str]:
    """Yield the paths of compiled modules in the folders of the tree that have sources."""
    top, known = os.path.realpath(root), frozenset(paths)
    for folder in sorted({posixpath.dirname(path) for path in known if path.endswith(_SOURCES)}):
        place = os.path.join(top, folder) if folder else top
        if os.path.realpath(place) == place and os.path.isdir(place):
            modules = (posixpath.join(folder, name) for name in _shared_objects(place))
            yield from (path for path in modules if path not in known)


def _shared_objects(folder: str) -> list[str]:
    """Return the names of the regular files in a folder that can be compiled modules, in order."""
    entries = (entry for entry in os.scandir(folder) if entry.name.endswith(".so"))
    return sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))


def _metadata(found: ProjectMetadata) -> Iterator[tuple[str, str]]:
    """Yield the files of a folder of metadata, as an installation writes it."""
    folder = f"{_FOLDER}/{normal(found.name).replace('-', '_')}-{found.version}.dist-info"
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {found.name}",
        f"Version: {found.version}",
        *([f"Summary: {found.summary}"] if found.summary else []),
        *(f"Requires-Dist: {requirement}" for requirement in found.requirements if "\n" not in requirement),
    ]
    yield f"{folder}/METADATA", "\n".join((*lines, ""))
    groups = [
        "\n".join((f"[{group}]", *(f"{name} = {target}" for name, target in points.items()), ""))
        for group, points in found.entry_points.items()
    ]
    if groups:
        yield f"{folder}/entry_points.txt", "\n".join(groups)


def _version_file(path: str, version: str) -> str:
    if not path.endswith((".py", ".pyi")):
        return f"{version}\n"
    numbers = tuple(int(part) if part.isdigit() else part for part in version.split("."))
    return _MODULE.format(version=version, numbers=numbers)
