"""The TypeScript and React specialist's plugin hooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.hookspecs import hookimpl
from wardround.specialists import Specialist

if TYPE_CHECKING:
    from wardround.training_tasks import Task


@hookimpl
def wardround_specialists() -> Sequence[Specialist]:
    from wardround_typescript.specialist import TypescriptSpecialist

    return [TypescriptSpecialist()]


@hookimpl
def wardround_tasks() -> Sequence[Task]:
    from wardround_typescript.tasks import tasks

    return tasks()
