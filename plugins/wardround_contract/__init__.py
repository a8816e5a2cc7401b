"""The contract specialist's plugin hooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.hookspecs import hookimpl
from wardround.specialists import Specialist

if TYPE_CHECKING:
    from wardround.training_tasks import Task


@hookimpl
def wardround_specialists() -> Sequence[Specialist]:
    from wardround_contract.specialist import ContractSpecialist

    return [ContractSpecialist()]


@hookimpl
def wardround_tasks() -> Sequence[Task]:
    from wardround_contract.tasks import tasks

    return tasks()
