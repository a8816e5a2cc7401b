"""An exchange of files: requests are written, and answers are read once they are complete."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from pathlib import Path

import pytest

from tests.planes.language_model.questions_factory import question_of, settings
from wardround.findings import Plane
from wardround.planes.language_model import exchange_folder
from wardround.planes.language_model.client import MOST_BYTES
from wardround.planes.language_model.completion import decode_completion
from wardround.planes.language_model.endpoint import EndpointError
from wardround.planes.language_model.exchange_folder import NOT_ANSWERED, ExchangeFolder

BODY = question_of(Plane.SEMANTIC).body(settings("", model="exchange"))


def answer(folder: Path, wait_s: float = 0.0) -> str:
    body = asyncio.run(ExchangeFolder(folder, wait_s).post(BODY))
    return decode_completion(body).choices[0].message.content or ""


def request_folder(folder: Path) -> Path:
    (found,) = folder.iterdir()
    return found


def test_a_request_has_the_prompt_the_input_and_the_schema(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "exchange"
    with pytest.raises(EndpointError, match="not answered yet"):
        answer(folder)
    request = json.loads((request_folder(folder) / "request.json").read_text())
    assert (request["schema"], request["answer-file"]) == ("wardround.exchange/1", "answer.json")
    assert request["prompt"].startswith("# semantic, version ")
    assert request["input"]["hunks"]
    assert request["answer-schema"]["required"] == ["findings"]
    assert request["digest"].startswith(f"sha256:{request_folder(folder).name}")
    page = (request_folder(folder) / "request.md").read_text()
    assert request["prompt"].strip() in page
    assert request_folder(folder).stat().st_mode & 0o077 == 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "exchange"


def test_an_answer_that_is_there_is_read_without_waiting(folder: Path) -> None:
    with pytest.raises(EndpointError):
        answer(folder)
    (request_folder(folder) / "answer.json").write_text('{"findings": []}')
    assert answer(folder) == '{"findings": []}'


@pytest.mark.parametrize(
    "parts",
    [("half ", "an answer ", "and the rest"), ('{"findings"', ': [{"line": 1}', "]}"), ("```\n[", "]\n```")],
)
def test_an_answer_is_awaited_until_its_file_is_complete(
    folder: Path, parts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that is slower than the review reads is not cut off."""
    monkeypatch.setattr(exchange_folder, "_POLL_S", 0.01)
    monkeypatch.setattr(exchange_folder, "_SETTLE_S", 0.5)

    def write() -> None:
        while not list(folder.glob("*/request.md")):
            time.sleep(0.01)
        with (request_folder(folder) / "answer.md").open("w") as file:
            for part in parts:
                file.write(part)
                file.flush()
                time.sleep(0.05)

    writer = threading.Thread(target=write)
    writer.start()
    assert answer(folder, wait_s=10) == "".join(parts)
    writer.join()


def test_a_text_that_was_there_before_is_read_without_waiting(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(EndpointError):
        answer(folder)
    file = request_folder(folder) / "answer.md"
    file.write_text("```json\n{}\n```")
    os.utime(file, (1, 1))
    monkeypatch.setattr(exchange_folder, "_SETTLE_S", 1_000.0)
    assert answer(folder) == "```json\n{}\n```"


@pytest.mark.parametrize("kind", ["link", "pipe", "large", "folder"])
def test_an_answer_that_is_not_a_regular_file_of_bounded_size_is_not_read(folder: Path, kind: str) -> None:
    with pytest.raises(EndpointError):
        answer(folder)
    file = request_folder(folder) / "answer.json"
    if kind == "link":
        (folder.parent / "secret").write_text("{}")
        file.symlink_to(folder.parent / "secret")
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    else:
        file.write_bytes(b"x" * (MOST_BYTES + 1))
    with pytest.raises(EndpointError, match="the exchange failed"):
        answer(folder)


def test_a_folder_that_cannot_be_written_is_a_problem_of_the_exchange(folder: Path) -> None:
    folder.write_text("")
    with pytest.raises(EndpointError, match="the exchange failed: Not a directory"):
        answer(folder)
    assert NOT_ANSWERED.startswith("not answered yet")
