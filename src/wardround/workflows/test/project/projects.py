"""The projects of a repository that have tests: their folders, package managers, frameworks and commands.

Every fact names its source: the file and the key. A command without such a source is not reported.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property

import msgspec

from wardround.semantics.supply_chain.manifests import is_sample

MOST_CHARACTERS = 1_000_000
"""Longer files of configuration are not read; people write them."""
MOST_PROJECTS = 500


class Fact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A value with its source.

    Attributes:
        key: in the file, as ``tool.uv.workspace``; empty if the file as such is the source.
    """

    value: str
    file: str
    key: str = ""


class DetectedFramework(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A framework of tests.

    Attributes:
        sources: its files and keys.
        command: the arguments that run its tests in the folder of the project; empty if no source names one.
        command_source: the fact that decides the command; None if there is none.
        is_listed_only: its tests need more than a sandbox, as a browser, and are not run.
    """

    name: str
    sources: tuple[Fact, ...]
    command: tuple[str, ...] = ()
    command_source: Fact | None = None
    is_listed_only: bool = False


class DetectedProject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A folder with tests of one language.

    Attributes:
        root: relative to the repository; empty for its top.
        language: ``python`` or ``javascript``.
        managers: package managers, the one whose lock file exists first.
        workspace: the entry of the file that makes it a member of a workspace.
        run_from: the parent folder whose command runs its tests, too; None if its own command runs them.
        run_from_source: the configuration in that folder that lists it.
    """

    root: str
    language: str
    managers: tuple[Fact, ...] = ()
    frameworks: tuple[DetectedFramework, ...] = ()
    workspace: Fact | None = None
    run_from: str | None = None
    run_from_source: Fact | None = None

    @property
    def manager(self) -> str:
        """The package manager that installs it; empty if none is known."""
        return self.managers[0].value if self.managers else ""


class ProjectFiles:
    """The paths of a repository by folder, and the text of files of configuration.

    Args:
        paths: every file of the tree.
        read: path -> its text.
    """

    def __init__(self, paths: Collection[str], read: Callable[[str], str | None]) -> None:
        self._read = read
        self._names: dict[str, set[str]] = {}
        for path in paths:
            folder, name = posixpath.split(path)
            if not is_sample(path):
                self._names.setdefault(folder, set()).add(name)

    @cached_property
    def folders(self) -> list[str]:
        """The folders that directly hold files, the top first."""
        return sorted(self._names)

    def names(self, folder: str) -> list[str]:
        """Return the names of the files in a folder, sorted."""
        return sorted(self._names.get(folder, ()))

    def has(self, folder: str, name: str) -> bool:
        return name in self._names.get(folder, ())

    def below(self, folder: str) -> Iterator[str]:
        """Yield the paths in a folder and below it."""
        for other in self.folders:
            if not folder or other == folder or other.startswith(f"{folder}/"):
                yield from (posixpath.join(other, name) for name in self.names(other))

    def text(self, path: str) -> str:
        """Return the content of a file; empty if there is none, or it is too long."""
        folder, name = posixpath.split(path)
        found = (self._read(path) or "") if self.has(folder, name) else ""
        return found if len(found) <= MOST_CHARACTERS else ""


def detect_projects(paths: Collection[str], read: Callable[[str], str | None]) -> tuple[DetectedProject, ...]:
    """Return the projects that have tests, by folder."""
    from wardround.workflows.test.project.python_projects import (
        detect_python,  # each reads the formats of one language
    )
    from wardround.workflows.test.project.script_projects import detect_scripts

    files = ProjectFiles(paths, read)
    found = [*detect_python(files), *detect_scripts(files)]
    return tuple(sorted(found, key=lambda project: (project.root, project.language))[:MOST_PROJECTS])


def table(value: object, *keys: str) -> Mapping[str, object]:
    """Return the table at a path of keys; an empty one for anything else."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def texts(value: object) -> tuple[str, ...]:
    """Return the strings in a list; none for anything else."""
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()
