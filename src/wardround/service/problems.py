"""Errors as problem details, ``application/problem+json``: one sentence, never source text or a traceback.

Source: RFC 9457, "Problem Details for HTTP APIs".
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

import msgspec
from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"


class Problem(Exception):
    """A request that cannot be fulfilled.

    Args:
        status: the HTTP status.
        detail: one sentence: the cause, and what to do.
    """

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})


def problem_document(status: int, detail: str) -> bytes:
    """Return the JSON document of a problem."""
    document = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    return msgspec.json.encode(document)


def problem_response(problem: Problem) -> Response:
    """Return the response for a problem."""
    content = problem_document(problem.status, problem.detail)
    return Response(content, problem.status, problem.headers, MEDIA_TYPE)


def not_found() -> Problem:
    """Return the problem of a review that does not exist or belongs to another token."""
    return Problem(404, "there is no such review")
