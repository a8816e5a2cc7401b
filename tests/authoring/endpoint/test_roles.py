"""An endpoint in a role: whatever it does is bounded, reported in one sentence, and asked again later."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.planes.language_model.loopback import (
    Behaviour,
    answers,
    completion,
    endless_body,
    endpoint,
    hang,
    reset,
    respond,
    streams,
    truncated_body,
)
from wardround.authoring.endpoint.opening import EndpointAccess, open_endpoint
from wardround.authoring.endpoint.roles import Answer, ExchangeFailed, PromptRequested, Role, TokenBudget
from wardround.authoring.instance import Instance
from wardround.authoring.sequence import Header, SequenceStore, Settings
from wardround.authoring.steps.route import Route, StageNames
from wardround.config.language_model import EndpointSettings
from wardround.errors import UsageError
from wardround.planes.language_model.prompts import load_part

HEADER = Header(Instance("0" * 40, "Add a limit"), Settings(), Route(StageNames(), ""), "1.0")
CONTENT = {"task": "Add a limit", "context": "key = 'hunter2'"}


def ask(
    url: str,
    folder: Path,
    *,
    redact: Callable[[str], str] = str,
    budget: TokenBudget | None = None,
    is_shown: bool = False,
    times: int = 1,
) -> list[Answer]:
    settings = EndpointSettings(url=url, model="test-model", timeout=1.0)

    async def run() -> list[Answer]:
        _, sequence = SequenceStore(folder / "sequences").begin(HEADER)
        async with open_endpoint(settings, EndpointAccess(os.environ)) as opened:
            role = Role(
                "author", load_part("author"), settings, opened, sequence, redact,
                budget or TokenBudget(None), is_shown=is_shown,
            )  # fmt: skip
            return [await role.ask(CONTENT, str(number or "")) for number in range(times)]

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (respond(429, headers={"Retry-After": "60"}), "status 429"),
        (respond(500), "status 500"),
        (respond(401), "status 401: the key is missing or wrong"),
        (hang, "timed out after 1 s"),
        (respond(200, b"<html>Log in</html>", kind="text/html"), "the response is not JSON"),
        (reset, "cannot be reached"),
        (truncated_body, "cannot be reached"),
        (endless_body, "more than 1048576 bytes"),
    ],
    ids=["busy", "error", "key", "hang", "html", "reset", "truncated", "endless"],
)
def test_a_fault_of_an_endpoint_is_one_sentence_and_is_not_recorded(
    tmp_path: Path, behaviour: Behaviour, reason: str
) -> None:
    with endpoint(behaviour) as server, pytest.raises(ExchangeFailed, match=reason):
        ask(server.url, tmp_path)
    (file,) = (tmp_path / "sequences").iterdir()
    assert len(file.read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        (answers('{"edits": ['), ""),
        (answers(""), "the answer is empty"),
        (answers("{", finish_reason="length"), "the answer is cut off; raise max-tokens"),
        (streams("{", end=""), "the answer is cut off, because its stream was interrupted"),
        (answers(None, refusal="No."), "the model refused"),
    ],
    ids=["invalid", "empty", "length", "stream", "refusal"],
)
def test_an_unusable_answer_is_recorded_with_its_problem(
    tmp_path: Path, behaviour: Behaviour, problem: str
) -> None:
    with endpoint(behaviour) as server:
        (answer,) = ask(server.url, tmp_path)
    assert answer.problem == problem


def test_secrets_are_not_sent_and_an_answer_with_them_is_not_recorded(tmp_path: Path) -> None:
    def redact(text: str) -> str:
        return text.replace("hunter2", "***")

    with endpoint(answers('{"edits": [], "reason": "hunter2"}')) as server:
        (answer,) = ask(server.url, tmp_path, redact=redact)
        (request,) = server.received
    assert b"hunter2" not in request.body
    assert json.loads(request.document["messages"][1]["content"])["context"] == "key = '***'"
    assert "hunter2" not in answer.text
    assert "hunter2" not in "".join(file.read_text() for file in (tmp_path / "sequences").iterdir())


def test_the_tokens_of_all_requests_have_one_limit(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 40, "completion_tokens": 10}

    budget = TokenBudget(60)
    with (
        endpoint(respond(200, completion("{}", usage=usage))) as server,
        pytest.raises(ExchangeFailed, match="budget of 60 tokens is used up"),
    ):
        ask(server.url, tmp_path, budget=budget, times=3)
    assert (budget.requests, budget.prompt_tokens, budget.completion_tokens) == (2, 80, 20)


def test_a_shown_request_is_not_sent(tmp_path: Path) -> None:
    with endpoint(answers("{}")) as server:
        with pytest.raises(PromptRequested) as shown:
            ask(server.url, tmp_path, is_shown=True)
        assert server.received == []
    assert json.loads(shown.value.body)["messages"][0]["content"].startswith("# author, version")


@pytest.mark.parametrize(
    ("settings", "access", "message"),
    [
        (
            EndpointSettings(url="https://models.example/v1", model="m"),
            EndpointAccess({}, is_offline=True),
            "--offline: the endpoint https://models.example/v1 is on the network",
        ),
        (
            EndpointSettings(url="https://models.example/v1", model="m", api_key_env="WARDROUND_KEY"),
            EndpointAccess({"WARDROUND_KEY": " "}),
            "WARDROUND_KEY has no key for https://models.example/v1; set it",
        ),
        (EndpointSettings(model="exchange"), EndpointAccess({}), "name its folder with --exchange"),
    ],
)
def test_an_endpoint_that_may_not_be_contacted_is_one_sentence(
    settings: EndpointSettings, access: EndpointAccess, message: str
) -> None:
    async def run() -> None:
        async with open_endpoint(settings, access):
            pass

    with pytest.raises(UsageError, match=message):
        asyncio.run(run())
