from __future__ import annotations

import re

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_docker_ci.check import STEPS, CiCheck

_SWITCHED_OFF = {
    "actions/upload-artifact": 3,
    "actions/download-artifact": 3,
    "actions/cache": 2,
    "actions/cache/restore": 2,
    "actions/cache/save": 2,
}
"""The last major version whose service GitHub has shut down."""


class OutdatedAction(CiCheck):
    """An action is used in a version whose service GitHub has shut down.

    The step fails on every run. Update it to a supported version.
    """

    ID = "DC064"
    NAME = "outdated-action"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.ERROR
    KINDS = STEPS
    NEEDS = ("artifact@", "cache")
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: actions/upload-artifact@v4
        """),
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: actions/cache@v4.2.0
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: «actions/upload-artifact@v3»
        """),
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: '«actions/cache@v2.1.3»'
        """),
    ]

    def run(self) -> None:
        for _, step in self.file.workflow.all_steps:
            last = _SWITCHED_OFF.get(step.action)
            found = re.match(r"v(\d+)(?:\.|$)", step.version)
            if (
                last is not None
                and found is not None
                and int(found.group(1)) <= last
                and step.uses is not None
            ):
                text = self.file.passage(step.uses)
                self.report_at(
                    text.start,
                    text.end,
                    f"version {found.group(1)} is shut down, so the step fails; update it",
                )
