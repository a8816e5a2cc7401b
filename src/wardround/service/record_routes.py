"""The routes of the records in the store: those of the repositories of a token."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from wardround.errors import UsageError
from wardround.records import store, time_bounds
from wardround.records.location import Location
from wardround.records.store import RecordNotFound, StoredRecord
from wardround.service.dependencies import PageSize, RecordReader, Service, ServiceOf, problems
from wardround.service.documents import RecordDocument, RecordPage
from wardround.service.problems import Problem
from wardround.service.settings import Token
from wardround.service.tokens import require_repository

_JSON_LINES = "application/jsonl"
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_MISSING = "there is no such record"
Text = Annotated[str | None, Query(min_length=1, max_length=200)]

records = APIRouter(prefix="/v1/records", tags=["records"], responses=problems(401, 403, 404, 503))


@records.get("", responses=problems(422))
def list_records(
    service: ServiceOf,
    token: RecordReader,
    repository: Annotated[str, Query(min_length=1, max_length=100, description="one of those of the token")],
    commit: Annotated[Text, Query(description="the first digits of the head, at least 7")] = None,
    verdict: Text = None,
    tier: Text = None,
    rule: Annotated[Text, Query(description="only reviews with a finding of this rule")] = None,
    since: Annotated[Text, Query(description="from this date or time on (UTC, ISO 8601)")] = None,
    until: Annotated[Text, Query(description="to the end of this date, or before this time")] = None,
    size: PageSize = 50,
    before: Annotated[int | None, Query(ge=1, description="the position of a page, from next")] = None,
) -> RecordPage:
    """List the records of a repository that meet all conditions, newest first."""
    require_repository(token, repository)
    conditions = store.Query(
        repository=repository,
        commit=_commit(commit),
        verdict=verdict,
        tier=tier,
        rule=rule,
        since=_bound("since", since),
        until=_bound("until", until),
        before=before,
    )
    with store.opened_if_present(_location(service)) as opened:
        found = opened.query(conditions, size + 1) if opened else ()
    given = {"commit": commit, "verdict": verdict, "tier": tier, "rule": rule, "since": since, "until": until}
    following = _following(repository, given, size, found[size - 1]) if len(found) > size else None
    return RecordPage(items=[_document(record) for record in found[:size]], next=following)


@records.get("/{digest}", response_class=Response)
def get_stored_record(service: ServiceOf, token: RecordReader, digest: str) -> Response:
    """Return the record whose digest begins with these digits, which ``wardround verify`` checks."""
    with store.opened_if_present(_location(service)) as opened:
        try:
            record = None if opened is None else opened.get(digest)
        except RecordNotFound as cause:
            raise Problem(404, _MISSING) from cause
        if opened is None or record is None or not _may_read(token, record):
            raise Problem(404, _MISSING)
        return Response(opened.data(record), media_type=_JSON_LINES)


def _location(service: Service) -> Location:
    if service.store is None:
        raise Problem(404, "this server stores no records; set store = true in the table records")
    return service.store


def _may_read(token: Token, record: StoredRecord) -> bool:
    return record.repository in token.repositories


def _commit(text: str | None) -> str | None:
    if text is not None and not _COMMIT.fullmatch(text):
        raise Problem(422, "commit: it is not a commit id; give its first 7 digits or more")
    return text


def _bound(name: str, text: str | None) -> str | None:
    """Return a bound in time as the store compares it."""
    if text is None:
        return None
    try:
        return time_bounds.since(text) if name == "since" else time_bounds.until(text)
    except UsageError as cause:
        raise Problem(422, str(cause).removeprefix("--")) from cause


def _following(repository: str, given: dict[str, str | None], size: int, last: StoredRecord) -> str:
    """Return the path of the page after a record, under the same conditions."""
    from urllib.parse import urlencode

    values = {"repository": repository} | {name: text for name, text in given.items() if text is not None}
    return f"/v1/records?{urlencode({**values, 'size': size, 'before': last.sequence})}"


def _document(record: StoredRecord) -> RecordDocument:
    return RecordDocument(
        digest=record.digest,
        created=record.created,
        repository=record.repository,
        base=record.base,
        head=record.head,
        context=record.context,
        verdict=record.verdict,
        tier=record.tier,
        policy=record.policy,
        author=record.author,
        rules=list(record.rules),
    )
