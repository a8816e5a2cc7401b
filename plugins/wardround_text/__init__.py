"""The plugin hooks of the specialists for all text files: the text specialist and the project's own rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.hookspecs import hookimpl
from wardround.specialists import Specialist

if TYPE_CHECKING:
    from wardround.training_tasks import TextTask


@hookimpl
def wardround_specialists() -> Sequence[Specialist]:
    from wardround_text.project_rules import ProjectRulesSpecialist
    from wardround_text.specialist import TextSpecialist

    return [TextSpecialist(), ProjectRulesSpecialist()]


@hookimpl
def wardround_tasks() -> Sequence[TextTask]:
    from wardround_text.tasks import tasks

    return tasks()
