"""DC055."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane
from wardround.late import LatePattern
from wardround_docker_ci.check import WORKFLOW, CiCheck
from wardround_docker_ci.workflow import Job, Step

_DOWNLOADS = ("actions/download-artifact", "dawidd6/action-download-artifact")
_HARMLESS = LatePattern(r"runner\.temp|RUNNER_TEMP|/tmp/")
_RUNS = LatePattern(
    r"(?:^|[\s;&|(])(?:\.|source|bash|sh|python3?|node|chmod \+x|npm|make)\s|(?:^|\s)\./|\$\(cat |`cat "
)
_INTO_ENV = LatePattern(r"(?:cat|<)\s*[^\n|;&]*>>\s*[\"']?\$\{?GITHUB_(?:ENV|PATH|OUTPUT)")


class UntrustedArtifact(CiCheck):
    """An artifact that a fork's build made is unpacked where a job with the repository's rights works.

    The fork decides what is in it: it can replace the scripts that later steps run, or write variables that
    change them. Unpack it into a folder of its own under `${{ runner.temp }}`, and take from it only data
    you check.
    """

    ID = "DC055"
    NAME = "untrusted-artifact"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "untrusted-artifact"
    TRIED_ON = "trees of 27 repositories and 640 commits of 16 that touch such files: no hit"
    KINDS = WORKFLOW
    NEEDS = ("workflow_run",)
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: actions/download-artifact@v4\n"
            "      - run: ./build.sh\n# workflow_run\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on:\n  workflow_run:\n    workflows: [ci]\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - uses: actions/download-artifact@v4\n        with:\n"
            "          run-id: ${{ github.event.workflow_run.id }}\n"
            "          path: ${{ runner.temp }}/a\n      - run: ./publish.sh\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on:\n  workflow_run:\n    workflows: [ci]\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - uses: actions/download-artifact@v4\n        with:\n"
            "          run-id: ${{ github.event.workflow_run.id }}\n      - uses: a/comment@v1\n",
            path=".github/workflows/a.yml",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "on:\n  workflow_run:\n    workflows: [ci]\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - uses: actions/checkout@v4\n      - uses: actions/download-artifact@v4\n        with:\n"
            "          run-id: ${{ github.event.workflow_run.id }}\n      - run: ./publish.sh\n",
            line=9,
            column=15,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on:\n  workflow_run:\n    workflows: [ci]\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - uses: dawidd6/action-download-artifact@v6\n        with:\n"
            "          run_id: ${{ github.event.workflow_run.id }}\n      - run: cat pr.env >> $GITHUB_ENV\n",
            line=8,
            column=15,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on:\n  workflow_run:\n    workflows: [ci]\njobs:\n  a:\n    runs-on: x\n    steps:\n"
            "      - run: gh run download ${{ github.event.workflow_run.id }} -n site\n"
            "      - run: bash site/go.sh\n",
            line=8,
            column=14,
            path=".github/workflows/a.yml",
        ),
    ]

    def run(self) -> None:
        if "workflow_run" in self.file.workflow.triggers:
            for job in self.file.workflow.jobs:
                self._look(job)

    def _look(self, job: Job) -> None:
        for at, step in enumerate(job.steps):
            place = self._downloaded(step)
            uses = any(_trusts_files(later) for later in job.steps[at + 1 :])
            if place is not None and uses:
                self.report_at(
                    *place, "a fork decides what this artifact holds, and later steps run or trust it"
                )
                return

    def _downloaded(self, step: Step) -> tuple[int, int] | None:
        if step.action in _DOWNLOADS and step.uses is not None:
            other_run = step.given.text("run-id") or step.given.text("run_id") or step.given.text("workflow")
            if other_run and not _HARMLESS.search(step.given.text("path")):
                text = self.file.passage(step.uses)
                return text.start, text.end
        if step.run is not None:
            text = self.file.passage(step.run)
            found = re.search(r"gh run download\b", text.text)
            if found and not _HARMLESS.search(text.text):
                return text.start + found.start(), text.start + found.end()
        return None


def _trusts_files(step: Step) -> bool:
    text = step.run.value if step.run is not None else ""
    return bool(_INTO_ENV.search(text) or _RUNS.search(text))
