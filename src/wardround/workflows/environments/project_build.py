"""Wheels of the projects of a repository, built in the sandbox without network."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

import msgspec

from wardround.errors import EnvironmentUnavailable
from wardround.lazy import LazyPattern
from wardround.sandbox.model import Outcome, State, Visible
from wardround.sandbox.run import run
from wardround.sandbox.tree import EphemeralTree
from wardround.sandbox.visible import INNER_ROOT
from wardround.workflows.environments.conditions import BuildConditions
from wardround.workflows.environments.download import Downloads, remove
from wardround.workflows.environments.project_metadata import release_of
from wardround.workflows.environments.registries import require_registry
from wardround.workflows.environments.requirements import LocalProject, normal
from wardround.workflows.environments.sdists import Archive
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.environments.uv import Uv, VirtualEnvironment
from wardround.workflows.inner_program import PACKAGE
from wardround.workflows.test.project.projects import table, texts

OUT = ".wardround-build"
"""The folder in the tree in which a build leaves its wheel."""
ARCHIVE = ".wardround-sdist.tar.gz"
_SCRIPT = PACKAGE / "builds" / "build_project.py"
_DEFAULT_BACKEND = "setuptools.build_meta:__legacy__"
_DEFAULT_REQUIRES = ("setuptools>=40.8.0",)
_WHEEL = LazyPattern(r"^[A-Za-z0-9._]+-[A-Za-z0-9._+!]+(?:-[A-Za-z0-9._]+){3,4}\.whl$")
_LARGEST_WHEEL = 1024 * 1024 * 1024
_LONGEST_REASON = 300
_VERSION_VARIABLES = (
    "SETUPTOOLS_SCM_PRETEND_VERSION", "PDM_BUILD_SCM_VERSION", "PBR_VERSION",
    "POETRY_DYNAMIC_VERSIONING_BYPASS", "UV_DYNAMIC_VERSIONING_BYPASS", "VERSIONINGIT_DEFAULT_VERSION",
)  # fmt: skip
"""Variables that replace a version that a build would take from git, which a run does not see."""


class BuildResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of one run of a build.

    Attributes:
        missing: requirements that the back end needs in addition.
        wheel: the name of the file.
    """

    missing: tuple[str, ...]
    wheel: str


class ProjectBuilds:
    """Builds projects of one tree, each with its build requirements from wheels.

    Args:
        tree: the tree of a run; builds may add files to it.
        downloads: installs the requirements of builds; receives the wheels.
        tag: the last tag of the history, for versions.
    """

    def __init__(
        self,
        uv: Uv,
        interpreter: str,
        files: TreeFiles,
        tree: EphemeralTree,
        downloads: Downloads,
        conditions: BuildConditions,
        tag: str,
    ) -> None:
        self._uv = uv
        self._interpreter = interpreter
        self._files = files
        self._tree = tree
        self._downloads = downloads
        self._conditions = conditions
        self._version = release_of(tag)
        self._environments: dict[tuple[str, ...], VirtualEnvironment] = {}

    def requirement(self, project: LocalProject) -> str:
        """Build a project and return the requirement that installs it.

        Raises:
            EnvironmentUnavailable: it cannot be built.
        """
        location = f"the project {project.folder}" if project.folder else "the project"
        document = self._files.table(posixpath.join(project.folder, "pyproject.toml"))
        wheel = self._wheel(
            location, document, {"folder": posixpath.join(INNER_ROOT, project.folder), "archive": ""}
        )
        extras = f"[{','.join(project.extras)}]" if project.extras else ""
        return _wheel_requirement(wheel, extras)

    def requirement_of_archive(self, archive: Archive, name: str) -> str:
        """Build a source distribution and return the requirement that installs it.

        Raises:
            EnvironmentUnavailable: it cannot be built.
        """
        location = self._tree.root / ARCHIVE
        remove(location)  # a build may have put a link there
        with location.open("xb") as file:
            file.write(archive.content)
        task = {"folder": "", "archive": f"{INNER_ROOT}/{ARCHIVE}"}
        wheel = self._wheel(f"the package {name}", archive.manifest, task)
        remove(location)
        return _wheel_requirement(wheel, "")

    def _wheel(self, place: str, document: Mapping[str, object], task: Mapping[str, object]) -> str:
        system = table(document, "build-system")
        requires = texts(system.get("requires")) if system else _DEFAULT_REQUIRES
        result = self._build(place, system, requires, task)
        if result.missing:
            result = self._build(place, system, (*requires, *result.missing), task)
        content = None
        if _WHEEL.search(result.wheel):
            content = self._tree.read(f"{OUT}/{result.wheel}", _LARGEST_WHEEL)
        if content is None:
            raise EnvironmentUnavailable(f"{place} cannot be built: its build left no wheel")
        wheel = self._downloads.add(f"wheels/{result.wheel}", content)
        remove(self._tree.root / OUT)
        return wheel

    def _build(
        self, place: str, system: Mapping[str, object], requires: Sequence[str], task: Mapping[str, object]
    ) -> BuildResult:
        environment = self._make_environment(tuple(sorted(requires)))
        backend = system.get("build-backend")
        settings = {
            "backend": backend if isinstance(backend, str) else _DEFAULT_BACKEND,
            "backend_path": texts(system.get("backend-path")),
            "installed": requires,
            "out": f"{INNER_ROOT}/{OUT}",
        }
        remove(self._tree.root / OUT)
        outcome = run(
            ["python3", "-I", "-c", _SCRIPT.read_text("utf-8"), json.dumps({**task, **settings})],
            self._tree,
            self._conditions.limits,
            log=self._downloads.folder.root.with_name("build.log"),
            isolation=self._conditions.isolation,
            visible=self._view(environment),
        )
        content = self._tree.read(f"{OUT}/result.json")
        try:
            if outcome.state is State.FINISHED and outcome.status == 0 and content is not None:
                return msgspec.json.decode(content, type=BuildResult)
        except msgspec.MsgspecError:
            pass
        raise EnvironmentUnavailable(f"{place} cannot be built in the sandbox: {_reason(outcome)}")

    def _make_environment(self, requires: tuple[str, ...]) -> VirtualEnvironment:
        if requires not in self._environments:
            name = f"build-{len(self._environments)}"
            environment = self._uv.create(self._downloads, name, self._interpreter)
            if requires:
                for line in requires:
                    require_registry(line, "the requirements of a build", self._downloads.registries)
                self._uv.install(self._downloads, environment, ["--", *requires], builds=False)
            self._environments[requires] = environment
        return self._environments[requires]

    def _view(self, environment: VirtualEnvironment) -> Visible:
        versions = tuple((name, self._version) for name in _VERSION_VARIABLES)
        variables = (*environment.visible.variables, *versions)
        return msgspec.structs.replace(environment.visible, variables=variables)


def _wheel_requirement(wheel: str, extras: str) -> str:
    """Return the requirement of a wheel at a path, as a run of downloads has it."""
    return f"{normal(posixpath.basename(wheel).partition('-')[0])}{extras} @ {PurePosixPath(wheel).as_uri()}"


def _reason(outcome: Outcome) -> str:
    """Return the last line of a failed build."""
    if outcome.detail:
        return outcome.detail
    lines = [line.strip() for line in (outcome.stderr or outcome.stdout).splitlines() if line.strip()]
    return lines[-1][:_LONGEST_REASON].rstrip(".") if lines else f"it ended with status {outcome.status}"
