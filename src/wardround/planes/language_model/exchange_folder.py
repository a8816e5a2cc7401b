"""The exchange of files: requests are written as files, and answers are read from the same folder."""

from __future__ import annotations

import asyncio
import os
import stat
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from wardround.planes.language_model.client import MOST_BYTES
from wardround.planes.language_model.endpoint import EndpointError
from wardround.planes.language_model.exchange_endpoint import ExchangeEndpoint, ExchangeRequest
from wardround.storage.atomic import write_atomic
from wardround.text.escaping import json_text

REQUEST, READABLE = "request.json", "request.md"
ANSWERS = ("answer.json", "answer.md")
"""The names of the file with the answer; the first one that exists counts."""
_POLL_S = 0.1
_SETTLE_S = 2.0
"""The time for which a text that is not one JSON document does not change before it counts as complete."""
_ID_LENGTH = 16

NOT_ANSWERED = (
    f"not answered yet; write {ANSWERS[0]} next to the {READABLE} of each request, then run the command again"
)


class WrittenRequest(ExchangeRequest, frozen=True, rename="kebab"):
    """The content of a request file.

    Attributes:
        answer_file: the name of the file for the answer, in the same folder.
    """

    answer_file: str = ANSWERS[0]


class ExchangeFolder(ExchangeEndpoint):
    """Writes each request into a folder of its own, and reads the answer from there.

    Args:
        folder: created if it does not exist; requests contain source code, so other users cannot read it.
        wait_s: seconds to wait for an answer.
    """

    def __init__(self, folder: Path, wait_s: float) -> None:
        super().__init__()
        self._folder = folder
        self._wait_s = wait_s

    async def _answer(self, request: ExchangeRequest) -> str:
        folder = self._folder / request.digest.removeprefix("sha256:")[:_ID_LENGTH]
        written = WrittenRequest(**msgspec.structs.asdict(request))
        try:
            await asyncio.to_thread(_write_request, folder, written)
            answer = await self._complete_answer(folder)
        except OSError as cause:
            raise EndpointError(f"the exchange failed: {cause.strerror or type(cause).__name__}") from None
        if answer is None:
            raise EndpointError(NOT_ANSWERED)
        return answer

    async def _complete_answer(self, folder: Path) -> str | None:
        """Return the text of the answer once its file is complete; None if there is none in time."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self._wait_s
        previous: _Text | None = None
        while True:
            text = _read(folder)
            if text is not None and text == previous and text.is_complete:
                return text.content.decode("utf-8", "replace")
            if text is None and loop.time() >= end:
                return None
            previous = text
            await asyncio.sleep(_POLL_S)


def _write_request(folder: Path, request: WrittenRequest) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not (folder / READABLE).exists():
        write_atomic(folder / REQUEST, _to_text(request).encode())
        write_atomic(folder / READABLE, "".join(_page(folder, request)).encode())


def _to_text(value: object) -> str:
    return json_text(msgspec.json.format(msgspec.json.encode(value), indent=2)) + "\n"


def _page(folder: Path, request: WrittenRequest) -> Sequence[str]:
    """Return the request for reading, in the order in which it is answered."""
    return (
        f"# Request {folder.name}\n\nWrite the answer to `{request.answer_file}` in this folder: ",
        "one JSON document, as the instructions state. Do not change other files.\n\n",
        "## Instructions\n\n", request.prompt.strip(), "\n\n## Input\n\n```json\n", _to_text(request.input),
        "```\n\n## JSON schema of the answer\n\n```json\n", _to_text(request.answer_schema), "```\n",
    )  # fmt: skip


class _Text(NamedTuple):
    """The content of a file, and the time of its last change."""

    content: bytes
    changed: float

    @property
    def is_complete(self) -> bool:
        """True if it is one JSON document, or has not changed for a while."""
        try:
            msgspec.json.decode(self.content)
        except (ValueError, RecursionError):
            return abs(time.time() - self.changed) >= _SETTLE_S
        return True


def _read(folder: Path) -> _Text | None:
    """Return the text of the answer file; None if there is none or it is empty.

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
            content = file.read()
            return _Text(content, found.st_mtime) if content else None
    return None
