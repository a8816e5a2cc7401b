from __future__ import annotations

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import STEPS, CiCheck

_LITERAL_FIRST = LazyPattern(
    r"contains\(\s*'([^']*)'\s*,\s*(github\.(?:ref|ref_name|head_ref|base_ref|actor|repository|event_name)"
    r"|github\.event\.(?:action|label\.name)|inputs\.[\w-]+|env\.\w+)\s*\)"
)


class SubstringForMembership(CiCheck):
    """`contains` searches a string that was intended as a list, so parts of a word match too.

    `contains('main develop', github.ref_name)` is true for a branch `ma`, and for an empty name. Compare
    with each value, or pass a list: `contains(fromJSON('["main", "develop"]'), ...)`.
    """

    ID = "DC063"
    NAME = "substring-for-membership"
    PLANE = Plane.SECURITY
    KINDS = STEPS
    NEEDS = ("contains(",)
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                if: contains(github.ref, 'main')
                steps: []
        """),
        code("""
            on: push
            jobs:
              a:
                if: contains(fromJSON('["a"]'), github.ref)
                steps: []
        """),
    ]
    INVALID = [
        code("""
            on: push
            jobs:
              a:
                if: «contains('main dev', github.ref_name)»
                steps: []
        """),
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - if: ${{ !«contains('a,b', github.actor)» }}
                    run: x
        """),
    ]

    def run(self) -> None:
        steps = self.file.workflow.all_steps
        for condition in (*(j.condition for j in self.file.workflow.jobs), *(s.condition for _, s in steps)):
            if condition is None:
                continue
            text = self.file.passage(condition)
            for found in _LITERAL_FIRST.finditer(text.text):
                self.report_at(
                    text.start + found.start(), text.start + found.end(),
                    f"true for any substring of '{found.group(1)}' and for an empty {found.group(2)}; "
                    f"use fromJSON with a list",
                )  # fmt: skip
