"""Building the environment of a Python project: uv installs wheels, and the sandbox builds the others."""

from __future__ import annotations

import posixpath
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from wardround.change.repository import INDEX, Repository
from wardround.checks.lazy import LazyPattern
from wardround.errors import EnvironmentUnavailable
from wardround.sandbox.model import Limits
from wardround.sandbox.tree import EphemeralTree
from wardround.workflows.environments.added_files import keep_added
from wardround.workflows.environments.download import DownloadFailed
from wardround.workflows.environments.project_build import BuildConditions, ProjectBuilds
from wardround.workflows.environments.python_sources import (
    PythonSources,
    declared,
    group_names,
    is_for_tests,
    key_inputs,
    python_sources,
)
from wardround.workflows.environments.requirements import Requirements, name_of, normal, parse
from wardround.workflows.environments.sdists import Sdist, download, indexed_sdist, locked_sdist
from wardround.workflows.environments.store import PREFIX, BuiltEnvironment, keep, key_of, store_folder
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.environments.uv import Uv, VirtualEnvironment
from wardround.workflows.test.projects import DetectedProject, table

_COVERAGE = "coverage"
"""Runs of tests record the covered lines with it."""
_NO_WHEEL = LazyPattern(r"hint: Wheels are required for `([A-Za-z0-9._-]{1,200})`")
_VERSION = LazyPattern(r"([A-Za-z0-9._-]{1,200})==(\S{1,100}) has no usable wheels")
"""The messages of uv about a package, and a version of it, that has only a source distribution."""
_MOST_BUILDS = 30
_DIGEST = LazyPattern(r"--hash=sha256:([0-9a-f]{64})")
_LOCAL_WHEEL = " @ file:"
"""A part of the requirement of a wheel that was built here, whose digest no lock file has."""

_BUILD = b"2"
"""Raise it when other packages follow from the same files, so that older environments are not used."""


def python_key(project: DetectedProject, files: TreeFiles) -> str:
    """Return the key of the environment of a project.

    Raises:
        EnvironmentUnavailable: no file names packages, or one cannot be read.
    """
    sources = python_sources(project, files)
    inputs = (*key_inputs(sources, files), ("tests", " ".join(_tools(project)).encode()))
    return key_of("python", (*inputs, ("build", _BUILD)))


def build_python(
    project: DetectedProject,
    repository: Repository,
    side: str,
    limits: Limits,
    environ: Mapping[str, str],
    progress: Callable[[str], None],
    isolation: str,
) -> None:
    """Build the environment of a project into the store.

    Raises:
        EnvironmentUnavailable: a file or a package is missing, or a build failed.
    """
    files = TreeFiles(repository.tracked(side), repository.tree(side).read)
    sources = python_sources(project, files)
    uv = Uv(repository.root, environ)
    store_folder().mkdir(parents=True, exist_ok=True)
    with EphemeralTree(repository, side, store_folder()) as tree:
        work, built = tree.root.parent / "work", tree.root.parent / "built"
        for folder in (work, built):
            folder.mkdir()
        build = _PythonBuild(project, sources, files, uv, tree, work)
        tag = repository.nearest_tag("HEAD" if side == INDEX else side)
        description = build.run(built, BuildConditions(limits, isolation, tag), progress)
        keep(built, python_key(project, files), description)


