"""DC062."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround_docker_ci.check import STEPS, CiCheck

_COMMAND = LazyPattern(r"::(set-output|save-state|set-env|add-path)(?: [^:\n]*)?::")
_INSTEAD = {
    "set-output": "$GITHUB_OUTPUT",
    "save-state": "$GITHUB_STATE",
    "set-env": "$GITHUB_ENV",
    "add-path": "$GITHUB_PATH",
}


class DeprecatedWorkflowCommand(CiCheck):
    """A step speaks to the runner by a command in its output that is switched off or about to be.

    Anything that prints text could forge such commands, which is why they go. Append to the file the runner
    names instead.
    """

    ID = "DC062"
    NAME = "deprecated-workflow-command"
    PLANE = Plane.CONTRACT
    TRIED_ON = "trees of 27 repositories: 1 hits; 640 commits of 16 that touch such files: 0"
    KINDS = STEPS
    NEEDS = ("::set-", "::save-", "::add-path")
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: echo a=b >> $GITHUB_OUTPUT\n",
            path=".github/workflows/a.yml",
        ),
        Valid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: echo ::add-mask::$A\n",
            path=".github/workflows/a.yml",
        ),
        Valid("on: push\n# ::set-output name=a::b\njobs: {}\n", path=".github/workflows/a.yml"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            'on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: echo "::set-output name=a::b"\n',
            line=6,
            column=20,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: |\n          x\n"
            "          echo ::add-path::y\n",
            line=8,
            column=16,
            path=".github/workflows/a.yml",
        ),
        Invalid(
            "name: a\nruns:\n  using: composite\n  steps:\n    - run: echo '::save-state name=a::b'\n"
            "      shell: bash\n",
            line=5,
            column=18,
            path="action.yml",
        ),
    ]

    def run(self) -> None:
        for _, step in self.file.workflow.all_steps:
            if step.run is None:
                continue
            text = self.file.passage(step.run)
            for found in _COMMAND.finditer(text.text):
                name = found.group(1)
                start, end = text.start + found.start(), text.start + found.end()
                self.report_at(start, end, f"{name} goes away; append to {_INSTEAD[name]}")
