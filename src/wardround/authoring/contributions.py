"""The stages that wardround contributes, through the same plugin hooks as others.

Each entry is a coroutine function: ``RunInputs`` -> the stage of one run.
"""

from __future__ import annotations

from functools import partial

from wardround.authoring.context.localization import with_text
from wardround.authoring.encoder import encoder_of
from wardround.authoring.endpoint.author import EndpointAuthor
from wardround.authoring.instance import RepositoryInstances
from wardround.authoring.repair.author import EditAuthor
from wardround.authoring.run_inputs import AUTHOR, LOCALIZATION, RunInputs
from wardround.authoring.selection.first import FirstPatch
from wardround.authoring.selection.vote import MajorityVote
from wardround.authoring.stages import Localization, PatchGeneration, Selection
from wardround.authoring.steps.chosen_code import ChosenCode
from wardround.authoring.steps.retrieve import ExecutedCode
from wardround.authoring.steps.revise import shown_attempts
from wardround.authoring.steps.route import CONTEXT, HIERARCHICAL
from wardround.authoring.steps.task_context import ContextOfTask


async def executed_code(inputs: RunInputs) -> Localization:
    """Return the localization by the functions that failing tests execute."""
    return ExecutedCode(inputs)


async def context_of_task(inputs: RunInputs) -> Localization:
    """Return the localization by the words of the task, with the executed functions first."""
    return ContextOfTask(inputs, CONTEXT, ExecutedCode(inputs).suspects)


async def words(inputs: RunInputs) -> Localization:
    """Return the localization by words, names, history and the code graph."""
    return ContextOfTask(inputs, "words")


async def embeddings(inputs: RunInputs) -> Localization:
    """Return the localization by the vectors of the encoder alone."""
    return ContextOfTask(inputs, "embeddings", encoder=partial(encoder_of, inputs.work, is_alone=True))


async def fusion(inputs: RunInputs) -> Localization:
    """Return the localization by words and vectors together."""
    return ContextOfTask(inputs, "fusion", encoder=partial(encoder_of, inputs.work, is_alone=False))


async def hierarchical(inputs: RunInputs) -> Localization:
    """Return the localization by the endpoint of the author: files first, then functions in them."""
    chosen = ChosenCode(await inputs.role(LOCALIZATION), inputs)
    return ContextOfTask(inputs, HIERARCHICAL, chosen.suspects)


async def edits(inputs: RunInputs) -> PatchGeneration:
    """Return the author without a model."""
    return EditAuthor(inputs)


async def endpoint(inputs: RunInputs) -> PatchGeneration:
    """Return the author by the endpoint with that role."""
    role = await inputs.role(AUTHOR)
    work = inputs.work
    instances = RepositoryInstances(work.repository, [work.instance])
    return EndpointAuthor(
        role,
        instances,
        inputs.read,
        inputs.failing_tests.shown_tests,
        lambda: shown_attempts(inputs.attempts),
        lambda found: with_text(work.repository, work.instance.base, found, work.settings.tokens),
    )


async def first_patch(inputs: RunInputs) -> Selection:
    """Return the selection of the first patch."""
    return FirstPatch()


async def majority_vote(inputs: RunInputs) -> Selection:
    """Return the selection by majority vote over behaviour."""
    return MajorityVote(inputs)
