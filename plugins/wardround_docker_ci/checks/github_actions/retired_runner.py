"""DC065."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.yaml.tree import Scalar
from wardround_docker_ci.check import STEPS, CiCheck
from wardround_docker_ci.file_kinds import FileKind

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
        using = self.file.root.scalar("runs", "using") if self.file.kind is FileKind.ACTION else None
        if using is not None and using.value in ("node12", "node16"):
            text = self.file.passage(using)
            message = f"{using.value} is retired and GitHub runs a newer version; update it"
            self.report_at(text.start, text.end, message, severity=Severity.WARN)
        for job in self.file.workflow.jobs:
            labels = [node for node in job.node.listed("runs-on") if isinstance(node, Scalar)]
            if any(node.value == "self-hosted" for node in labels):
                continue
            named = (
                re.match(r"\$\{\{\s*matrix\.([\w-]+)\s*\}\}$", labels[0].value) if len(labels) == 1 else None
            )
            if named is not None:
                values = job.node.mapping("strategy", "matrix").listed(named.group(1))
                labels = [node for node in values if isinstance(node, Scalar)]
            for node in labels:
                if _RETIRED.fullmatch(node.value):
                    text = self.file.passage(node)
                    self.report_at(
                        text.start, text.end, f"{node.value} runners are retired; use a supported image"
                    )
