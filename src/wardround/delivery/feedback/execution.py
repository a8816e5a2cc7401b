"""Writing a plan to a change request, and comparing again until nothing is missing.

Every run reads the state after it wrote. Of two runs at once, the one that wrote last sees what both wrote
and deletes the younger copy of each comment. After a lost response, the next comparison shows whether it
arrived.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from wardround.delivery.code_hosts.code_host import CodeHost
from wardround.delivery.code_hosts.errors import HostError, LostResponse
from wardround.delivery.feedback.comment_text import FindingComments
from wardround.delivery.feedback.head_texts import HeadTexts
from wardround.delivery.feedback.plan import FeedbackPlan, plan_feedback
from wardround.delivery.feedback.state import FeedbackState, read_state
from wardround.delivery.feedback.suggestions import Suggestions
from wardround.delivery.feedback.summary_comment import summary_comment
from wardround.delivery.reported_review import ReportedReview

_MOST_ROUNDS = 6
"""Comparisons after which a change request that other runs keep changing is given up."""


class PostSettings(msgspec.Struct, frozen=True, eq=False):
    """The settings of a post.

    Attributes:
        most_comments: of this account that are open at a time.
        run_url: address of the run with the complete report.
        complaint: (path, text) -> why the text does not parse, or None.
    """

    most_comments: int
    run_url: str
    complaint: Callable[[str, str], str | None]


class PostResult(msgspec.Struct, frozen=True):
    """The comments that a post wrote.

    Attributes:
        skipped: why nothing was written; empty if something may have been.
        plan: of the first comparison.
    """

    plan: FeedbackPlan = FeedbackPlan()
    is_summary_new: bool = False
    is_summary_changed: bool = False
    skipped: str = ""


class FeedbackPost:
    """Posts one review to one change request."""

    def __init__(self, host: CodeHost, review: ReportedReview, settings: PostSettings) -> None:
        self._host = host
        self._review = review
        self._settings = settings
        self._texts = HeadTexts(host.feedback, review.commit)

    def plan(self) -> PostResult:
        """Return the operations that are missing, and write nothing."""
        request = self._host.change_request()
        if skipped := self._texts.stale_reason(request):
            return PostResult(skipped=skipped)
        state = self._read()
        return self._result(self._plan(state), state)

    def post(self) -> PostResult:
        """Write what is missing.

        Raises:
            RefusedByHost: the host refuses a request.
            HostError: it fails, or other runs change the change request all the time.
        """
        first = self.plan()
        if first.skipped:
            return first
        for _ in range(_MOST_ROUNDS):
            if stale := self._texts.stale_reason(self._host.change_request()):
                return PostResult(plan=first.plan, skipped=stale)
            state = self._read()
            plan = self._plan(state)
            if self._is_complete(plan, state):
                return first
            try:
                self._write(plan, state)
            except LostResponse:
                continue  # the next comparison shows whether it arrived
        raise HostError("other runs keep changing the comments of this change request; run post again")

    def _read(self) -> FeedbackState:
        return read_state(self._host, self._host.feedback.changed_lines())

    def _plan(self, state: FeedbackState) -> FeedbackPlan:
        suggestions = Suggestions(self._texts.text, self._settings.complaint, state.changed_lines)
        comments = FindingComments(suggestions)
        return plan_feedback(
            self._review, state, comments, self._texts.has_same_lines, self._settings.most_comments
        )

    def _summary(self, plan: FeedbackPlan) -> str:
        return summary_comment(self._review, plan, self._settings.run_url)

    def _is_complete(self, plan: FeedbackPlan, state: FeedbackState) -> bool:
        if plan.changes_threads or not state.summaries:
            return False
        return state.summaries[0].body == self._summary(plan)

    def _result(self, plan: FeedbackPlan, state: FeedbackState) -> PostResult:
        is_new = not state.summaries
        return PostResult(plan, is_new, is_new or state.summaries[0].body != self._summary(plan))

    def _write(self, plan: FeedbackPlan, state: FeedbackState) -> None:
        feedback = self._host.feedback
        for thread in plan.duplicate_threads:
            feedback.delete_thread(thread)
        for comment in plan.duplicate_summaries:
            feedback.delete_comment(comment)
        for thread in plan.resolve:
            feedback.resolve(thread)
        for thread in plan.reopen:
            feedback.reopen(thread)
        if plan.review_comments:
            feedback.post_review(self._texts.head, plan.review_comments)
        self._write_summary(plan, state)

    def _write_summary(self, plan: FeedbackPlan, state: FeedbackState) -> None:
        body = self._summary(plan)
        if not state.summaries:
            self._host.feedback.create_comment(body)
        elif state.summaries[0].body != body:
            self._host.feedback.update_comment(state.summaries[0], body)
