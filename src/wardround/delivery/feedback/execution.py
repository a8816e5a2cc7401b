"""Writing a plan to a change request, and comparing again until nothing is missing.

Every run reads the state after it wrote. Of two runs at once, the one that wrote last sees what both wrote
and deletes the younger copy of each comment. After a lost response, the next comparison shows whether it
arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from wardround.delivery.code_hosts.code_host import CodeHost
from wardround.delivery.code_hosts.errors import HostError, LostResponse, RefusedByHost
from wardround.delivery.code_hosts.model import LineComment, Thread
from wardround.delivery.feedback.comment_text import FindingComments
from wardround.delivery.feedback.head_texts import HeadTexts
from wardround.delivery.feedback.plan import FeedbackPlan, FeedbackPlanner, WriteLog
from wardround.delivery.feedback.state import FeedbackState, read_state
from wardround.delivery.feedback.suggestions import Suggestions
from wardround.delivery.feedback.summary_comment import summary_comment
from wardround.delivery.reported_review import ReportedReview

_MOST_ROUNDS = 6
"""Comparisons after which a change request that other runs keep changing is given up."""
_FORBIDDEN, _UNPROCESSABLE = 403, 422


class PostSettings(msgspec.Struct, frozen=True, eq=False):
    """The settings of a post.

    Attributes:
        most_comments: of this account that are open at a time.
        run_url: address of the run with the complete report.
        unproven: (path, text before, text after) -> why a suggestion may break the file; None if it cannot.
    """

    most_comments: int
    run_url: str
    unproven: Callable[[str, str, str], str | None]


class PostResult(msgspec.Struct, frozen=True):
    """The comments that a post wrote.

    Attributes:
        skipped: why nothing was written; empty if something may have been.
        plan: of the first comparison.
        state: that it was made from.
        rejected: number of comments on whose lines the host accepts none.
        refused: number of threads that it does not let this account resolve or reopen.
    """

    plan: FeedbackPlan = FeedbackPlan()
    state: FeedbackState | None = None
    is_summary_new: bool = False
    is_summary_changed: bool = False
    skipped: str = ""
    rejected: int = 0
    refused: int = 0


class FeedbackPost:
    """Posts one review to one change request."""

    def __init__(self, host: CodeHost, review: ReportedReview, settings: PostSettings) -> None:
        self._host = host
        self._review = review
        self._settings = settings
        self._texts = HeadTexts(host.feedback, review.commit)
        self._log = WriteLog()

    def plan(self) -> PostResult:
        """Return the operations that are missing, and write nothing."""
        if skipped := self._texts.stale_reason(self._host.change_request()):
            return PostResult(skipped=skipped)
        state = read_state(self._host)
        return self._result(self._plan(state), state)

    def post(self) -> PostResult:
        """Write what is missing.

        Raises:
            RefusedByHost: the host refuses a request.
            HostError: it fails, or other runs change the change request all the time.
        """
        first = PostResult()
        for number in range(_MOST_ROUNDS):
            compared = self.plan()
            first = compared if number == 0 else first
            if compared.skipped:
                return msgspec.structs.replace(first, skipped=compared.skipped)
            if compared.state is None or self._is_complete(compared):
                return msgspec.structs.replace(
                    first, rejected=len(self._log.rejected), refused=len(self._log.refused)
                )
            try:
                self._write(compared.plan, compared.state)
            except LostResponse:
                continue  # the next comparison shows whether it arrived
        raise HostError("other runs keep changing the comments of this change request; run post again")

    def _plan(self, state: FeedbackState) -> FeedbackPlan:
        suggestions = Suggestions(self._texts.text, self._settings.unproven, state.hunks)
        planner = FeedbackPlanner(
            self._review,
            FindingComments(suggestions, self._host.feedback.suggestion_language),
            self._texts.has_same_lines,
            self._log,
            self._settings.most_comments,
        )
        return planner.plan(state)

    def _summary(self, plan: FeedbackPlan) -> str:
        return summary_comment(self._review, plan, self._settings.run_url)

    def _is_complete(self, compared: PostResult) -> bool:
        if compared.plan.changes_threads:
            return False
        if compared.is_summary_new:
            return self._log.has_new_summary
        return not compared.is_summary_changed or self._log.summary == self._summary(compared.plan)

    def _result(self, plan: FeedbackPlan, state: FeedbackState) -> PostResult:
        is_new = not state.summaries
        is_changed = is_new or not _is_same_text(state.summaries[0].body, self._summary(plan))
        return PostResult(plan, state, is_new, is_changed)

    def _write(self, plan: FeedbackPlan, state: FeedbackState) -> None:
        feedback = self._host.feedback
        for thread in plan.duplicate_threads:
            feedback.delete_thread(thread)
        for comment in plan.duplicate_summaries:
            feedback.delete_comment(comment)
        self._change_threads(plan.resolve, feedback.resolve)
        self._change_threads(plan.reopen, feedback.reopen)
        pairs = zip(plan.posted, plan.review_comments, strict=True)
        marked = [(finding.fingerprint, comment) for finding, comment in pairs]
        for start in range(0, len(marked), feedback.most_comments):
            self._post_review(marked[start : start + feedback.most_comments])
        self._write_summary(self._summary(self._plan(state)), state)

    def _change_threads(self, threads: Iterable[Thread], change: Callable[[Thread], None]) -> None:
        """Resolve or reopen threads; a token that may comment does not always have the right to."""
        for thread in threads:
            try:
                change(thread)
            except RefusedByHost as refused:
                if refused.status != _FORBIDDEN:
                    raise
                self._log.refused.add(thread.id)

    def _post_review(self, comments: Sequence[tuple[str, LineComment]]) -> None:
        """Post comments together; if the host rejects them, one by one, so that the others are posted."""
        fingerprints = [fingerprint for fingerprint, _ in comments]
        try:
            self._host.feedback.post_review(self._texts.head, [comment for _, comment in comments])
        except RefusedByHost as refused:
            if refused.status != _UNPROCESSABLE:
                raise
            if len(comments) == 1:
                self._log.rejected.update(fingerprints)
            for pair in comments if len(comments) > 1 else ():
                self._post_review([pair])
            return
        self._log.posted.update(fingerprints)

    def _write_summary(self, body: str, state: FeedbackState) -> None:
        if state.summaries:
            if not _is_same_text(state.summaries[0].body, body):
                self._host.feedback.update_comment(state.summaries[0], body)
                self._log.summary = body
        elif not self._log.has_new_summary:
            self._host.feedback.create_comment(body)
            self._log.has_new_summary = True


def _is_same_text(first: str, second: str) -> bool:
    """Return True if texts differ at most in what hosts normalize: ends of lines, and space at the ends."""
    return first.replace("\r\n", "\n").strip() == second.replace("\r\n", "\n").strip()
