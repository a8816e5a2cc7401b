"""DC057."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_docker_ci.check import STEPS, CiCheck

_COMMIT = LazyPattern(r"[0-9a-f]{40}$")
_OWN = ("actions/", "github/")


class ActionByTag(CiCheck):
    """A third party's action is taken by a tag, which its owner can move.

    Tags of popular actions have been moved to hostile code before. Name the commit, with the version in a
    comment behind it, and let a bot raise it.
    """

    ID = "DC057"
    NAME = "action-by-tag"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "unpinned-action"
    OFF = "Most projects trust tags on purpose; zizmor asks for commits where it is installed."
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
                  - uses: a/b@0123456789012345678901234567890123456789 # v1
        """),
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: actions/checkout@v4
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: «a/b@v1»
        """),
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: «a/b/c@1.2.3» # x
        """),
    ]

    def run(self) -> None:
        for _, step in self.file.workflow.all_steps:
            uses = step.uses
            if uses is None or not step.version or uses.value.startswith((".", "docker:", *_OWN)):
                continue
            if not _COMMIT.match(step.version) and "${{" not in uses.value:
                text = self.file.passage(uses)
                self.report_at(
                    text.start, text.end, f'the tag "{step.version}" can be moved; name the commit'
                )
