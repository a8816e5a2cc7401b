from __future__ import annotations

import re

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_docker_ci.check import WORKFLOW, CiCheck
from wardround_docker_ci.models.node_lists import scalars

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
            labels = scalars(job.node.items_at("runs-on") + job.node.mapping("runs-on").items_at("labels"))
            is_ephemeral = any(_THROWN_AWAY.search(label.value) for label in labels)
            for label in labels:
                if label.value == "self-hosted" and not is_ephemeral:
                    text = self.file.passage(label)
                    message = "anyone who opens a pull request runs code on this runner; use a hosted one"
                    self.report_at(text.start, text.end, message)
