"""The analyses of the texts of a change, whose results join the evidence of the planes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from wardround.change.change_source import ChangeSource, FileTexts, GitChangeSource
from wardround.change.diff import Change
from wardround.change.encoding import escape_undecodable
from wardround.config.request import ReviewRequest
from wardround.context.change_tests import ChangeTests
from wardround.context.code_context import CodeContext
from wardround.context.cost_notes import CostNotes
from wardround.context.repetition import Repetition, RepetitionKind
from wardround.context.surface.model import Surface
from wardround.context.symbol_moves import adds_definitions, find_moves
from wardround.context.symbol_neighbours import SymbolNeighbours
from wardround.errors import ModelError
from wardround.execution.change_check_runner import GRAPH_LIMITS
from wardround.planes.analysed_change import AnalysedChange
from wardround.planes.criterion.results import CriterionResult
from wardround.planes.evidence import Exchange, ToolEvidence
from wardround.planes.intent_analysis import intent_notes
from wardround.planes.intent_notes import IntentNotes
from wardround.semantics.boundary_notes import BoundaryNote
from wardround.semantics.supply_chain.notes import SupplyChainNotes
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
        supply_chain: the dependencies, lock files and install scripts that the change affects.
        boundaries: the places on a trust boundary that the change touches.
        cost: the functions on hot paths that the change makes more complex, and large additions.
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
    supply_chain: SupplyChainNotes = SupplyChainNotes()
    boundaries: tuple[BoundaryNote, ...] = ()
    cost: CostNotes = CostNotes()


def analyse_change(changed: AnalysedChange, exchanges: tuple[Exchange, ...]) -> Analyses:
    """Run the analyses that apply to a review."""
    found = changed.source.messages(changed.change)[:_MOST_MESSAGES]
    messages = tuple(escape_undecodable(text)[:_LONGEST_MESSAGE] for text in found)
    embedder = _embedder(changed)
    repetitions = _repetitions(changed, embedder)
    return Analyses(
        messages=messages,
        code=changed.code,
        criteria=_criteria(changed),
        exchanges=exchanges,
        intent=intent_notes(messages, changed.source, changed.context, changed.request),
        repetitions=repetitions,
        models=_models(repetitions, embedder),
        surface=changed.published.surface,
        tests=_tests(changed),
        supply_chain=_supply_chain(changed),
        boundaries=_boundaries(changed),
        cost=_cost(changed),
    )


def code_context(source: ChangeSource, change: Change, request: ReviewRequest) -> CodeContext:
    """Find the code context of a change; not at commit, where nobody decides by it."""
    if request.profile is not Profile.CI:
        return CodeContext()
    texts = FileTexts(source, change)
    moves = find_moves(change, lambda file, base: texts.readable(file.path, base=base))
    return CodeContext(moves, _neighbours(source, change))


def _neighbours(source: ChangeSource, change: Change) -> tuple[SymbolNeighbours, ...]:
    if not isinstance(source, GitChangeSource) or not change.files:
        return ()
    from wardround.context.code_graph.change_neighbours import neighbours_of  # loads grammars: 15 ms

    return neighbours_of(source, change, GRAPH_LIMITS[Profile.CI])


def _repetitions(changed: AnalysedChange, embedder: BaseEmbedder | None) -> tuple[Repetition, ...]:
    """Find the added functions that repeat an existing one; not at commit, where it takes too long."""
    source, change = changed.git_source, changed.change
    if not changed.is_ci or source is None or not adds_definitions(change, changed.read):
        return ()
    from wardround.context.code_graph.base_repetitions import repetitions_of  # loads grammars: 15 ms

    moves = changed.code.moves
    return repetitions_of(source, change, changed.read, moves, changed.graph_limit, embedder)


def _embedder(changed: AnalysedChange) -> BaseEmbedder | None:
    """Return the base model; None at commit, in a review without models, and if it is not installed."""
    source, settings = changed.git_source, changed.config.root
    is_used = changed.is_ci and changed.request.use_models and settings.models != "off"
    if source is None or not is_used or not adds_definitions(changed.change, changed.read):
        return None
    from wardround.inference.base_embedder import base_embedder  # only with models

    try:
        return base_embedder(settings, source.repository.root)
    except ModelError:
        return None


def _models(repetitions: Sequence[Repetition], embedder: BaseEmbedder | None) -> tuple[ToolEvidence, ...]:
    """Return the base model if some of the repetitions are from it."""
    if embedder is None or all(one.kind is not RepetitionKind.MEANING for one in repetitions):
        return ()
    return (ToolEvidence("model base", embedder.version),)


def _tests(changed: AnalysedChange) -> ChangeTests:
    """Find the tests of the change; not at commit, where no profile requires them."""
    if not changed.is_ci or not changed.change.files:
        return ChangeTests()
    from wardround.planes.change_tests import SearchedChange, find_change_tests  # loads grammars: 15 ms

    searched = SearchedChange(
        changed.source, changed.context, changed.specialists, changed.code.moves, changed.read
    )
    return find_change_tests(searched, changed.config.root.coverage_files, changed.graph_limit)


def _supply_chain(changed: AnalysedChange) -> SupplyChainNotes:
    """Compare dependencies; not at commit, where a large lock file takes too long."""
    if not changed.is_ci:
        return SupplyChainNotes()
    from wardround.planes.supply_chain import supply_chain_of  # has readers that commits do not need

    return supply_chain_of(changed.source, changed.change)


def _boundaries(changed: AnalysedChange) -> tuple[BoundaryNote, ...]:
    """Find the trust boundaries; not at commit, where no policy counts people."""
    if not changed.is_ci:
        return ()
    from wardround.planes.boundary_analysis import boundaries_of  # has patterns that commits do not need

    return boundaries_of(changed.change, changed.read, changed.test_paths)


def _cost(changed: AnalysedChange) -> CostNotes:
    """Find growth on hot paths and large additions; not at commit, where the graph may not exist."""
    if not changed.is_ci:
        return CostNotes()
    from wardround.context.growth import growth_of  # loads grammars: 15 ms
    from wardround.context.weights import weights_of

    source, change = changed.git_source, changed.change
    weights = weights_of(change, changed.source.content, changed.read)
    growth = growth_of(source, change, changed.read, changed.graph_limit) if source else ()
    return CostNotes(growth, weights)


def _criteria(changed: AnalysedChange) -> tuple[CriterionResult, ...]:
    """Judge the acceptance criteria of the ticket, if there is one."""
    if changed.request.ticket is None:
        return ()
    from wardround.planes.changed_sources import changed_sources
    from wardround.planes.criteria import judge_criteria

    sources = changed_sources(changed.change, changed.read, changed.test_paths)
    return judge_criteria(changed.request.ticket, sources)
