"""DC056."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.languages.yaml.tree import Scalar
from wardround_docker_ci.check import STEPS, CiCheck

_MEANT = frozenset({"dtolnay/rust-toolchain"})
"""Actions whose branches are their interface: what to install is named beside them."""

_BRANCHES = frozenset({"main", "master", "develop", "dev", "trunk", "head", "next", "edge", "latest"})


class ActionByBranch(CiCheck):
    """An action is taken from a branch, so whatever is pushed there next runs with the job's token.

    A push that breaks or betrays it reaches every run at once, unseen. Name the commit, with the version in a
    comment behind it.
    """

    ID = "DC056"
    NAME = "action-by-branch"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "unpinned-action"
    KINDS = STEPS
    NEEDS = ("uses",)
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: a/b@v1
        """),
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: ./b
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: «a/b@main»
        """),
        code("""
            on: push
            jobs:
              a:
                uses: «o/r/.github/workflows/b.yml@master»
        """),
    ]

    def run(self) -> None:
        workflow = self.file.workflow
        # A workflow that is called is mostly the same people's.
        called: list[tuple[Scalar | None, Severity | None]]
        called = [(step.uses, None) for _, step in workflow.all_steps if step.action not in _MEANT]
        called += [(job.node.scalar("uses"), Severity.INFO) for job in workflow.jobs]
        for uses, severity in called:
            if uses is None or uses.value.startswith((".", "$/", "docker:")) or "${{" in uses.value:
                continue
            _, at, version = uses.value.strip().partition("@")
            if not at or version.lower() in _BRANCHES or version.startswith("refs/heads/"):
                text = self.file.passage(uses)
                said = f'the branch "{version}" can change' if at else "no version is named"
                self.report_at(
                    text.start,
                    text.end,
                    f"{said}, and what it becomes runs with the job's token",
                    severity=severity,
                )
