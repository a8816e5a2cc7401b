"""A decoder in place of an endpoint: completions of its form, one at a time, within the budget."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.models.conftest import decoders
from wardround.config.language_model import LanguageModelSettings
from wardround.models.loading import DecoderLocation, find_decoder
from wardround.planes.language_model.completion import decode_completion
from wardround.planes.language_model.endpoint import EndpointError
from wardround.planes.language_model.endpoint_memory import no_memory
from wardround.planes.language_model.local_endpoint import LocalEndpoint

__all__ = ["decoders"]

SCHEMA = {"type": "object", "properties": {"a": {"enum": ["b"]}}, "required": ["a"]}
BODY: dict[str, Any] = {
    "model": "local:llama",
    "messages": [{"role": "system", "content": "x"}, {"role": "user", "content": "y"}],
    "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}},
    "temperature": 0,
    "seed": 0,
}


def local(folder: Path, **settings: Any) -> LocalEndpoint:
    found = find_decoder("llama", DecoderLocation((folder,), "cpu", 1))
    return LocalEndpoint(found, LanguageModelSettings(model="local:llama", **settings), no_memory())


def post(endpoint: LocalEndpoint, **values: Any) -> bytes:
    return asyncio.run(endpoint.post(json.dumps(BODY | values).encode()))


def test_a_request_is_answered_in_the_form_of_an_endpoint(decoders: Path) -> None:
    completion = decode_completion(post(local(decoders)))
    (choice,) = completion.choices
    assert (choice.message.content, choice.finish_reason) == ('{"a": "b"}', "stop")
    assert (completion.model or "").startswith("local:llama@")
    assert completion.usage is not None
    assert completion.usage.completion_tokens == len('{"a": "b"}')


@pytest.mark.parametrize(
    ("form", "tokens", "finish"),
    [({"type": "text"}, 5, "length"), ({"type": "json_object"}, 9, "length"), (None, 3, "length")],
)
def test_other_formats_and_limits_are_those_of_the_request(
    decoders: Path, form: dict[str, Any] | None, tokens: int, finish: str
) -> None:
    completion = decode_completion(post(local(decoders), response_format=form, max_tokens=tokens))
    assert completion.choices[0].finish_reason == finish


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"stream": True}, "stream: an answer is returned as a whole; leave it out"),
        ({"n": 2}, "n: there is one answer to a request; leave it out"),
        ({"messages": []}, "messages: there are none"),
        ({"response_format": {"type": "json_schema"}}, "response_format: it has no json_schema"),
    ],
)
def test_what_a_decoder_cannot_do_is_named(decoders: Path, values: dict[str, Any], reason: str) -> None:
    with pytest.raises(EndpointError, match=f"^{reason}$"):
        post(local(decoders), **values)


def test_the_budget_is_that_of_all_requests_of_a_review(decoders: Path) -> None:
    endpoint = local(decoders, budget=0.2)

    async def ask_until_it_is_over() -> None:
        while True:
            await endpoint.post(json.dumps(BODY).encode())

    reason = r"^the review's 0\.2 s for a local model were over; raise language-model\.budget$"
    with pytest.raises(EndpointError, match=reason):
        asyncio.run(ask_until_it_is_over())


def test_a_cancelled_request_leaves_the_decoder_for_the_next_one(decoders: Path) -> None:
    endpoint = local(decoders)

    async def cancel_and_ask() -> bytes:
        request = BODY | {"response_format": None, "max_tokens": 16_000}
        task = asyncio.create_task(endpoint.post(json.dumps(request).encode()))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await endpoint.post(json.dumps(BODY).encode())

    assert decode_completion(asyncio.run(cancel_and_ask())).choices[0].message.content == '{"a": "b"}'
