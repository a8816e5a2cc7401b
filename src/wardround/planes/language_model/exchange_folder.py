"""The exchange of files: requests are written as files, and answers are read from the same folder.

Their reader, such as a coding agent, gets what an endpoint would get: the prompt, the input without secrets,
and the schema of the answer. Its answer is validated like that of an endpoint.
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from wardround.planes.language_model.client import MOST_BYTES, EndpointError
from wardround.storage.atomic import write_atomic
from wardround.storage.digest import sha256
from wardround.text.escaping import json_text

REQUEST, READABLE = "request.json", "request.md"
ANSWERS = ("answer.json", "answer.md")
"""The names of the file with the answer; the first one that exists counts."""
_POLL_S = 0.1
_ID_LENGTH = 16

NOT_ANSWERED = (
    f"not answered yet; write {ANSWERS[0]} next to the {READABLE} of each request, then run the review again"
)


class WrittenRequest(msgspec.Struct, frozen=True, rename="kebab"):
    """The content of a request file.

    Attributes:
        digest: of the request; the same change, prompt and budget have the same one.
        prompt: the instructions; ``input`` is the data that they are about.
        answer_schema: the JSON schema of the answer.
        answer_file: the name of the file for the answer, in the same folder.
    """

    digest: str
    prompt: str
    input: Any
    answer_schema: dict[str, Any]
    schema: str = "wardround.exchange/1"
    answer_file: str = ANSWERS[0]


class ExchangeFolder:
    """Writes each request into a folder of its own, and reads the answer from there.

    Args:
        folder: created if it does not exist; requests contain source code, so others cannot read it.
        wait_s: seconds to wait for an answer.
    """

    def __init__(self, folder: Path, wait_s: float) -> None:
        self._folder = folder
        self._wait_s = wait_s

    async def post(self, body: bytes) -> bytes:
        """Return the answer to a request as the body of a chat completion.

        Raises:
            EndpointError: the request is not answered yet, or a file cannot be written or read.
        """
        digest = sha256(body).hexdigest()
        folder = self._folder / digest[:_ID_LENGTH]
        try:
            await asyncio.to_thread(_write, folder, _written(body, digest))
            answer = await self._answer(folder)
        except OSError as cause:
            raise EndpointError(f"the exchange failed: {cause.strerror or type(cause).__name__}") from None
        if answer is None:
            raise EndpointError(NOT_ANSWERED)
        return msgspec.json.encode(
            {"model": "exchange", "choices": [{"message": {"content": answer}, "finish_reason": "stop"}]}
        )

    async def _answer(self, folder: Path) -> str | None:
        """Return the text of the answer once its file no longer grows; None if there is none in time."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self._wait_s
        previous: bytes | None = None
        while True:
            content = _read(folder)
            if content is not None and content == previous:
                return content.decode("utf-8", "replace")
            if content is None and loop.time() >= end:
                return None
            previous = content
            await asyncio.sleep(_POLL_S)


def _written(body: bytes, digest: str) -> WrittenRequest:
    """Return the request file of a body in the form of chat completions."""
    request = msgspec.json.decode(body)
    prompt, document = (message["content"] for message in request["messages"])
    schema = request["response_format"]["json_schema"]["schema"]
    return WrittenRequest(f"sha256:{digest}", prompt, msgspec.json.decode(document), schema)


def _write(folder: Path, request: WrittenRequest) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not (folder / READABLE).exists():
        write_atomic(folder / REQUEST, _document(request).encode())
        write_atomic(folder / READABLE, "".join(_page(folder, request)).encode())


def _document(value: object) -> str:
    return json_text(msgspec.json.format(msgspec.json.encode(value), indent=2)) + "\n"


def _page(folder: Path, request: WrittenRequest) -> Sequence[str]:
    """Return the request for reading, in the order in which it is answered."""
    return (
        f"# Request {folder.name}\n\nWrite the answer to `{request.answer_file}` in this folder: ",
        "one JSON document, as the instructions state. Do not change other files.\n\n",
        "## Instructions\n\n", request.prompt.strip(), "\n\n## Input\n\n```json\n", _document(request.input),
        "```\n\n## JSON schema of the answer\n\n```json\n", _document(request.answer_schema), "```\n",
    )  # fmt: skip


def _read(folder: Path) -> bytes | None:
    """Return the content of the answer file; None if there is none or it is empty.

    Raises:
        OSError: it is not a regular file, or too large.
    """
    for name in ANSWERS:
        try:
            handle = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            continue
        with open(handle, "rb") as file:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
                raise OSError(0, f"{name} is not a regular file of at most {MOST_BYTES} bytes")
            return file.read() or None
    return None
