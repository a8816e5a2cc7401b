from __future__ import annotations

import posixpath
from collections.abc import Iterable
from functools import cached_property

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Scalar
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import WORKFLOW, CiCheck
from wardround_docker_ci.models.github_workflow import WorkflowJob, WorkflowStep

_FILES_OF_ACTIONS = ("action.yml", "action.yaml", "Dockerfile")
_CHECKOUT = "actions/checkout"
_WRITES_FILES = LazyPattern(r"\bgit\b|\bgh\b|\bcurl\b|\bwget\b|\btar\b|\bunzip\b|\bcp\b|\bmv\b|\brsync\b")
_BRINGS_FILES = LazyPattern(r"^actions/cache|checkout|clone|download")


class MissingLocalReference(CiCheck):
    """A workflow calls a local workflow or action that does not exist.

    GitHub rejects a workflow with the path of a missing workflow; a missing action fails the job at the step.
    Correct the path, or add the file. Not reported for an action if an earlier step of the job fetches or
    writes files, or if other repositories can call the workflow.
    """

    ID = "DC224"
    NAME = "missing-local-reference"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "missing-local-reference"
    KINDS = WORKFLOW
    NEEDS = ("./",)
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code(
            """
            on: push
            jobs:
              a:
                uses: ./.github/workflows/b.yml
            """,
            others={".github/workflows/b.yml": "on: workflow_call\n"},
        ),
        code(
            """
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: actions/checkout@v6
                  - uses: ./.github/actions/setup
            """,
            others={".github/actions/setup/action.yml": "name: setup\n"},
        ),
    ]
    INVALID = [
        code(
            """
            on: push
            jobs:
              a:
                uses: «./.github/workflows/b.yml»
            """,
            others={".github/workflows/c.yml": "on: workflow_call\n"},
        ),
        code(
            """
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: actions/checkout@v6
                  - uses: «./.github/actions/set-up»
            """,
            others={".github/actions/setup/action.yml": "name: setup\n"},
        ),
    ]

    def run(self) -> None:
        for job in self.file.workflow.jobs:
            call = job.node.scalar("uses")
            path = self._path(call)
            if call is not None and path and not self._exists_in_project(path, [path]):
                self._report(call, f"calls {path}, which does not exist; GitHub refuses this workflow")
            if "workflow_call" not in self.file.workflow.triggers:
                self._inspect_steps(job)

    def _inspect_steps(self, job: WorkflowJob) -> None:
        for step in job.steps:
            folder = self._path(step.uses)
            if folder and step.uses is not None:
                files = [posixpath.join(folder, name) for name in _FILES_OF_ACTIONS]
                if not self._exists_in_project(folder, files):
                    lacks = "has no action.yml or Dockerfile; the job fails at this step"
                    self._report(step.uses, f"uses {folder}, which {lacks}")
            elif _may_write_files(step):
                return

    def _report(self, reference: Scalar, message: str) -> None:
        if self._is_project_known:
            text = self.file.passage(reference)
            self.report_at(text.start, text.end, message)

    def _path(self, reference: Scalar | None) -> str:
        """Return the path that a local reference names in the repository; empty for another reference."""
        if reference is None or not reference.value.startswith("./") or "${{" in reference.value:
            return ""
        home = self.source.path[: self.source.path.rindex(".github/workflows/")]
        path = posixpath.normpath(posixpath.join(home, reference.value))
        return "" if path.startswith(".") and not path.startswith(".github/") else path

    def _exists_in_project(self, path: str, files: Iterable[str]) -> bool:
        """Return True if the project has one of the files, or a symbolic link or a submodule at the path of a
        folder.
        """
        parts = path.split("/")
        above = ["/".join(parts[:count]) for count in range(1, len(parts))]
        expected = {*files, *above, path}
        is_found = any(self.source.project.read(file) is not None for file in files)
        return is_found or not expected.isdisjoint(self.source.project.paths(sorted(expected)))

    @cached_property
    def _is_project_known(self) -> bool:
        """True if files outside of the change are known; for a diff only the changed ones are."""
        return not all(map(self.source.is_changed, self.source.project.paths(["*"])))


def _may_write_files(step: WorkflowStep) -> bool:
    """Return True if files that the repository does not have may exist after a step."""
    if step.action == _CHECKOUT:
        ref = step.inputs.text("ref")
        is_other = any(step.inputs.get(name) is not None for name in ("repository", "path", "submodules"))
        return is_other or (bool(ref) and "github." not in ref)
    if step.run is not None:
        return _WRITES_FILES.search(step.run.value) is not None
    return _BRINGS_FILES.search(step.action) is not None
