"""The acceptance criteria of the ticket of a change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from wardround.analyses.analysis import EVERY_PROFILE, Analysis, ReportLine
from wardround.analyses.criterion.results import CriterionResult, CriterionState
from wardround.context.document import ContextDocument
from wardround.context.ticket.model import Ticket
from wardround.findings import Plane

if TYPE_CHECKING:
    from wardround.analyses.change_view import ChangeView

CRITERIA_MET = "criteria-met"
CriterionResults = tuple[CriterionResult, ...]
_SHOWN = 3
"""The number of places and of unparsed parts that the report shows."""
_STYLES = {CriterionState.MET: "add", CriterionState.NOT_MET: "warn", CriterionState.NOT_CHECKABLE: "dim"}


class AcceptanceCriteria(Analysis[CriterionResults]):
    """The state of each criterion of the ticket by the code and the tests that the change adds."""

    name = "criteria"
    plane = Plane.INTENT
    profiles = EVERY_PROFILE
    notes_type = CriterionResults

    def analyse(self, view: ChangeView) -> CriterionResults:
        ticket = view.review.request.ticket
        if ticket is None:
            return ()
        from wardround.analyses.criterion.changed_sources import changed_sources  # with readers of code
        from wardround.analyses.criterion.judge import judge_criteria

        return judge_criteria(ticket, changed_sources(view.change, view.read, view.test_paths))

    def variables(self, notes: CriterionResults, context: ContextDocument) -> Mapping[str, Any]:
        states = [result.state for result in notes]
        ticket = {
            "key": "" if context.ticket is None else context.ticket.key,
            "met": states.count(CriterionState.MET),
            "not_met": states.count(CriterionState.NOT_MET),
            "not_checkable": states.count(CriterionState.NOT_CHECKABLE),
        }
        return {"ticket": ticket}

    def lines(self, notes: CriterionResults, context: ContextDocument) -> Iterator[ReportLine]:
        """Yield the criteria with their states and the lines that show them."""
        ticket = context.ticket
        if ticket is None:
            return
        yield ReportLine("", f"ticket {ticket.key}: {ticket.title}", style="bold")
        for result in notes:
            yield _line(result, ticket)
        for part in ticket.unparsed[:_SHOWN]:
            yield ReportLine(part, "  not parsed     ", indent=17)
        if not ticket.criteria:
            yield ReportLine("it has no acceptance criteria", "  ")
        yield ReportLine("")

    def measured_sources(self, notes: CriterionResults) -> Iterator[str]:
        if notes:
            yield CRITERIA_MET


def _line(result: CriterionResult, ticket: Ticket) -> ReportLine:
    """Return the line of a criterion; its text is in the column after the longest state."""
    head = f"  {result.state.value.replace('-', ' '):<14} "
    texts = {criterion.id: criterion.text for criterion in ticket.criteria}
    locations = "".join(f"  {span.file}:{span.line}" for span in result.spans[:_SHOWN])
    reason = f" ({result.reason})" if result.state is CriterionState.NOT_MET else ""
    text = f"{result.criterion}: {texts.get(result.criterion, '')}{locations}{reason}"
    return ReportLine(text, head, len(head), _STYLES[result.state])