class _PythonBuild:
    """The steps of one build, in a private folder next to the tree."""

    def __init__(
        self,
        project: DetectedProject,
        sources: PythonSources,
        files: TreeFiles,
        uv: Uv,
        tree: EphemeralTree,
        work: Path,
    ) -> None:
        self._project = project
        self._sources = sources
        self._files = files
        self._uv = uv
        self._tree = tree
        self._work = work
        self._manifests = self._written_manifests()

    def run(
        self, built: Path, conditions: BuildConditions, progress: Callable[[str], None]
    ) -> BuiltEnvironment:
        """Build into a folder."""
        interpreter = self._uv.interpreter(self._sources.pythons, self._work)
        requirements = self._requirements()
        builds = ProjectBuilds(self._uv, interpreter, self._files, self._tree, self._work, conditions)
        lines = list(requirements.lines)
        for project in requirements.projects:
            progress(f"build of {project.folder or 'the project'}")
            lines.append(builds.requirement(project))
        environment = self._installed(built / PREFIX, interpreter, requirements, lines, builds, progress)
        return BuiltEnvironment(
            language="python",
            source=self._sources.description,
            version=environment.version,
            installation=environment.installation,
            packages=environment.packages(),
            added=keep_added(self._tree.root, self._files.paths, built),
        )

    def _installed(
        self,
        prefix: Path,
        interpreter: str,
        requirements: Requirements,
        lines: list[str],
        builds: ProjectBuilds,
        progress: Callable[[str], None],
    ) -> VirtualEnvironment:
        """Install the requirements; a package without a wheel is built, and the installation repeated."""
        for _ in range(_MOST_BUILDS):
            progress("installation of packages")
            environment = self._uv.create(prefix, interpreter, self._work)
            try:
                self._uv.install(environment, self._options(requirements, lines), self._manifests)
                return environment
            except DownloadFailed as cause:
                name, version = _without_wheel(cause.output)
                if not name:
                    raise
                shutil.rmtree(prefix)
                progress(f"build of {name}")
                archive = download(
                    self._sdist(name, version, (*lines, *requirements.constraints)), self._work / "sdists"
                )
                built = builds.requirement_of_archive(archive, name)
                lines[:] = [one for one in lines if name_of(one) != name] + [built]
        raise EnvironmentUnavailable(
            f"more than {_MOST_BUILDS} packages have no wheel; add wheels to the index"
        )

    def _sdist(self, name: str, version: str, lines: Iterable[str]) -> Sdist:
        """Find a source distribution that has one of the digests which the lines name for its package."""
        found = None
        digests = {one for line in lines if name_of(line) == name for one in _DIGEST.findall(line)}
        if self._sources.lock == "uv.lock":
            path = posixpath.join(self._sources.folder, self._sources.lock)
            found = locked_sdist(self._files.table(path), name, version)
        elif index := self._uv.index(self._work):
            found = indexed_sdist(index, name, version)
        if found is None:
            raise EnvironmentUnavailable(
                f"{name} {version}".rstrip() + " has neither a wheel nor a source distribution here"
            )
        if digests and found.sha256 not in digests:
            raise EnvironmentUnavailable(f"{found.url} has none of the digests that are named for {name}")
        return found

    def _requirements(self) -> Requirements:
        if self._sources.lock == "uv.lock":
            text = self._uv.export(self._manifests, self._export_options())
            path = posixpath.join(self._sources.folder, "uv.lock")
            found = parse(path, text, lambda _: None)
        else:
            found = declared(self._sources, self._files)
        return found + Requirements(lines=tuple(set(_tools(self._project)) - found.names()))

    def _options(self, requirements: Requirements, lines: list[str]) -> list[str]:
        """Return the options that install the requirements."""
        required, constraints = self._work / "requirements.txt", self._work / "constraints.txt"
        required.write_text("\n".join((*requirements.indexes, *lines, "")), "utf-8")
        own = {name_of(line) for line in lines if _LOCAL_WHEEL in line}
        others = [line for line in requirements.constraints if name_of(line) not in own]
        constraints.write_text("\n".join((*others, "")), "utf-8")
        is_complete = (
            self._sources.lock == "uv.lock"
            and set(_tools(self._project)) - {_COVERAGE} <= requirements.names()
        )
        options = ["--no-deps"] if is_complete else []
        return [*options, "-r", str(required), "-c", str(constraints)]

    def _export_options(self) -> list[str]:
        documents = self._sources.documents.values()
        groups = {name for one in documents for name in group_names(one)}
        extras = {
            name
            for one in documents
            for name in table(one, "project", "optional-dependencies")
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

    def _written_manifests(self) -> Path:
        """Write the files that uv reads, and no others, and return their folder."""
        root = self._work / "manifests"
        names = [posixpath.join(folder, "pyproject.toml") for folder in self._sources.documents]
        if self._sources.lock == "uv.lock":
            names.append(posixpath.join(self._sources.folder, "uv.lock"))
        for name in names:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(self._files.content(name))
        folder = root / self._sources.folder
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def _without_wheel(output: str) -> tuple[str, str]:
    """Return a package without a wheel and its version; an empty version if any can be built."""
    found = _NO_WHEEL.search(output)
    if found is None:
        return "", ""
    name = normal(found[1])
    versions = (one[2] for one in _VERSION.finditer(output) if normal(one[1]) == name)
    return name, next(versions, "")


def _tools(project: DetectedProject) -> tuple[str, ...]:
    """Return the packages that run the tests of a project, which its files may not name.

    Tests of unittest are recorded by pytest for the comparison of behaviour.
    """
    has_tests = any(one.name in ("pytest", "unittest") for one in project.frameworks)
    return ("pytest", _COVERAGE) if has_tests else (_COVERAGE,)
