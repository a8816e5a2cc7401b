"""Jobs and steps of GitHub workflows and actions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from wardround.languages.yaml.nodes import Mapping, Node, Scalar, Sequence
from wardround.lazy import LazyPattern

_EXPRESSION = LazyPattern(r"\$\{\{(.*?)\}\}", re.DOTALL)
FROM_FORKS = ("pull_request_target", "workflow_run")
"""Events that run with the permissions of the target repository for anyone who opens a pull request."""


class WorkflowStep(Struct, frozen=True, eq=False):
    """One step; ``node`` is its mapping."""

    node: Mapping

    @property
    def run(self) -> Scalar | None:
        return self.node.scalar("run")

    @property
    def uses(self) -> Scalar | None:
        return self.node.scalar("uses")

    @property
    def action(self) -> str:
        """The action without its version, in lower case; empty for a script."""
        return self.uses.value.partition("@")[0].lower() if self.uses else ""

    @property
    def version(self) -> str:
        return self.uses.value.partition("@")[2].strip() if self.uses else ""

    @property
    def inputs(self) -> Mapping:
        """The inputs under ``with``."""
        return self.node.mapping("with")

    @property
    def condition(self) -> Scalar | None:
        return self.node.scalar("if")


class WorkflowJob(Struct, frozen=True, eq=False, dict=True):
    """One job, or the steps of a composite action as one job."""

    name: str
    key: Scalar | None
    node: Mapping

    @cached_property
    def steps(self) -> list[WorkflowStep]:
        node = self.node.at("steps")
        items = node.items if isinstance(node, Sequence) else []
        found = {id(item): WorkflowStep(item) for item in items if isinstance(item, Mapping)}
        return list(found.values())

    @property
    def condition(self) -> Scalar | None:
        return self.node.scalar("if")


class Workflow:
    """A workflow, or an ``action.yml``."""

    def __init__(self, root: Node | None) -> None:
        self.root = root if isinstance(root, Mapping) else Mapping(0)

    @cached_property
    def triggers(self) -> dict[str, Node]:
        """The events that start it, with their filters."""
        on = self.root.get("on")
        if isinstance(on, Scalar):
            return {on.value: on}
        if isinstance(on, Sequence):
            return {item.value: item for item in on.items if isinstance(item, Scalar)}
        return {key.value: value for key, value in on.entries} if isinstance(on, Mapping) else {}

    @cached_property
    def jobs(self) -> list[WorkflowJob]:
        """Its jobs in order."""
        entries = self.root.mapping("jobs").entries
        found = {id(v): WorkflowJob(k.value, k, v) for k, v in entries if isinstance(v, Mapping)}
        return list(found.values())

    @cached_property
    def all_steps(self) -> list[tuple[WorkflowJob, WorkflowStep]]:
        """Every step with its job; steps of a composite action included."""
        runs = self.root.mapping("runs")
        jobs = [*self.jobs, *([WorkflowJob("", None, runs)] if runs.entries else [])]
        return [(job, step) for job in jobs for step in job.steps]

    def shell(self, job: WorkflowJob | None, step: WorkflowStep) -> str:
        """Return the shell of a step as written in the step, its job or the workflow; empty if nowhere."""
        default = self.root.text("defaults", "run", "shell")
        of_job = "" if job is None else job.node.text("defaults", "run", "shell")
        return step.node.text("shell") or of_job or default

    def is_started_by_forks(self) -> bool:
        """Return True if a fork can start it with the repository's permissions."""
        return any(event in self.triggers for event in FROM_FORKS)


class Expression(Struct, frozen=True):
    """A ``${{ ... }}``: its contents, and its offsets including the braces."""

    inside: str
    start: int
    end: int


def expressions(text: str, start: int) -> Iterator[Expression]:
    """Yield the expressions of a text that begins at an offset of the file."""
    for found in _EXPRESSION.finditer(text):
        yield Expression(found.group(1).strip(), start + found.start(), start + found.end())
