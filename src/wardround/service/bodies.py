"""Request bodies, read within limits of size, time and memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.requests import ClientDisconnect, Request

from wardround.service.problems import Problem
from wardround.service.settings import Limits

RETRY_S = "2"
"""The time that a client should wait before it sends a rejected request again, in seconds."""


class BodyReader:
    """Reads bodies; all bodies in memory share one limit."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._buffered = 0

    @asynccontextmanager
    async def read(self, request: Request) -> AsyncIterator[bytes]:
        """Read a body, which is in memory inside the context.

        Raises:
            Problem: 400, 408, 413 or 503.
        """
        self._require_length(request)
        size = 0

        def take(count: int) -> None:
            nonlocal size
            size += count
            self._buffered += count

        try:
            yield await self._read_in_time(request, take)
        finally:
            self._buffered -= size

    async def _read_in_time(self, request: Request, take: Callable[[int], None]) -> bytes:
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                return await self._collect(request, take)
        except TimeoutError as cause:
            detail = f"the body was not sent within {self._limits.body_seconds:g} s"
            raise Problem(408, detail, {"Connection": "close"}) from cause
        except ClientDisconnect as cause:
            raise Problem(400, "the client closed the connection before the end of the body") from cause

    async def _collect(self, request: Request, take: Callable[[int], None]) -> bytes:
        body = bytearray()
        async for part in request.stream():
            take(len(part))
            body += part
            if len(body) > self._limits.body_bytes:
                raise self._too_large()
            if self._buffered > self._limits.buffered_bytes:
                headers = {"Retry-After": RETRY_S, "Connection": "close"}
                raise Problem(503, "the server is reading too many requests; try again later", headers)
        return bytes(body)

    def _require_length(self, request: Request) -> None:
        """Reject a body whose announced length exceeds the limit, before any of it is read."""
        announced = request.headers.get("content-length", "")
        if announced.isdigit() and int(announced[:20]) > self._limits.body_bytes:
            raise self._too_large()

    def _too_large(self) -> Problem:
        limit = self._limits.body_bytes
        return Problem(413, f"the body exceeds {limit} bytes; send a smaller change", {"Connection": "close"})
