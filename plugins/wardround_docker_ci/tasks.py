"""The training task of this specialist: match the name of a step with its commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.languages.yaml.tree import documents
from wardround.retrieval.lexical_features import OVERLAP_NAMES, lexical_features
from wardround.training_tasks import Choice, History, Task
from wardround_docker_ci.models.github_workflow import Workflow, WorkflowStep
from wardround_lab.tasks.comment_code_pairs import CommentCodePair, mine_pair_choices

_PATTERNS = ("*.yml", "*.yaml")
_WORKFLOW = re.compile(r"^(?:jobs|runs):", re.MULTILINE)
_FEWEST_WORDS = 2


def tasks() -> list[Task]:
    """Return the tasks of this plugin."""
    return [
        Task(
            name="step-commands",
            specialist="docker-ci",
            title="which commands does this step's name announce",
            mine=_mine,
            features=lexical_features,
            feature_names=OVERLAP_NAMES,
        )
    ]


def _mine(history: History) -> Iterator[Choice]:
    return mine_pair_choices(history, _PATTERNS, _pairs)


def _pairs(path: str, text: str) -> list[CommentCodePair]:
    """Return the named steps of a workflow or action in any directory, each with its commands."""
    if not _WORKFLOW.search(text):
        return []
    try:
        roots = documents(text)
    except SyntaxError:
        return []
    steps = [step for root in roots for _, step in Workflow(root).all_steps]
    named = [(step.node.scalar("name"), step) for step in steps]
    return [
        CommentCodePair(name.value.strip(), commands_of(step))
        for name, step in named
        if name is not None and len(name.value.split()) >= _FEWEST_WORDS and "${{" not in name.value
    ]


def commands_of(step: WorkflowStep) -> str:
    """Return the work of a step as text: its script, or its action with the inputs."""
    if step.run is not None:
        return step.run.value.strip()
    if step.uses is None:
        return ""
    return "\n".join([f"uses: {step.uses.value.strip()}", *_inputs(step.inputs)])


def _inputs(inputs: Mapping) -> list[str]:
    return [f"{key.value}: {value.value}" for key, value in inputs.entries if isinstance(value, Scalar)]
