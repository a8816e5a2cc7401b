"""Acceptance criteria against a change: met only with added code or tests that show it.

A criterion is met in one of these cases:

- an added test states it in its title, asserts it, and exercises added code that is about it;
- all its literals (names, values, texts) are near one another in added code that is about its words;
- an added SQL statement or setting defines it.

Comments, docstrings, messages, documents, unused constants, dead code and tests without an assertion are no
evidence. A criterion about documents, work processes, appearance, measurements or judgements is not
checkable, as is one whose code is present but does not show it; the judge prefers that to a doubtful "met".
"""

from __future__ import annotations

from collections.abc import Sequence

from wardround.analyses.criterion.absent import judge_without_evidence
from wardround.analyses.criterion.added_change import AddedChange
from wardround.analyses.criterion.added_code import ChangedSource
from wardround.analyses.criterion.defaults import other_default
from wardround.analyses.criterion.demand import Demand, demand_of
from wardround.analyses.criterion.literals import judge_literals
from wardround.analyses.criterion.results import CriterionResult, Judgement, not_checkable, not_met
from wardround.analyses.criterion.settings import judge_config
from wardround.analyses.criterion.sql import judge_sql
from wardround.analyses.criterion.stating_tests import judge_by_test, judge_demanded_tests
from wardround.context.ticket.model import Ticket


def judge_criteria(ticket: Ticket, changed_files: Sequence[ChangedSource]) -> tuple[CriterionResult, ...]:
    """Judge each criterion of a ticket against the lines that a change adds; pure."""
    change = AddedChange(changed_files)
    results = []
    for criterion in ticket.criteria:
        judgement = _judge(demand_of(criterion.text), change)
        results.append(CriterionResult(criterion.id, judgement.state, judgement.spans, judgement.reason))
    return tuple(results)


def _judge(demand: Demand, change: AddedChange) -> Judgement:
    if demand.unverifiable:
        return not_checkable(f"{demand.unverifiable}, which code does not show")
    if not demand.words and not demand.literals:
        return not_checkable("it names nothing that code has")
    if demand.about_tests:
        return judge_demanded_tests(demand, change)
    if not change.implementation:
        return not_met("the change adds no code that could do it")
    if opposite := other_default(demand, change):
        return not_met(opposite)
    return _judge_by_evidence(demand, change) or judge_without_evidence(demand, change)


def _judge_by_evidence(demand: Demand, change: AddedChange) -> Judgement | None:
    """Return the judgement of the first kind of evidence that there is."""
    return (
        judge_by_test(demand, change)
        or judge_sql(demand, change.implementation)
        or judge_config(demand, change.implementation)
        or judge_literals(demand, change)
    )
