from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Scalar
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import WORKFLOW, CiCheck

_SECRET = LazyPattern(r"\$\{\{\s*secrets\.(?!GITHUB_TOKEN\b)\w+")


class SecretsForAllJobs(CiCheck):
    """A secret is in the environment of every step of every job.

    Each action and each dependency that a build or a test runs can read it, although one step needs it. Set
    it under `env` of that step.
    """

    ID = "DC130"
    NAME = "secrets-for-all-jobs"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "overprovisioned-secrets"
    KINDS = WORKFLOW
    NEEDS = ("secrets.",)
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            env:
              A: ${{ vars.A }}
              T: ${{ secrets.GITHUB_TOKEN }}
            jobs:
              a:
                runs-on: x
                steps: [{run: a}]
              b:
                runs-on: x
                steps: [{run: b}]
        """),
        code("""
            on: push
            env:
              A: ${{ secrets.A }}
            jobs:
              a:
                runs-on: x
                steps: [{run: a}]
        """),
    ]
    INVALID = [
        code("""
            on: push
            env:
              «A: Bearer ${{secrets.A}}»
            jobs:
              a:
                steps: [{run: a}]
              b:
                steps: [{run: b}]
        """),
        code("""
            env: {«A: '${{ secrets.A }}'»}
            on: push
            jobs:
              a: {steps: [{run: a}]}
              b: {steps: [{run: b}]}
        """),
    ]

    def run(self) -> None:
        jobs = [job for job in self.file.workflow.jobs if job.steps]
        secrets = [
            (key, value)
            for key, value in self.file.root.mapping("env").entries
            if isinstance(value, Scalar) and _SECRET.search(value.value)
        ]
        if secrets and len(jobs) > 1:
            key, value = secrets[0]
            names = ", ".join(name.value for name, _ in secrets[:3])
            self.report_at(
                key.start,
                value.end,
                f"every step of all {len(jobs)} jobs can read {names}; set it on the step that needs it",
            )
