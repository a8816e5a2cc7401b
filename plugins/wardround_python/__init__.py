"""The Python specialist's plugin hooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.hookspecs import hookimpl
from wardround.specialists import Specialist

if TYPE_CHECKING:
    from wardround.tasks import AnyTask


@hookimpl
def wardround_specialists() -> Sequence[Specialist]:
    from wardround_python.specialist import specialist

    return [specialist()]


@hookimpl
def wardround_tasks() -> Sequence[AnyTask]:
    from wardround_python.tasks import tasks

    return tasks()
