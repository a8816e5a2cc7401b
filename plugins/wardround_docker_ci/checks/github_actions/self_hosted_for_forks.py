"""DC066."""

from __future__ import annotations

import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.yaml.tree import Scalar
from wardround_docker_ci.check import WORKFLOW, CiCheck

_OWN_ONLY = LazyPattern(
    r"head\.repo\.(?:full_name|fork|owner|id)|github\.event_name\s*!=\s*'pull_request|event_name\s*==\s*'(?!pull)"
    r"|author_association|contains\([^)]*labels"
)
"""Conditions that exclude forks, or require a maintainer's decision."""
_THROWN_AWAY = LazyPattern(r"ephemeral|arc-|spot|autoscal", re.IGNORECASE)


class SelfHostedForForks(CiCheck):
    """Pull requests run on a self-hosted runner.

    In a public repository anyone can open one, and its changes to the machine persist for the next job. Use
    hosted runners for pull requests, or ephemeral self-hosted ones.
    """

    ID = "DC066"
    NAME = "self-hosted-for-forks"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "self-hosted-runner"
    KINDS = WORKFLOW
    NEEDS = ("self-hosted",)
    CASE_PATH = ".github/workflows/a.yml"
    VALID = [
        code("""
            on: push
            jobs:
              a:
                runs-on: self-hosted
                steps: []
        """),
        code("""
            on: pull_request
            jobs:
              a:
                runs-on: ubuntu-latest
                steps: []
            # self-hosted
        """),
    ]
    INVALID = [
        code("""
            on: pull_request
            jobs:
              a:
                runs-on: «self-hosted»
                steps: []
        """),
        code("""
            on: [push, pull_request]
            jobs:
              a:
                runs-on: [«self-hosted», gpu]
                steps: []
        """),
    ]

    def run(self) -> None:
        if not {"pull_request", "pull_request_target"}.intersection(self.file.workflow.triggers):
            return
        for job in self.file.workflow.jobs:
            if job.condition is not None and _OWN_ONLY.search(job.condition.value):
                continue
            labels = job.node.listed("runs-on") + job.node.mapping("runs-on").listed("labels")
            if any(isinstance(node, Scalar) and _THROWN_AWAY.search(node.value) for node in labels):
                continue
            for node in labels:
                if isinstance(node, Scalar) and node.value == "self-hosted":
                    text = self.file.passage(node)
                    self.report_at(
                        text.start,
                        text.end,
                        "anyone who opens a pull request runs code on this runner; use a hosted one",
                    )
