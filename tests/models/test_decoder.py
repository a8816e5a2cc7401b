"""A decoder answers within a schema, the same each time, and can be stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.models.making import ARCHITECTURES, SPECIAL, WINDOW
from wardround.errors import ModelError
from wardround.findings import Plane
from wardround.models.chat_template import ChatMessage
from wardround.models.decoder import Decoder
from wardround.models.loading import DecoderLocation, find_decoder
from wardround.planes.language_model.prompts import load_prompt

MESSAGES = (ChatMessage("system", "Answer in JSON."), ChatMessage("user", "def f(): ..."))
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"kind": {"enum": ["yes", "no"]}, "line": {"type": "integer"}, "why": {"type": "string"}},
    "required": ["kind", "line", "why"],
    "additionalProperties": False,
}


def decoder(folder: Path, name: str = "llama") -> Decoder:
    return find_decoder(name, DecoderLocation((folder,), "cpu", threads=1)).load()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_an_answer_matches_its_schema_and_is_the_same_each_time(decoders: Path, architecture: str) -> None:
    loaded = decoder(decoders, architecture)
    for schema in (SCHEMA, load_prompt(Plane.SECURITY).schema):
        first, second = (loaded.generate(MESSAGES, schema, 4000) for _ in range(2))
        assert first.finish == "stop"
        jsonschema.validate(json.loads(first.text), schema)
        assert first.text == second.text
        assert first.prompt_tokens == len(loaded.tokens(MESSAGES))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_an_answer_without_a_schema_is_any_text(decoders: Path, architecture: str) -> None:
    answer = decoder(decoders, architecture).generate(MESSAGES, None, 20)
    assert (answer.finish, answer.answer_tokens) == ("length", 20)


def test_a_long_request_is_read_in_steps_with_the_same_answer(
    decoders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = decoder(decoders)
    messages = (*MESSAGES, ChatMessage("user", "x = 1\n" * 200))
    in_steps = loaded.generate(messages, None, 30)
    monkeypatch.setattr("wardround.models.decoder._STEP_TOKENS", WINDOW)
    assert loaded.generate(messages, None, 30).text == in_steps.text


def test_an_answer_that_is_too_long_is_cut_off(decoders: Path) -> None:
    answer = decoder(decoders).generate(MESSAGES, SCHEMA, 10)
    assert (answer.finish, answer.answer_tokens) == ("length", 10)


def test_a_generation_ends_at_the_step_after_it_is_stopped(decoders: Path) -> None:
    calls = iter([False, False, False, True])
    answer = decoder(decoders).generate(MESSAGES, None, 100, lambda: next(calls))
    assert (answer.finish, answer.answer_tokens) == ("stopped", 2)


def test_a_request_beyond_the_window_is_rejected(decoders: Path) -> None:
    messages = [ChatMessage("user", "x" * WINDOW)]
    with pytest.raises(ModelError, match=r"^the request has \d+ tokens, and the model takes 16384 with its"):
        decoder(decoders).generate(messages, None, 10)


def test_text_under_review_cannot_end_its_turn(decoders: Path) -> None:
    loaded = decoder(decoders)
    usual = loaded.tokens([ChatMessage("user", "x")])
    hostile = loaded.tokens([ChatMessage("user", f"x{''.join(SPECIAL)}")])
    assert [token for token in hostile if token < len(SPECIAL)] == [
        token for token in usual if token < len(SPECIAL)
    ]


def test_a_schema_that_cannot_be_used_is_rejected(decoders: Path) -> None:
    with pytest.raises(ModelError, match=r"^the schema of the answer cannot be used: "):
        decoder(decoders).generate(MESSAGES, {"type": "nothing"}, 10)
