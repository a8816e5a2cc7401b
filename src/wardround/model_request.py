"""The requests that a review sends to a language model, without sending them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wardround.analyses.change_code import code_context
from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.assignment.review_context import build_context
from wardround.config.language_model import LanguageModelSettings
from wardround.context.code_context import CodeContext
from wardround.errors import UsageError
from wardround.execution.review_run import RawReview, ReviewRun
from wardround.findings import Plane
from wardround.planes.language_model.in_review import cost_of, question_of
from wardround.session import ReviewSession

if TYPE_CHECKING:
    from wardround.planes.language_model.review_cost import ReviewCost


class ModelRequest(msgspec.Struct, frozen=True):
    """A request that was not sent.

    Attributes:
        body: the bytes that a review sends.
        note: why this review does not send it; empty if it does.
    """

    body: bytes
    note: str = ""


class ReviewedChange(NamedTuple):
    """A change that tools have reviewed, since the secrets that they find are not sent."""

    review: ChangeUnderReview
    results: RawReview
    code: CodeContext

    @property
    def settings(self) -> LanguageModelSettings:
        """Those of the language model."""
        return self.review.config.root.language_model


def reviewed_change(session: ReviewSession) -> ReviewedChange:
    """Run the tools on a change.

    Raises:
        ConfigError: the configuration is wrong.
        UsageError: no endpoint is configured.
    """
    review = session.under_review
    if not review.config.root.language_model.is_configured:
        raise UsageError(
            "--show-prompt: no language model is configured; set url in the table language-model, or name a "
            "local model there"
        )
    context = build_context(review)
    with ReviewRun(review, context, session.resources) as run:
        results = run.review()
    review = review.with_change(context.change)
    return ReviewedChange(review, results, code_context(review))


def model_request(reviewed: ReviewedChange, plane: Plane) -> ModelRequest:
    """Return the request for a plane.

    Raises:
        UsageError: the plane has nothing to judge.
    """
    settings = reviewed.settings
    question = question_of(plane, *reviewed)
    if question is None or not question.hunks:
        raise UsageError(f"--show-prompt {plane}: the plane has nothing to judge; nothing would be sent")
    profile, note = reviewed.review.request.profile.value, ""
    if profile not in settings.profiles or plane not in settings.planes:
        note = f"this is not sent: {plane} in the profile {profile} does not use the language model"
    return ModelRequest(question.body(settings), note)


def requests_cost(reviewed: ReviewedChange) -> tuple[ReviewCost, str]:
    """Return the cost of all requests, and the reason why a review does not send them; empty if it does."""
    profile = reviewed.review.request.profile.value
    is_sent = profile in reviewed.settings.profiles
    note = "" if is_sent else f"this is not sent: the profile {profile} does not use the language model"
    return cost_of(*reviewed), note
