"""The outermost layer of the application: measures and logs every request, and lets no exception out."""

from __future__ import annotations

import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wardround.service.logs import EventLog, describe_crash
from wardround.service.metrics import Metrics
from wardround.service.problems import Problem, problem_response


class Exchange:
    """Wraps an ASGI application."""

    def __init__(self, app: ASGIApp, metrics: Metrics, log: EventLog) -> None:
        self._app = app
        self._metrics = metrics
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request; the events of the server's start and stop pass through."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.monotonic(), 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception as error:  # noqa: BLE001  (reported by its type: its text may quote the request)
            self._log.write("error", error=describe_crash(error), route=_route(scope))
            if not status:
                problem = Problem(500, "internal error; the log of the server has its type and its place")
                await problem_response(problem)(scope, receive, sending)
        self._report(scope, status, time.monotonic() - started)

    def _report(self, scope: Scope, status: int, seconds: float) -> None:
        method, route = _method(scope), _route(scope)
        self._metrics.request(method, route, status, seconds)
        token = scope.get("wardround.token")
        self._log.write("request", method=method, route=route, status=status, seconds=seconds, token=token)


def _method(scope: Scope) -> str:
    """Return the method, or a fixed word for one that is not an HTTP method."""
    method: str = scope["method"]
    return method if method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") else "other"


def _route(scope: Scope) -> str:
    """Return the template of the route, which contains nothing from the client; a path without one may
    contain anything.
    """
    route: Any = scope.get("route")
    return str(getattr(route, "path", "")) or "unknown"
