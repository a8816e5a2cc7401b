"""Training task for texts about a change: classify the stated kind of task."""

from __future__ import annotations

from wardround.text.task_kinds import KINDS
from wardround.training_tasks import TextTask
from wardround_lab.tasks.task_kinds import labelled_messages


def tasks() -> list[TextTask]:
    """The tasks of this plugin."""
    return [
        TextTask(
            name="kind",
            specialist="text",
            title="the kind of task that a commit message, a ticket or an issue states",
            classes=KINDS,
            mine=labelled_messages,
        )
    ]
