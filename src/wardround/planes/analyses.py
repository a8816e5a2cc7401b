"""The analyses of the texts of a change, whose results join the evidence of the planes."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from wardround.change.change_source import ChangeSource, FileTexts, GitChangeSource
from wardround.change.diff import Change, ChangedFile
from wardround.change.encoding import escape_undecodable
from wardround.config.request import ReviewRequest
from wardround.context.code_context import CodeContext
from wardround.context.cost_notes import CostNotes
from wardround.context.repetition import Repetition
from wardround.context.review_context import ReviewContext
from wardround.context.symbol_moves import SymbolMove, adds_definitions, find_moves
from wardround.context.symbol_neighbours import SymbolNeighbours
from wardround.execution.change_check_runner import MOST_READ
from wardround.planes.criterion.results import CriterionResult
from wardround.planes.evidence import Exchange
from wardround.planes.intent_analysis import intent_notes
from wardround.planes.intent_notes import IntentNotes
from wardround.planes.supply_chain import supply_chain_of
from wardround.semantics.supply_chain.notes import SupplyChainNotes
from wardround.semantics.trust_boundaries import BoundaryNote
from wardround.tools.tool import Profile

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
        boundaries: the places on a trust boundary that the change touches.
        cost: the functions on hot paths that the change makes more complex, and large additions.
        supply_chain: the dependencies, lock files and install scripts that the change affects.
    """

    messages: tuple[str, ...] = ()
    code: CodeContext = CodeContext()
    criteria: tuple[CriterionResult, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    intent: IntentNotes = IntentNotes()
    repetitions: tuple[Repetition, ...] = ()
    supply_chain: SupplyChainNotes = SupplyChainNotes()
    boundaries: tuple[BoundaryNote, ...] = ()
    cost: CostNotes = CostNotes()


def analyse_change(
    source: ChangeSource,
    context: ReviewContext,
    request: ReviewRequest,
    code: CodeContext,
    exchanges: tuple[Exchange, ...],
) -> Analyses:
    """Run the analyses that apply to a review.

    Args:
        code: as ``code_context`` found it, before a language model saw the change.
    """
    found = source.messages(context.change)[:_MOST_MESSAGES]
    messages = tuple(escape_undecodable(text)[:_LONGEST_MESSAGE] for text in found)
    return Analyses(
        messages=messages,
        code=code,
        criteria=_criteria(source, context, request),
        exchanges=exchanges,
        intent=intent_notes(messages, source, context, request),
        repetitions=_repetitions(source, context.change, request, code.moves),
        supply_chain=_supply_chain(source, context.change, request),
        boundaries=_boundaries(source, context, request),
        cost=_cost(source, context.change, request),
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

    return neighbours_of(source, change, MOST_READ[Profile.CI])


def _repetitions(
    source: ChangeSource, change: Change, request: ReviewRequest, moves: tuple[SymbolMove, ...]
) -> tuple[Repetition, ...]:
    """Find the added functions that repeat an existing one; at commit only with a graph that is built."""
    read, is_commit = _reader(source, change), request.profile is Profile.COMMIT
    if not isinstance(source, GitChangeSource) or not adds_definitions(change, read):
        return ()
    from wardround.context.code_graph.base_repetitions import repetitions_of  # loads grammars: 15 ms

    def find() -> tuple[SymbolMove, ...]:
        return find_moves(change, read) if is_commit else moves

    return repetitions_of(source, change, read, find, MOST_READ[request.profile])


def _supply_chain(source: ChangeSource, change: Change, request: ReviewRequest) -> SupplyChainNotes:
    """Compare dependencies; not at commit, where a large lock file takes too long."""
    return supply_chain_of(source, change) if request.profile is Profile.CI else SupplyChainNotes()


def _boundaries(
    source: ChangeSource, context: ReviewContext, request: ReviewRequest
) -> tuple[BoundaryNote, ...]:
    """Find the trust boundaries; not at commit, where no policy counts people."""
    if request.profile is not Profile.CI:
        return ()
    from wardround.planes.boundary_analysis import (
        boundaries_of,
    )  # with the patterns, which commits do not need

    return boundaries_of(context.change, _reader(source, context.change), _tests(context))


def _cost(source: ChangeSource, change: Change, request: ReviewRequest) -> CostNotes:
    """Find growth on hot paths and large additions; not at commit, where the graph may not exist."""
    if request.profile is not Profile.CI:
        return CostNotes()
    from wardround.context.growth import growth_of  # loads grammars: 15 ms
    from wardround.context.weights import weights_of

    read = _reader(source, change)
    weights = weights_of(change, source.content, read)
    if not isinstance(source, GitChangeSource):
        return CostNotes(weights=weights)
    return CostNotes(growth_of(source, change, read, MOST_READ[request.profile]), weights)


def _tests(context: ReviewContext) -> frozenset[str]:
    """Return the paths of test files."""
    claimed = context.claimed
    return frozenset(one.file.path for one in claimed if any(s.name == "tests" for s in one.specialists))


def _criteria(
    source: ChangeSource, context: ReviewContext, request: ReviewRequest
) -> tuple[CriterionResult, ...]:
    """Judge the acceptance criteria of the ticket, if there is one."""
    if request.ticket is None:
        return ()
    from wardround.planes.changed_sources import changed_sources
    from wardround.planes.criteria import judge_criteria

    read = _reader(source, context.change)
    return judge_criteria(request.ticket, changed_sources(context.change, read, _tests(context)))


def _reader(source: ChangeSource, change: Change) -> Callable[[ChangedFile, bool], str | None]:
    texts = FileTexts(source, change)
    return lambda file, base: texts.readable(file.path, base=base)
