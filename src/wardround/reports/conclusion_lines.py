"""The section of the text report about the conclusion: the notes of the planes, the ticket, the verdict."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.change.repository import INDEX, WORKTREE
from wardround.context.run_summary import shows_lines
from wardround.planes.criterion.results import CriterionState
from wardround.reports.change_tests import change_tests_line
from wardround.reports.finding_lines import Style
from wardround.reports.plane_notes import plane_note_lines
from wardround.reports.repetitions import repetition_notes
from wardround.reports.run import run_lines
from wardround.reports.surface import surface_lines
from wardround.reports.terminal import wrapped
from wardround.review import ReviewResult
from wardround.text.escaping import one_line

_REASONS = 3
"""The number of reasons that the line of the verdict shows; --format json has all."""


def conclusion_lines(review: ReviewResult, style: Style) -> list[str]:
    """Return the lines from the repetitions to the verdict."""
    return [
        *_repetitions(review),
        *surface_lines(review.conclusion.evidence.surface),
        *plane_note_lines(review.conclusion.evidence),
        *_intent(review),
        *_ticket(review, style),
        *_tests(review),
        *run_lines(review.conclusion.context.ran),
        *_verdict(review),
    ]


def _intent(review: ReviewResult) -> Iterator[str]:
    """Return the notes about the intent of the change, and the files to read with it."""
    intent = review.conclusion.evidence.intent
    for scope in intent.scope:
        text = f"{scope.file}:{scope.line} is outside the stated intent: {scope.reason}"
        yield from wrapped(one_line(text), 2, "note: ")
    for kind in intent.kind:
        text = f"{kind.file}:{kind.line} is more than the message states, {kind.stated}: {kind.reason}"
        yield from wrapped(one_line(text), 2, "note: ")
    for related in intent.related:
        yield from wrapped(one_line(f"{related.file}: {related.reason}"), 2, "read also: ")


def _repetitions(review: ReviewResult) -> Iterator[str]:
    """Return a note for each added function that repeats an existing one."""
    for note in repetition_notes(review):
        yield from wrapped(one_line(f"{note.path}:{note.line} {note.message}"), 2, "note: ")


_STATES = {"met": "add", "not-met": "warn", "not-checkable": "dim"}


def _ticket(review: ReviewResult, style: Style) -> Iterator[str]:
    """Return the acceptance criteria of the ticket with their states and the lines that show them."""
    ticket = review.conclusion.context.ticket
    if ticket is None:
        return
    yield style(one_line(f"ticket {ticket.key}: {ticket.title}"), "bold")
    texts = {criterion.id: criterion.text for criterion in ticket.criteria}
    for result in review.conclusion.evidence.criteria:
        head = f"  {result.state.value.replace('-', ' '):<14} "
        spans = "".join(f"  {one_line(span.file)}:{span.line}" for span in result.spans[:_REASONS])
        why = f" ({one_line(result.reason)})" if result.state is CriterionState.NOT_MET else ""
        text = f"{result.criterion}: {one_line(texts.get(result.criterion, ''))}{spans}{why}"
        yield from wrapped(text, len(head), head, style(head, _STATES[result.state.value]))
    for part in ticket.unparsed[:_REASONS]:
        yield from wrapped(one_line(part), 17, "  not parsed     ")
    if not ticket.criteria:
        yield "  it has no acceptance criteria"
    yield ""


def _tests(review: ReviewResult) -> list[str]:
    """Return the tests that reach the change and the changed lines that ran."""
    conclusion = review.conclusion
    is_run = shows_lines(conclusion.context.ran.tests)
    line = change_tests_line(conclusion.evidence.tests, is_shown_by_run=is_run)
    return wrapped(one_line(line), 2, "tests: ") if line else []


def _verdict(review: ReviewResult) -> list[str]:
    """Return the verdict with its first reasons, where somebody is to act on it.

    Nobody approves an uncommitted change, for which only a verdict that blocks is shown.
    """
    verdict = review.conclusion.verdict
    is_uncommitted = review.change.head in (INDEX, WORKTREE) and not review.verbose
    if not review.change.files or (is_uncommitted and not verdict.is_declined):
        return []
    explaining = [
        reason for reason in verdict.reasons if not reason.policy.endswith(f"#tiers.{verdict.tier}")
    ]
    texts = [one_line(reason.text) for reason in explaining]
    more = f" (and {len(texts) - _REASONS} more)" if len(texts) > _REASONS else ""
    approvals = f", {verdict.approvals} approvals" if verdict.approvals else ""
    reasons = "; ".join(texts[:_REASONS])
    return wrapped(f"{verdict.name} ({verdict.tier}{approvals}): {reasons}{more}", 2, "verdict: ")
