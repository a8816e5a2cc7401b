from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.languages.yaml.nodes import Scalar
from wardround.rules.cases import code
from wardround_docker_ci.check import STEPS, CiCheck

_BRANCH_INTERFACES = frozenset({"dtolnay/rust-toolchain"})
"""Actions whose branches are their interface: the branch names the version to install."""

_BRANCHES = frozenset({"main", "master", "develop", "dev", "trunk", "head", "next", "edge", "latest"})


class ActionByBranch(CiCheck):
    """An action is referenced by a branch, so the next push to it runs with the job's token.

    A broken or malicious push reaches every run at once, without review. Pin the commit, with the version
    in a comment after it.
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
        for _, step in self.file.workflow.all_steps:
            if step.uses is not None and step.action not in _BRANCH_INTERFACES:
                self._check(step.uses, None)
        for job in self.file.workflow.jobs:
            called = job.node.scalar("uses")
            if called is not None:
                # A called workflow usually belongs to the same organization.
                self._check(called, Severity.INFO)

    def _check(self, uses: Scalar, severity: Severity | None) -> None:
        if uses.value.startswith((".", "$/", "docker:")) or "${{" in uses.value:
            return
        _, at, version = uses.value.strip().partition("@")
        if not at or version.lower() in _BRANCHES or version.startswith("refs/heads/"):
            text = self.file.passage(uses)
            reason = f'branch "{version}" can change' if at else "no version is pinned"
            message = f"{reason}, and its code runs with the job's token; pin a commit"
            self.report_at(text.start, text.end, message, severity=severity)
