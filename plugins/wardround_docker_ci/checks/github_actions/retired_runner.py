from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Scalar
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.models.github_workflow import WorkflowJob
from wardround_docker_ci.models.node_lists import scalars

_RETIRED = LazyPattern(r"ubuntu-(?:16\.04|18\.04|20\.04)|macos-(?:10\.15|11|12|13)|windows-(?:2016|2019)")


class RetiredRunner(CiCheck):
    """A job requests a runner image, or an action a Node.js version, that GitHub has retired.

    The job waits for a runner until it is cancelled; the action runs on a newer Node.js than it was written
    for. Use a supported version.
    """

    ID = "DC065"
    NAME = "retired-runner"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "unavailable-runner"
    KINDS = STEPS
    NEEDS = ("ubuntu-", "macos-", "windows-", "node12", "node16")
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                runs-on: ubuntu-24.04
                steps: []
        """),
        code("""
            on: push
            jobs:
              a:
                runs-on: [self-hosted, ubuntu-18.04]
                steps: []
        """),
    ]
    INVALID = [
        code(
            """
            name: a
            runs:
              using: «node16»
              main: a.js
            """,
            path="action.yml",
        ),
        code("""
            on: push
            jobs:
              a:
                runs-on: «ubuntu-18.04»
                steps: []
        """),
    ]

    def run(self) -> None:
        if self.file.kind is FileKind.ACTION:
            self._check_action()
        for job in self.file.workflow.jobs:
            for label in _labels(job):
                if _RETIRED.fullmatch(label.value):
                    text = self.file.passage(label)
                    message = f"{label.value} runners are retired; use a supported image"
                    self.report_at(text.start, text.end, message)

    def _check_action(self) -> None:
        using = self.file.root.scalar("runs", "using")
        if using is not None and using.value in ("node12", "node16"):
            text = self.file.passage(using)
            message = f"{using.value} is retired and GitHub runs a newer version; update it"
            self.report_at(text.start, text.end, message, severity=Severity.WARN)


def _labels(job: WorkflowJob) -> list[Scalar]:
    """Return the runner labels of a job, including those of its matrix; none for a self-hosted runner."""
    labels = scalars(job.node.items_at("runs-on"))
    if any(label.value == "self-hosted" for label in labels):
        return []
    matrix = _MATRIX_VALUE.match(labels[0].value) if len(labels) == 1 else None
    if matrix is None:
        return labels
    return scalars(job.node.mapping("strategy", "matrix").items_at(matrix.group(1)))


_MATRIX_VALUE = LazyPattern(r"\$\{\{\s*matrix\.([\w-]+)\s*\}\}$")
