"""The routes of the HTTP API."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from typing import Annotated

import msgspec
from fastapi import APIRouter, FastAPI, Header, Query, Request
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from wardround import __version__
from wardround.errors import GitError, UsageError
from wardround.records.store import StoreError
from wardround.service.bodies import RETRY_S
from wardround.service.dependencies import (
    Observer,
    PageSize,
    Reader,
    Service,
    ServiceOf,
    Writer,
    problems,
)
from wardround.service.documents import (
    FindingPage,
    Health,
    ReportedReview,
    ReviewDocument,
    ReviewPage,
    append_report,
    review_document,
)
from wardround.service.journal import (
    KeyReusedError,
    QueueFullError,
    ReviewState,
    Status,
)
from wardround.service.problems import Problem, not_found, problem_response
from wardround.service.record_routes import records
from wardround.service.settings import Token
from wardround.service.submission import Submission, parse_submission, submission_schema
from wardround.service.tokens import require_repository
from wardround.service.workers import ReviewEnd

_JSON = "application/json"
_JSON_LINES = "application/jsonl"
_KEY = re.compile(r"[!-~]{1,255}")


def create_app(service: Service) -> FastAPI:
    """Return the ASGI application of a service."""
    app = FastAPI(
        title="wardround",
        version=__version__,
        description="Reviews changes and returns the reports that wardround review prints.",
        docs_url=None,  # its page loads scripts from another server
        redoc_url=None,
        openapi_url="/openapi.json",
    )
    app.state.service = service
    app.include_router(_status)
    app.include_router(_reviews)
    app.include_router(records)
    for kind in (Problem, HTTPException, RequestValidationError, sqlite3.Error, StoreError, Exception):
        app.add_exception_handler(kind, _on_error)
    return app


async def _on_error(request: Request, error: Exception) -> Response:
    if isinstance(error, StoreError):
        request.app.state.service.log.write("record", error="StoreError", message=str(error))
    return problem_response(_problem_of(error))


def _problem_of(error: Exception) -> Problem:
    if isinstance(error, Problem):
        return error
    if isinstance(error, HTTPException):
        return Problem(
            error.status_code, _ROUTE_ERRORS.get(error.status_code, "the request is not valid"), error.headers
        )
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return Problem(422, f"{where}: {first['msg'].lower()}")
    if isinstance(error, sqlite3.Error):
        return Problem(
            503, "the journal of the server cannot be used; try again later", {"Retry-After": RETRY_S}
        )
    if isinstance(error, StoreError):
        return Problem(
            503,
            "the record store cannot be used; the log of the server has the reason",
            {"Retry-After": RETRY_S},
        )
    return Problem(500, "internal error; the log of the server has its type and its place")


_ROUTE_ERRORS = {
    404: "there is no such resource; /openapi.json lists those of this server",
    405: "the resource does not support this method; /openapi.json lists those it does",
}


_status = APIRouter(tags=["server"])
_reviews = APIRouter(prefix="/v1/reviews", tags=["reviews"], responses=problems(401, 403))


@_status.get("/healthz")
async def healthz() -> Health:
    """Return 200 while the server responds."""
    return Health(status="ok")


@_status.get("/readyz", responses=problems(503))
def readyz(service: ServiceOf) -> Health:
    """Return 200 while the server accepts and begins reviews."""
    service.journal.counts()
    if not service.pool.is_ready:
        raise Problem(503, "no reviews are begun; the server is stopping, or its workers do not react")
    return Health(status="ready")


@_status.get("/metrics", response_class=Response, responses=problems(401, 403))
def metrics(service: ServiceOf, token: Observer) -> Response:
    """Return the metrics in the text format of Prometheus."""
    return Response(service.metrics.render(), media_type=service.metrics.content_type)


@_reviews.post(
    "",
    status_code=202,
    response_model=ReviewDocument,
    responses=problems(400, 408, 409, 413, 422, 429, 503),
    openapi_extra={"requestBody": {"required": True, "content": {_JSON: {"schema": submission_schema()}}}},
)
async def create_review(
    request: Request,
    service: ServiceOf,
    token: Writer,
    idempotency_key: Annotated[str | None, Header(description="repeats return the first review")] = None,
) -> Response:
    """Accept a change for review: a diff, or two revisions of a configured repository."""
    if idempotency_key is not None and not _KEY.fullmatch(idempotency_key):
        raise Problem(422, "the Idempotency-Key is not 1 to 255 printable ASCII characters; give another")
    async with service.bodies.read(request) as body:
        submission = await run_in_threadpool(_submission, service, token, body)
        digest = hashlib.sha256(body).hexdigest()
        state, is_new = await run_in_threadpool(
            _submit_review, service, token, submission, idempotency_key, digest
        )
    if is_new:
        await run_in_threadpool(service.pool.wake)
    content = review_document(state).model_dump_json()
    return Response(content, 202, {"Location": f"/v1/reviews/{state.id}"}, _JSON)


def _submission(service: Service, token: Token, body: bytes) -> Submission:
    """Parse and check a submission."""
    try:
        submission = parse_submission(body)
        size = len((submission.diff or "").encode())
    except msgspec.ValidationError as cause:
        raise Problem(422, f"{str(cause)[:1].lower()}{str(cause)[1:]}") from cause
    except (msgspec.DecodeError, UnicodeError, RecursionError) as cause:
        raise Problem(400, "the body is not JSON in UTF-8; send a JSON object") from cause
    except GitError as cause:
        raise Problem(422, str(cause)) from cause
    if size > service.settings.limits.diff_bytes:
        limit = service.settings.limits.diff_bytes
        raise Problem(413, f"the diff exceeds {limit} bytes; send a smaller change")
    if submission.repository is not None:
        require_repository(token, submission.repository)
    _require_options(service, submission)
    return submission


def _require_options(service: Service, submission: Submission) -> None:
    """Require that the server permits the options of a submission."""
    limit = service.settings.limits.ticket_bytes
    if len(msgspec.json.encode(submission.ticket)) > limit:
        raise Problem(413, f"the ticket exceeds {limit} bytes; shorten it")
    if isinstance(submission.ticket, str):
        try:
            service.tickets.reference(submission.ticket)
        except UsageError as cause:
            raise Problem(422, str(cause)) from cause
    excluded = sorted(set(submission.run) - service.settings.reviews.run)
    if excluded:
        raise Problem(422, f"run: this server does not run {excluded[0]}; leave it away")


def _submit_review(
    service: Service, token: Token, submission: Submission, key: str | None, digest: str
) -> tuple[ReviewState, bool]:
    try:
        return service.journal.accept(token.name, submission, key, digest, service.settings.limits.queue)
    except QueueFullError as cause:
        raise Problem(429, str(cause), {"Retry-After": RETRY_S}) from cause
    except KeyReusedError as cause:
        raise Problem(422, str(cause)) from cause


@_reviews.get("")
def list_reviews(
    service: ServiceOf,
    token: Reader,
    size: PageSize = 50,
    before: Annotated[int | None, Query(ge=1, description="the position of a page, from next")] = None,
) -> ReviewPage:
    """List the reviews of the token, newest first."""
    states = service.journal.page(token.name, before, size + 1)
    page = states[:size]
    following = f"/v1/reviews?size={size}&before={page[-1].seq}" if len(states) > size else None
    return ReviewPage(items=[review_document(state) for state in page], next=following)


@_reviews.get("/{review_id}", response_model=ReportedReview, responses=problems(404))
def get_review(service: ServiceOf, token: Reader, review_id: str) -> Response:
    """Return the state of a review, with its report once it is finished."""
    state = _find_review(service, token, review_id)
    is_done = state.status is Status.DONE
    report = service.journal.document(token.name, review_id, "report") if is_done else None
    return Response(append_report(state, report), media_type=_JSON)


@_reviews.get("/{review_id}/report", response_class=Response, responses=problems(404, 409))
def get_report(service: ServiceOf, token: Reader, review_id: str) -> Response:
    """Return the report, byte for byte as ``wardround review --format json`` prints it."""
    return Response(_report(service, token, review_id), media_type=_JSON)


@_reviews.get("/{review_id}/findings", response_model=FindingPage, responses=problems(404, 409))
def get_findings(
    service: ServiceOf,
    token: Reader,
    review_id: str,
    size: PageSize = 100,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> Response:
    """Return findings of the report, in its order."""
    report = msgspec.json.decode(_report(service, token, review_id), type=_Findings)
    total, end = len(report.findings), offset + size
    following = f"/v1/reviews/{review_id}/findings?size={size}&offset={end}" if end < total else None
    page = {"items": report.findings[offset:end], "total": total, "next": following}
    return Response(msgspec.json.encode(page), media_type=_JSON)


class _Findings(msgspec.Struct, frozen=True):
    """The part of a report that has the findings, not decoded."""

    findings: list[msgspec.Raw]


@_reviews.get("/{review_id}/record", response_class=Response, responses=problems(404))
def get_record(service: ServiceOf, token: Reader, review_id: str) -> Response:
    """Return the signed record of a review."""
    _find_review(service, token, review_id)
    record = service.journal.document(token.name, review_id, "record")
    if record is None:
        raise Problem(404, "the review has no record; the server writes none, or the review is not done")
    return Response(record, media_type=_JSON_LINES)


@_reviews.post("/{review_id}/cancel", responses=problems(404))
def cancel_review(service: ServiceOf, token: Writer, review_id: str) -> ReviewDocument:
    """Cancel a review; without effect on one that has ended."""
    before = _find_review(service, token, review_id)
    state = service.journal.cancel(token.name, review_id)
    if state is None:
        raise not_found()
    if state.status is Status.CANCELLED and before.status is not Status.CANCELLED:
        service.pool.interrupt(review_id)
        service.metrics.review(ReviewEnd(review_id, Status.CANCELLED, 0.0))
        service.sender.wake()
    return review_document(state)


def _find_review(service: Service, token: Token, review_id: str) -> ReviewState:
    state = service.journal.find(token.name, review_id)
    if state is None:
        raise not_found()
    return state


def _report(service: Service, token: Token, review_id: str) -> bytes:
    state = _find_review(service, token, review_id)
    report = service.journal.document(token.name, review_id, "report")
    if report is None:
        raise Problem(409, f"the review is {state.status.value}; only one that is done has a report")
    return report
