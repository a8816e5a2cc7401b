from __future__ import annotations

from wardround.findings import Plane
from wardround.rules.cases import code
from wardround_docker_ci.check import STEPS, CiCheck


class UnsafeCheckoutAllowed(CiCheck):
    """The checkout action's protection against running a fork's code with write access is disabled.

    The action refuses to check out a pull request under `pull_request_target` and `workflow_run`, because
    any later step that runs the code exposes the secrets. Keep the protection, and run such code under
    `pull_request`.
    """

    ID = "DC067"
    NAME = "unsafe-checkout-allowed"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "untrusted-checkout"
    KINDS = STEPS
    NEEDS = ("allow-unsafe-pr-checkout",)
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: actions/checkout@v7
                    with:
                      allow-unsafe-pr-checkout: false
        """),
        code("""
            on: push
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: actions/checkout@v7
            # allow-unsafe-pr-checkout: true
        """),
    ]
    INVALID = [
        code("""
            on: pull_request_target
            jobs:
              a:
                runs-on: x
                steps:
                  - uses: actions/checkout@v7
                    with:
                      «allow-unsafe-pr-checkout»: true
        """),
        code("""
            on: workflow_run
            jobs:
              a:
                runs-on: x
                steps:
                  - with:
                      «allow-unsafe-pr-checkout»: 'true'
                    uses: actions/checkout@v7
        """),
    ]

    def run(self) -> None:
        for _, step in self.file.workflow.all_steps:
            key, value = (
                step.inputs.key("allow-unsafe-pr-checkout"),
                step.inputs.text("allow-unsafe-pr-checkout"),
            )
            if step.action == "actions/checkout" and key is not None and value == "true":
                self.report_at(
                    key.start, key.end, "the protection against a fork's code is disabled; remove this input"
                )
