"""The plugin hooks of the specialists for Python and for its HTML templates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.hookspecs import hookimpl
from wardround.specialists import Specialist

if TYPE_CHECKING:
    from wardround.training_tasks import AnyTask


@hookimpl
def wardround_specialists() -> Sequence[Specialist]:
    from wardround_python.specialist import PythonSpecialist
    from wardround_python.templates.specialist import TemplatesSpecialist

    return [PythonSpecialist(), TemplatesSpecialist()]


@hookimpl
def wardround_tasks() -> Sequence[AnyTask]:
    from wardround_python.tasks import tasks

    return tasks()
