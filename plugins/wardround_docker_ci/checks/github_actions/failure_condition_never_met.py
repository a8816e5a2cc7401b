"""DC128: failure condition never met."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import WORKFLOW, CiCheck

_STATUS_CALL = LazyPattern(r"(?<![\w!.])(?:failure|cancelled)\(\s*\)")
_ALSO = LazyPattern(r"\|\||!\s*failure|always\(|success\(")


class FailureConditionNeverMet(CiCheck):
    """A job runs on failure but needs no job that could fail.

    `failure()` in a job refers to the jobs in its `needs`, and this one needs none: it is always skipped,
    and nobody is notified. Name the jobs: `needs: [test, lint]`.
    """

    ID = "DC128"
    NAME = "failure-condition-never-met"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "useless-comparison"
    KINDS = WORKFLOW
    NEEDS = ("failure(", "cancelled(")
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                needs: b
                if: failure()
                runs-on: x
                steps: []
        """),
        code("""
            on: push
            jobs:
              a:
                if: ${{ !failure() || always() }}
                runs-on: x
                steps: []
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              t:
                runs-on: x
                steps: []
              a:
                if: «failure()»
                runs-on: x
                steps: []
        """),
        code("""
            on: push
            jobs:
              a:
                if: «${{ github.ref == 'refs/heads/main' && failure() }}»
                runs-on: x
                steps: []
        """),
    ]

    def run(self) -> None:
        for job in self.file.workflow.jobs:
            condition = job.condition
            if condition is None or job.node.get("needs") is not None:
                continue
            if _STATUS_CALL.search(condition.value) and not _ALSO.search(condition.value):
                text = self.file.passage(condition)
                self.report_at(
                    text.start, text.end, f'"{job.name}" needs no job, so it never runs; add needs'
                )
