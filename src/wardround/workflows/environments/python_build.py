"""Building the environment of a Python project: uv installs wheels, and the sandbox builds the others."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from pathlib import Path

from wardround.change.repository import INDEX, Repository
from wardround.errors import EnvironmentUnavailable
from wardround.lazy import LazyPattern
from wardround.sandbox.tree import EphemeralTree, RunFolder
from wardround.semantics.supply_chain.urls import USUAL_HOSTS, host_of
from wardround.workflows.environments.added_files import move_checked, move_modules
from wardround.workflows.environments.conditions import BuildConditions
from wardround.workflows.environments.download import DownloadFailed, Downloads, open_downloads, remove
from wardround.workflows.environments.project_build import ProjectBuilds
from wardround.workflows.environments.python_releases import requests_at
from wardround.workflows.environments.python_sources import (
    PythonSources,
    declared_requirements,
    group_names,
    is_for_tests,
    key_inputs,
    python_sources,
)
from wardround.workflows.environments.registries import registries_of, require_registry, requirement_location
from wardround.workflows.environments.requirements import Requirements, name_of, normal, parse
from wardround.workflows.environments.sdists import (
    Sdist,
    download,
    indexed_sdist,
    locked_sdist,
    registries_in,
)
from wardround.workflows.environments.store import PREFIX, BuiltEnvironment, keep, key_of, store_folder
from wardround.workflows.environments.tree_files import TreeFiles, files_of
from wardround.workflows.environments.uv import Uv, VirtualEnvironment
from wardround.workflows.test.project.projects import DetectedProject, table

_COVERAGE = "coverage"
"""Runs of tests record the covered lines with it."""
_NO_WHEEL = LazyPattern(r"hint: Wheels are required for `([A-Za-z0-9._-]{1,200})`")
_VERSION = LazyPattern(r"([A-Za-z0-9._-]{1,200})==(\S{1,100}) has no usable wheels")
"""The messages of uv about a package, and a version of it, that has only a source distribution."""
_MOST_BUILDS = 30
_DIGEST = LazyPattern(r"--hash=sha256:([0-9a-f]{64})")
_LOCAL_WHEEL = " @ file:"
"""A part of the requirement of a wheel that was built here, whose digest no lock file has."""

_MANIFESTS = "manifests"
_BUILD = b"3"
"""Raise it when other packages follow from the same files, so that older environments are not used."""


def python_key(project: DetectedProject, files: TreeFiles, day: str = "") -> str:
    """Return the key of the environment of a project.

    Args:
        day: the last day of its releases; see ``BuildConditions``.

    Raises:
        EnvironmentUnavailable: no file names packages, or one cannot be read.
    """
    sources = python_sources(project, files)
    inputs = [*key_inputs(sources, files), ("tests", " ".join(_tools(project)).encode())]
    if day:
        inputs.append(("day", day.encode()))
    return key_of("python", (*inputs, ("build", _BUILD)))


def build_python(
    project: DetectedProject, repository: Repository, side: str, conditions: BuildConditions
) -> None:
    """Build the environment of a project into the store.

    Raises:
        EnvironmentUnavailable: a file or a package is missing, or a build failed.
    """
    files = files_of(repository, side)
    sources = python_sources(project, files)
    uv = Uv(repository.root, conditions.environ, conditions.day)
    store_folder().mkdir(parents=True, exist_ok=True)
    with EphemeralTree(repository, side, store_folder()) as tree:
        top = tree.root.parent
        for name in ("work", "built"):
            (top / name).mkdir()
        folder = RunFolder(top / "work", tree.home, tree.private)
        with open_downloads(
            folder, registries_of(conditions, uv.configured_indexes), conditions
        ) as downloads:
            build = _PythonBuild(project, sources, files, uv, tree, downloads)
            tag = repository.nearest_tag("HEAD" if side == INDEX else side)
            description = build.run(top / "built", conditions, tag)
        keep(top / "built", python_key(project, files, conditions.day), description)


class _PythonBuild:
    """The steps of one build, in a private folder next to the tree."""

    def __init__(
        self,
        project: DetectedProject,
        sources: PythonSources,
        files: TreeFiles,
        uv: Uv,
        tree: EphemeralTree,
        downloads: Downloads,
    ) -> None:
        self._project = project
        self._sources = sources
        self._files = files
        self._uv = uv
        self._tree = tree
        self._downloads = downloads

    def run(self, built: Path, conditions: BuildConditions, tag: str) -> BuiltEnvironment:
        """Build into a folder.

        Args:
            tag: the last tag of the history.
        """
        interpreter = self._uv.interpreter(requests_at(conditions.day, self._sources.pythons))
        requirements = self._requirements()
        builds = ProjectBuilds(
            self._uv, interpreter, self._files, self._tree, self._downloads, conditions, tag
        )
        lines = list(requirements.lines)
        for project in requirements.projects:
            conditions.progress(f"build of {project.folder or 'the project'}")
            lines.append(builds.requirement(project))
        environment = self._install(interpreter, requirements, lines, builds, conditions.progress)
        self._downloads.remove_caches()
        packages = environment.packages()
        move_checked(environment.prefix, built / PREFIX)
        return BuiltEnvironment(
            language="python",
            source=self._sources.description
            + (f" with the releases of {conditions.day}" if conditions.day else ""),
            version=environment.version,
            installation=environment.installation,
            packages=packages,
            added=move_modules(self._tree.root, self._files.paths, built),
        )

    def _install(
        self,
        interpreter: str,
        requirements: Requirements,
        lines: list[str],
        builds: ProjectBuilds,
        progress: Callable[[str], None],
    ) -> VirtualEnvironment:
        """Install the requirements; a package without a wheel is built, and the installation repeated."""
        for _ in range(_MOST_BUILDS):
            progress("installation of packages")
            environment = self._uv.create(self._downloads, PREFIX, interpreter)
            try:
                options, registries = self._options(requirements, lines), self._downloads.registries
                has_git = any(
                    map(registries.is_git, map(requirement_location, (*lines, *requirements.constraints)))
                )
                self._uv.install(self._downloads, environment, options, builds=has_git)
                return environment
            except DownloadFailed as cause:
                name, version = _package_lacking_wheel(cause.output)
                if not name:
                    raise
                remove(environment.prefix)
                progress(f"build of {name}")
                archive = download(
                    self._downloads, self._sdist(name, version, (*lines, *requirements.constraints))
                )
                built = builds.requirement_of_archive(archive, name)
                lines[:] = [line for line in lines if name_of(line) != name] + [built]
        raise EnvironmentUnavailable(
            f"more than {_MOST_BUILDS} packages have no wheel; add wheels to the index"
        )

    def _sdist(self, name: str, version: str, lines: Iterable[str]) -> Sdist:
        """Find a source distribution with one of the digests that the lines state for its package."""
        found = None
        digests = {digest for line in lines if name_of(line) == name for digest in _DIGEST.findall(line)}
        if self._sources.lock == "uv.lock":
            path = posixpath.join(self._sources.folder, self._sources.lock)
            found = locked_sdist(self._files.table(path), name, version)
        elif self._uv.indexes:
            found = indexed_sdist(self._downloads, self._uv.indexes[0], name, version, self._uv.day)
        if found is None:
            raise EnvironmentUnavailable(
                f"{name} {version}".rstrip() + " has neither a wheel nor a source distribution here"
            )
        if digests and found.sha256 not in digests:
            raise EnvironmentUnavailable(f"{found.url} has none of the digests that are named for {name}")
        return found

    def _requirements(self) -> Requirements:
        if self._sources.lock == "uv.lock":
            path = posixpath.join(self._sources.folder, "uv.lock")
            self._write_manifests()
            text = self._uv.export(
                self._downloads, posixpath.join(_MANIFESTS, self._sources.folder), self._export_options()
            )
            found = parse(path, text, lambda _: None)
        else:
            found = declared_requirements(self._sources, self._files)
        for line in (*found.indexes, *found.lines, *found.constraints):
            require_registry(line, self._sources.description, self._downloads.registries)
        return found + Requirements(lines=tuple(set(_tools(self._project)) - found.names()))

    def _options(self, requirements: Requirements, lines: list[str]) -> list[str]:
        """Return the options that install the requirements."""
        required = self._downloads.add(
            "requirements.txt", "\n".join((*requirements.indexes, *lines, "")).encode()
        )
        own = {name_of(line) for line in lines if _LOCAL_WHEEL in line}
        others = [line for line in requirements.constraints if name_of(line) not in own]
        constraints = self._downloads.add("constraints.txt", "\n".join((*others, "")).encode())
        is_complete = (
            self._sources.lock == "uv.lock"
            and set(_tools(self._project)) - {_COVERAGE} <= requirements.names()
        )
        options = ["--no-deps"] if is_complete else []
        return [*options, *self._lock_indexes(), "-r", required, "-c", constraints]

    def _lock_indexes(self) -> list[str]:
        """Return options for the indexes of uv's lock file that are not the caller's; hashes hold for all.

        Raises:
            EnvironmentUnavailable: one is not on a registry.
        """
        if self._sources.lock != "uv.lock":
            return []
        path = posixpath.join(self._sources.folder, self._sources.lock)
        found = {url for url in registries_in(self._files.table(path)) if host_of(url) not in USUAL_HOSTS}
        for url in sorted(found):
            self._downloads.registries.require(url, "packages", path)
        options = [f"--index={url}" for url in sorted(found.difference(self._uv.indexes))]
        return [*options, "--index-strategy=unsafe-best-match"] if options else []

    def _export_options(self) -> list[str]:
        documents = self._sources.documents.values()
        groups = {name for document in documents for name in group_names(document)}
        extras = {
            name
            for document in documents
            for name in table(document, "project", "optional-dependencies")
            if is_for_tests(name)
        }
        options = [f"--group={name}" for name in sorted(groups)] + [
            f"--extra={name}" for name in sorted(extras)
        ]
        return (
            [*options, "--all-packages"]
            if table(self._sources.document, "tool", "uv", "workspace")
            else options
        )

    def _write_manifests(self) -> None:
        """Write the files that uv reads to export a lock file, and no others."""
        names = [posixpath.join(folder, "pyproject.toml") for folder in self._sources.documents]
        for name in (*names, posixpath.join(self._sources.folder, "uv.lock")):
            self._downloads.add(posixpath.join(_MANIFESTS, name), self._files.content(name))


def _package_lacking_wheel(output: str) -> tuple[str, str]:
    """Return a package without a wheel and its version; an empty version if any can be built."""
    found = _NO_WHEEL.search(output)
    if found is None:
        return "", ""
    name = normal(found[1])
    versions = (match[2] for match in _VERSION.finditer(output) if normal(match[1]) == name)
    return name, next(versions, "")


def _tools(project: DetectedProject) -> tuple[str, ...]:
    """Return the packages that run the tests of a project, which its files may not name.

    Tests of unittest are recorded by pytest for the comparison of behaviour.
    """
    has_tests = any(framework.name in ("pytest", "unittest") for framework in project.frameworks)
    return ("pytest", _COVERAGE) if has_tests else (_COVERAGE,)
