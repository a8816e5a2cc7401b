from __future__ import annotations

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import STEPS, CiCheck

_COMMAND = LazyPattern(r"::(set-output|save-state|set-env|add-path)(?: [^:\n]*)?::")
_INSTEAD = {
    "set-output": "$GITHUB_OUTPUT",
    "save-state": "$GITHUB_STATE",
    "set-env": "$GITHUB_ENV",
    "add-path": "$GITHUB_PATH",
}


class DeprecatedWorkflowCommand(CiCheck):
    """A step uses a deprecated or disabled workflow command in its output.

    Any program that prints text could forge such commands, which is why GitHub removes them. Append to the
    environment file instead.
    """

    ID = "DC062"
    NAME = "deprecated-workflow-command"
    PLANE = Plane.CONTRACT
    KINDS = STEPS
    NEEDS = ("::set-", "::save-", "::add-path")
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - run: echo a=b >> $GITHUB_OUTPUT
        """),
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - run: echo ::add-mask::$A
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - run: echo "«::set-output name=a::»b"
        """),
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - run: |
                      x
                      echo «::add-path::»y
        """),
    ]

    def run(self) -> None:
        for _, step in self.file.workflow.all_steps:
            if step.run is None:
                continue
            text = self.file.passage(step.run)
            for found in _COMMAND.finditer(text.text):
                name = found.group(1)
                start, end = text.start + found.start(), text.start + found.end()
                self.report_at(start, end, f"{name} is deprecated; append to {_INSTEAD[name]}")
