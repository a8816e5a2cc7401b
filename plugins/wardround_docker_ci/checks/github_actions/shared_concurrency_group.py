"""DC205: shared concurrency group."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.yaml.nodes import Mapping
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import WORKFLOW, CiCheck

_TELLS_APART = LazyPattern(
    r"ref\b|ref_name|head_ref|\.number|\.sha\b|run_id|run_number|issue|pull_request|\bactor\b|inputs\.|branch"
    r"|\b(?:needs|steps)\.[\w-]+\.outputs\."
)


class SharedConcurrencyGroup(CiCheck):
    """All pull requests share one `concurrency` group, and each run cancels the one before it.

    Only the last push gets a result; the checks of all other pull requests are cancelled. Put the branch or
    the number into the group: `${{ github.workflow }}-${{ github.ref }}`.
    """

    ID = "DC205"
    NAME = "shared-concurrency-group"
    MATURITY = Maturity.PREVIEW
    KINDS = WORKFLOW
    NEEDS = ("cancel-in-progress",)
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: pull_request
            concurrency:
              group: t-${{ github.ref }}
              cancel-in-progress: true
            jobs: {}
        """),
        code("""
            on: pull_request
            concurrency:
              group: t
              cancel-in-progress: false
            jobs: {}
        """),
    ]
    INVALID = [
        code("""
            on: pull_request
            concurrency:
              group: «t»
              cancel-in-progress: true
            jobs: {}
        """),
        code("""
            on: [push, pull_request]
            jobs:
              a:
                concurrency:
                  cancel-in-progress: true
                  group: «${{ github.workflow }}-${{ github.job }}»
        """),
    ]

    def run(self) -> None:
        flow = self.file.workflow
        if not {"pull_request", "pull_request_target"} & set(flow.triggers):
            return
        for node in (flow.root, *(job.node for job in flow.jobs)):
            group = node.scalar("concurrency", "group")
            stops = node.text("concurrency", "cancel-in-progress") == "true"
            if group is not None and stops and not _TELLS_APART.search(group.value) and _runs_there(node):
                text = self.file.passage(group)
                message = (
                    "a run for one pull request cancels those of all others; add github.ref to the group"
                )
                self.report_at(text.start, text.end, message)


def _runs_there(node: Mapping) -> bool:
    """Return True unless the job's condition excludes pull requests."""
    condition = node.text("if")
    return "refs/" not in condition and "event_name" not in condition and "ref_name" not in condition
