"""Bodies in memory: all clients share one limit."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from starlette.requests import Request
from starlette.types import Message

from wardround.service.bodies import BodyReader
from wardround.service.problems import Problem
from wardround.service.settings import Limits


def _request(parts: Sequence[bytes]) -> Request:
    messages = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    messages.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive() -> Message:
        return messages.pop(0)

    return Request({"type": "http", "method": "POST", "path": "/", "headers": []}, receive)


def test_a_body_is_rejected_while_others_fill_the_memory_and_accepted_afterwards() -> None:
    reader = BodyReader(Limits(body_bytes=4096, diff_bytes=1024, buffered_bytes=5000))

    async def read_two() -> None:
        async with reader.read(_request([b"x" * 2000] * 2)) as first:
            assert len(first) == 4000
            with pytest.raises(Problem) as refused:
                async with reader.read(_request([b"x" * 2000])):
                    pass
            assert (refused.value.status, refused.value.headers["Retry-After"]) == (503, "2")
        async with reader.read(_request([b"x" * 2000] * 2)) as third:
            assert len(third) == 4000

    asyncio.run(read_two())
