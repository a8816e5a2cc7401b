"""DC052: excessive permissions."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import WORKFLOW, CiCheck


class ExcessivePermissions(CiCheck):
    """The workflow's token has write access to everything.

    A malicious dependency or action in any step can then push code, publish releases and change settings.
    Declare `permissions: contents: read` at the top level, and further permissions in the job that needs
    them.
    """

    ID = "DC052"
    NAME = "excessive-permissions"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "excessive-permissions"
    KINDS = WORKFLOW
    NEEDS = ("write-all",)
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            permissions: read-all
            jobs: {}
        """),
        code("""
            on: push
            permissions: {}
            jobs: {}
        """),
    ]
    INVALID = [
        code("""
            on: push
            permissions: «write-all»
            jobs: {}
        """),
        code("""
            on: push
            jobs:
              a:
                permissions: «write-all»
                runs-on: x
                steps: []
        """),
    ]

    def run(self) -> None:
        for node in (self.file.workflow.root, *(job.node for job in self.file.workflow.jobs)):
            permissions = node.scalar("permissions")
            if permissions is not None and permissions.value == "write-all":
                text = self.file.passage(permissions)
                self.report_at(
                    text.start,
                    text.end,
                    "write-all lets every step write to the repository; grant the required permissions",
                )
