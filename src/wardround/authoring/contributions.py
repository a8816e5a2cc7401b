"""The stages that wardround contributes, through the same plugin hooks as others.

Each entry is a coroutine function: ``RunInputs`` -> the stage of one run.
"""

from __future__ import annotations

from wardround.authoring.endpoint.author import EndpointAuthor
from wardround.authoring.instance import RepositoryInstances
from wardround.authoring.repair.author import EditAuthor
from wardround.authoring.run_inputs import AUTHOR, RunInputs
from wardround.authoring.selection.first import FirstPatch
from wardround.authoring.selection.vote import MajorityVote
from wardround.authoring.stages import Localization, PatchGeneration, Selection
from wardround.authoring.steps.retrieve import ContextOfTask, ExecutedCode
from wardround.authoring.steps.revise import shown_attempts


async def executed_code(inputs: RunInputs) -> Localization:
    """Return the localization by the functions that failing tests execute."""
    return ExecutedCode(inputs)


async def context_of_task(inputs: RunInputs) -> Localization:
    """Return the localization by the words of the task and the executed functions, as ready text."""
    return ContextOfTask(inputs)


async def edits(inputs: RunInputs) -> PatchGeneration:
    """Return the author without a model."""
    return EditAuthor(inputs)


async def endpoint(inputs: RunInputs) -> PatchGeneration:
    """Return the author by the endpoint with that role."""
    role = await inputs.role(AUTHOR)
    instances = RepositoryInstances(inputs.work.repository, [inputs.work.instance])
    return EndpointAuthor(
        role,
        instances,
        inputs.read,
        inputs.failing_tests.shown_tests,
        lambda: shown_attempts(inputs.attempts),
    )


async def first_patch(inputs: RunInputs) -> Selection:
    """Return the selection of the first patch."""
    return FirstPatch()


async def majority_vote(inputs: RunInputs) -> Selection:
    """Return the selection by majority vote over behaviour."""
    return MajorityVote(inputs)
