"""The documents that the API returns, as the OpenAPI description states them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from wardround.service.journal import ReviewState, Status


class Document(BaseModel):
    """Base class of the JSON objects of the API; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ReviewDocument(Document):
    """The state of a review."""

    id: str
    status: Status
    repository: str | None = Field(description="null for a review of a diff")
    base: str | None
    head: str | None
    accepted: datetime
    started: datetime | None
    finished: datetime | None
    reason: str | None = Field(description="the cause, if the review failed or was cancelled")


class ReportedReview(ReviewDocument):
    """The state of a review, with its report once it is finished."""

    report: dict[str, Any] | None = Field(description="wardround.report/1, as wardround review prints it")


class ReviewPage(Document):
    """Reviews of the token, newest first."""

    items: list[ReviewDocument]
    next: str | None = Field(description="the path of the next page")


class FindingPage(Document):
    """Findings of a report, in its order."""

    items: list[dict[str, Any]]
    total: int
    next: str | None = Field(description="the path of the next page")


class RecordDocument(Document):
    """A record of the store, without its bytes."""

    digest: str
    created: str
    repository: str
    base: str
    head: str
    context: str
    verdict: str
    tier: str
    policy: str = Field(description="the name and the digest, separated by @")
    author: str
    rules: list[str] = Field(description="the rules of its findings")


class RecordPage(Document):
    """Records of the store, newest first."""

    items: list[RecordDocument]
    next: str | None = Field(description="the path of the next page, under the same conditions")


class ProblemDocument(Document):
    """An error, as RFC 9457 describes it."""

    type: str
    title: str
    status: int
    detail: str


class Health(Document):
    """The state of the server."""

    status: str


def review_document(state: ReviewState) -> ReviewDocument:
    """Return the document of a review."""
    return ReviewDocument(
        id=state.id,
        status=state.status,
        repository=state.repository,
        base=state.base,
        head=state.head,
        accepted=_to_datetime(state.accepted),
        started=None if state.started is None else _to_datetime(state.started),
        finished=None if state.finished is None else _to_datetime(state.finished),
        reason=state.reason,
    )


def append_report(state: ReviewState, report: bytes | None) -> bytes:
    """Return the JSON of a review and its report, whose bytes are unchanged."""
    envelope = review_document(state).model_dump_json().encode()
    return envelope[:-1] + b',"report":' + (report or b"null").rstrip(b"\n") + b"}"


def _to_datetime(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
