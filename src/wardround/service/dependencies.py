"""The values that the routes of the API depend on: the service, and the token with its scope."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import Depends, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from wardround.records.location import Location
from wardround.service.bodies import BodyReader
from wardround.service.documents import ProblemDocument
from wardround.service.journal import Journal
from wardround.service.logs import EventLog
from wardround.service.metrics import Metrics
from wardround.service.problems import MEDIA_TYPE
from wardround.service.settings import Scope, ServiceSettings, Token
from wardround.service.tickets import SubmittedTickets
from wardround.service.tokens import authenticate, require_scope
from wardround.service.webhooks import WebhookSender
from wardround.service.workers import WorkerPool

_LARGEST_PAGE = 200


class Service(msgspec.Struct, frozen=True):
    """The parts that the routes use; ``store`` is None if the server stores no records."""

    settings: ServiceSettings
    journal: Journal
    pool: WorkerPool
    bodies: BodyReader
    metrics: Metrics
    log: EventLog
    tickets: SubmittedTickets
    sender: WebhookSender
    store: Location | None = None


async def service_of(request: Request) -> Service:
    """Return the service of the application."""
    service: Service = request.app.state.service
    return service


ServiceOf = Annotated[Service, Depends(service_of)]
_bearer = HTTPBearer(auto_error=False, description="a token of the server configuration")


async def _token(
    request: Request,
    service: ServiceOf,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Token:
    secret = None if credentials is None else credentials.credentials
    token = authenticate(service.settings.tokens, secret)
    request.scope["wardround.token"] = token.name
    return token


class _Scoped:
    """Authenticates a request and requires a scope."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def __call__(self, token: Annotated[Token, Depends(_token)]) -> Token:
        require_scope(token, self._scope)
        return token


Writer = Annotated[Token, Depends(_Scoped("reviews:write"))]
Reader = Annotated[Token, Depends(_Scoped("reviews:read"))]
RecordReader = Annotated[Token, Depends(_Scoped("records:read"))]
Observer = Annotated[Token, Depends(_Scoped("metrics"))]
PageSize = Annotated[int, Query(ge=1, le=_LARGEST_PAGE)]


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the responses of a route with these statuses, for the OpenAPI description."""
    return {status: {"model": ProblemDocument, "content": {MEDIA_TYPE: {}}} for status in statuses}
