"""The plan of a repository, from what it has."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.setup_plan.hook_entries import hook_steps
from wardround.setup_plan.model import Plan
from wardround.setup_plan.pipelines import pipeline_steps
from wardround.setup_plan.settings import settings_step
from wardround.setup_plan.surroundings import Surroundings
from wardround.setup_plan.wardround_source import WardroundSource


def plan_setup(surroundings: Surroundings, source: WardroundSource) -> Plan:
    """Return what to create or change so that each commit and each change request is reviewed."""
    return Plan(
        (
            *hook_steps(surroundings, source),
            *pipeline_steps(surroundings, source),
            settings_step(surroundings),
        )
    )


def source_notes(source: WardroundSource) -> Iterator[str]:
    """Yield what a person should know about the source that the files name."""
    if source.is_local:
        yield f"{source.address} is a folder of this machine; name what everybody can clone: --source ADDRESS"
    elif not source.address:
        yield "the hook starts the installed wardround; --source ADDRESS names one to install"
