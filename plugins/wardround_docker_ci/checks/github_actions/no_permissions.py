from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_docker_ci.check import WORKFLOW, CiCheck


class NoPermissions(CiCheck):
    """The workflow does not declare the permissions of its token, so the repository's setting applies.

    In many repositories that is write access to everything. Declare `permissions: contents: read` at the
    top level.
    """

    ID = "DC053"
    NAME = "no-permissions"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "default-permissions"
    KINDS = WORKFLOW
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            permissions:
              contents: read
            jobs:
              a:
                runs-on: x
                steps: []
        """),
        code("""
            on: push
            jobs:
              a:
                permissions: {}
                runs-on: x
                steps: []
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              «a»:
                runs-on: x
                steps: []
        """),
        code("""
            on: push
            jobs:
              «a»:
                uses: ./.github/workflows/b.yml
        """),
    ]

    def run(self) -> None:
        workflow = self.file.workflow
        if workflow.root.key("permissions") is not None or list(workflow.triggers) == ["workflow_call"]:
            return
        for job in workflow.jobs:
            if job.key is not None and job.node.get("permissions") is None:
                self.report_at(
                    job.key.start,
                    job.key.end,
                    f'the token of job "{job.name}" has default permissions; declare permissions',
                )
                return
