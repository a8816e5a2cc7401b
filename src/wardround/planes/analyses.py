"""The analyses of the texts of a change, whose results join the evidence of the planes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from wardround.change.change_source import ChangeSource, FileTexts, GitChangeSource
from wardround.change.diff import Change, ChangedFile
from wardround.change.encoding import escape_undecodable
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config, RunSettings
from wardround.context.change_tests import ChangeTests
from wardround.context.code_context import CodeContext
from wardround.context.repetition import Repetition, RepetitionKind
from wardround.context.review_context import ReviewContext
from wardround.context.surface.model import Surface
from wardround.context.surface.published import PublishedSurface
from wardround.context.symbol_moves import SymbolMove, adds_definitions, find_moves
from wardround.context.symbol_neighbours import SymbolNeighbours
from wardround.errors import ModelError
from wardround.execution.change_check_runner import GRAPH_LIMITS
from wardround.planes.criterion.results import CriterionResult
from wardround.planes.evidence import Exchange, ToolEvidence
from wardround.planes.intent_analysis import intent_notes
from wardround.planes.intent_notes import IntentNotes
from wardround.specialists import Specialist
from wardround.tools.tool import Profile

if TYPE_CHECKING:
    from wardround.inference.base_embedder import BaseEmbedder

_MOST_MESSAGES = 100
_LONGEST_MESSAGE = 10_000
"""The limits on commit messages, in characters; they bound the size of a record."""


class Analyses(msgspec.Struct, frozen=True):
    """The results of the analyses; each is a field of the evidence.

    Attributes:
        messages: of the newest commits of the change, newest first.
        code: the moved symbols, and the neighbours of those that the change modifies.
        criteria: the states of the acceptance criteria of the ticket.
        exchanges: the calls of a language model.
        intent: the notes about the scope of the change, its kind, and the files to read with it.
        repetitions: the added functions that repeat an existing one.
        models: that some of the repetitions are from.
        surface: the changes of what others outside of the repository rely on.
        tests: the tests that reach the changed functions, and the changed lines that ran.
    """

    messages: tuple[str, ...] = ()
    code: CodeContext = CodeContext()
    criteria: tuple[CriterionResult, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    intent: IntentNotes = IntentNotes()
    repetitions: tuple[Repetition, ...] = ()
    models: tuple[ToolEvidence, ...] = ()
    surface: Surface = Surface()
    tests: ChangeTests = ChangeTests()


def analyse_change(
    source: ChangeSource,
    context: ReviewContext,
    request: ReviewRequest,
    code: CodeContext,
    config: Config,
    specialists: Sequence[Specialist],
    exchanges: tuple[Exchange, ...],
    published: PublishedSurface,
) -> Analyses:
    """Run the analyses that apply to a review.

    Args:
        code: as ``code_context`` found it, before a language model saw the change.
        published: the surfaces that others rely on.
        specialists: that take part in the review.
    """
    found = source.messages(context.change)[:_MOST_MESSAGES]
    messages = tuple(escape_undecodable(text)[:_LONGEST_MESSAGE] for text in found)
    embedder = cache(lambda: _embedder(source, config.root, request))
    repetitions = _repetitions(source, context.change, request, code.moves, embedder)
    return Analyses(
        messages=messages,
        code=code,
        criteria=_criteria(source, context, request),
        exchanges=exchanges,
        intent=intent_notes(messages, source, context, request),
        repetitions=repetitions,
        models=_models(repetitions, embedder),
        surface=published.surface,
        tests=_tests(source, context, request, config, specialists, code.moves),
    )


def code_context(source: ChangeSource, change: Change, request: ReviewRequest) -> CodeContext:
    """Find the code context of a change; not at commit, where nobody decides by it."""
    if request.profile is not Profile.CI:
        return CodeContext()
    return CodeContext(find_moves(change, _reader(source, change)), _neighbours(source, change))


def _neighbours(source: ChangeSource, change: Change) -> tuple[SymbolNeighbours, ...]:
    if not isinstance(source, GitChangeSource) or not change.files:
        return ()
    from wardround.context.code_graph.change_neighbours import neighbours_of  # loads grammars: 15 ms

    return neighbours_of(source, change, GRAPH_LIMITS[Profile.CI])


def _repetitions(
    source: ChangeSource,
    change: Change,
    request: ReviewRequest,
    moves: tuple[SymbolMove, ...],
    embedder: Callable[[], BaseEmbedder | None],
) -> tuple[Repetition, ...]:
    """Find the added functions that repeat an existing one; at commit only with a graph that is built."""
    read, is_commit = _reader(source, change), request.profile is Profile.COMMIT
    if not isinstance(source, GitChangeSource) or not adds_definitions(change, read):
        return ()
    from wardround.context.code_graph.base_repetitions import repetitions_of  # loads grammars: 15 ms

    def find() -> tuple[SymbolMove, ...]:
        return find_moves(change, read) if is_commit else moves

    return repetitions_of(source, change, read, find, GRAPH_LIMITS[request.profile], embedder())


def _embedder(source: ChangeSource, settings: RunSettings, request: ReviewRequest) -> BaseEmbedder | None:
    """Return the base model; None at commit, in a review without models, and if it is not installed."""
    is_used = request.profile is Profile.CI and request.use_models and settings.models != "off"
    if not is_used or not isinstance(source, GitChangeSource):
        return None
    from wardround.inference.base_embedder import base_embedder  # only with models

    try:
        return base_embedder(settings, source.repository.root)
    except ModelError:
        return None


def _models(
    repetitions: Sequence[Repetition], embedder: Callable[[], BaseEmbedder | None]
) -> tuple[ToolEvidence, ...]:
    """Return the base model if some of the repetitions are from it."""
    used = embedder() if any(one.kind is RepetitionKind.MEANING for one in repetitions) else None
    return () if used is None else (ToolEvidence("model base", used.version),)


def _tests(
    source: ChangeSource,
    context: ReviewContext,
    request: ReviewRequest,
    config: Config,
    specialists: Sequence[Specialist],
    moves: tuple[SymbolMove, ...],
) -> ChangeTests:
    """Find the tests of the change; not at commit, where no profile requires them."""
    if request.profile is not Profile.CI or not context.change.files:
        return ChangeTests()
    from wardround.planes.change_tests import SearchedChange, find_change_tests  # loads grammars: 15 ms

    read = _reader(source, context.change)
    inputs = SearchedChange(source, context, specialists, moves, read)
    return find_change_tests(inputs, config.root.coverage_files, GRAPH_LIMITS[request.profile])


def _criteria(
    source: ChangeSource, context: ReviewContext, request: ReviewRequest
) -> tuple[CriterionResult, ...]:
    """Judge the acceptance criteria of the ticket, if there is one."""
    if request.ticket is None:
        return ()
    from wardround.planes.changed_sources import changed_sources
    from wardround.planes.criteria import judge_criteria

    tests = {one.file.path for one in context.claimed if any(s.name == "tests" for s in one.specialists)}
    return judge_criteria(
        request.ticket, changed_sources(context.change, _reader(source, context.change), tests)
    )


def _reader(source: ChangeSource, change: Change) -> Callable[[ChangedFile, bool], str | None]:
    texts = FileTexts(source, change)
    return lambda file, base: texts.readable(file.path, base=base)
