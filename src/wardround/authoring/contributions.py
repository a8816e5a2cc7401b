"""The stages that wardround contributes, through the same plugin hooks as others.

Each entry is a coroutine function: ``RunInputs`` -> the stage of one run.
"""

from __future__ import annotations

from functools import partial

from wardround.authoring.context.localization import with_text
from wardround.authoring.encoder import encoder_of
from wardround.authoring.endpoint.author import AuthorQuestions, EndpointAuthor
from wardround.authoring.endpoint.fix_with_tests import CombinedAuthor, FixWithTests, SeparateAuthors
from wardround.authoring.endpoint.probing_author import ProbingAuthor
from wardround.authoring.endpoint.proposer import TestProposer
from wardround.authoring.endpoint.samples import SampledAuthor
from wardround.authoring.endpoint.test_answer import TestReader
from wardround.authoring.instance import RepositoryInstances
from wardround.authoring.judging_files import JudgingFiles
from wardround.authoring.probing import run_requested
from wardround.authoring.proposed_tests import ProposedTests
from wardround.authoring.repair.author import EditAuthor
from wardround.authoring.run_inputs import (
    AUTHOR,
    AUTHOR_WITH_PROBE,
    FIX_WITH_TESTS,
    LOCALIZATION,
    PROPOSER,
    RANKER,
    RunInputs,
)
from wardround.authoring.selection.first import FirstPatch
from wardround.authoring.selection.ranking import ModelRanking
from wardround.authoring.selection.score import ScoreSelection
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
    return EndpointAuthor(await inputs.role(AUTHOR), _questions(inputs), inputs.read)


async def samples(inputs: RunInputs) -> PatchGeneration:
    """Return the author by several samples of the endpoint with that role."""
    role, number = await inputs.role(AUTHOR), inputs.work.settings.samples
    return SampledAuthor(role, _questions(inputs), inputs.read, number)


async def fix_with_tests(inputs: RunInputs) -> PatchGeneration:
    """Return the author of a patch with its tests, in one answer."""
    role = await inputs.role(FIX_WITH_TESTS)
    author = CombinedAuthor(role, _questions(inputs), inputs.read, _test_reader(inputs))
    return FixWithTests(inputs.work, author, lambda tests: _report_tests(inputs, tests))


async def fix_and_tests(inputs: RunInputs) -> PatchGeneration:
    """Return the author of a patch and, apart, the proposer of tests."""
    questions = _questions(inputs)
    author = EndpointAuthor(await inputs.role(AUTHOR), questions, inputs.read)
    proposer = TestProposer(await inputs.role(PROPOSER), questions, _test_reader(inputs))
    authors = SeparateAuthors(author, proposer)
    return FixWithTests(inputs.work, authors, lambda tests: _report_tests(inputs, tests))


async def endpoint_with_probe(inputs: RunInputs) -> PatchGeneration:
    """Return the author that may look at the values of one run."""
    role = await inputs.role(AUTHOR_WITH_PROBE)
    return ProbingAuthor(role, _questions(inputs), inputs.read, partial(run_requested, inputs.work))


def _questions(inputs: RunInputs) -> AuthorQuestions:
    work = inputs.work
    return AuthorQuestions(
        RepositoryInstances(work.repository, [work.instance]),
        inputs.failing_tests.shown_tests,
        lambda: shown_attempts(inputs.attempts),
        lambda found: with_text(work.repository, work.instance.base, found, work.settings.tokens),
    )


def _test_reader(inputs: RunInputs) -> TestReader:
    return TestReader(inputs.read, JudgingFiles(inputs.work.host.specialists))


def _report_tests(inputs: RunInputs, tests: ProposedTests) -> None:
    inputs.report.proposed_tests = (*inputs.report.proposed_tests, tests)


async def first_patch(inputs: RunInputs) -> Selection:
    """Return the selection of the first patch."""
    return FirstPatch()


async def score(inputs: RunInputs) -> Selection:
    """Return the selection by tests and static evidence."""
    return ScoreSelection(inputs)


async def ranking(inputs: RunInputs) -> Selection:
    """Return the selection by the ranking of the endpoint with that role."""
    return ModelRanking(inputs, await inputs.role(RANKER))


async def majority_vote(inputs: RunInputs) -> Selection:
    """Return the selection by majority vote over behaviour."""
    return MajorityVote(inputs)
